import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodePhoneRanges, type RangeTable } from './phone-ranges-format.ts';
import { PrefixTable } from './prefix-table.ts';

/** The file that `npm run build:carriers` writes and the service loads. */
export const PHONE_RANGES_FILE = fileURLToPath(new URL('../data/phone-ranges.bin', import.meta.url));

export type PhoneRanges = Record<RangeTable, PrefixTable> & {
  /** Source of the tables with its version; null when the file is missing or damaged. */
  source: string | null;
};

let loaded: PhoneRanges | undefined;

/** The tables of number ranges, read on first use and kept. A server calls this when it starts. */
export function loadPhoneRanges(): PhoneRanges {
  loaded ??= readPhoneRanges(PHONE_RANGES_FILE);
  return loaded;
}

/** Reads the tables of a file. A damaged or missing one must not stop the gateway: nothing is known then. */
export function readPhoneRanges(file: string): PhoneRanges {
  try {
    const { header, tables } = decodePhoneRanges(readFileSync(file));
    return { ...tables, source: `${header.source} ${header.sourceVersion}` };
  } catch {
    return { carriers: noPrefixes(), regions: noPrefixes(), timezones: noPrefixes(), source: null };
  }
}

function noPrefixes(): PrefixTable {
  return new PrefixTable(new Uint32Array(), new Uint16Array(), []);
}

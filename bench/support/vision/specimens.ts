import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Decision } from '@vouchgraph/decisions';
import type { DocumentJudgment } from '@vouchgraph/vision';
import { judgeDocument } from '@vouchgraph/vision/internals/documents/judge-document';
import { readMrz } from '@vouchgraph/vision/internals/documents/mrz';
import type { DocumentReading } from '@vouchgraph/vision/internals/readings';
import type { VisionPool } from '@vouchgraph/vision/internals/vision-pool';
import sharp from 'sharp';
import { scoreZone, type ZoneCase, type ZoneScore } from './engines.ts';
import { specimenDecision } from './specimen-decision.ts';

/*
 * A folder of images of real documents (specimens), with an optional index.csv: file, mrz (the printed lines of the
 * machine readable zone, joined by |) and full (yes or no: whether the whole document is in the image).
 */

/** One image of the folder; values that its index omits are null. */
export type Specimen = {
  file: string;
  path: string;
  truth: readonly string[] | null;
  isFull: boolean | null;
};

/** Reading of one image. */
export type SpecimenCase = Specimen & {
  zone: ZoneCase | null;
  score: ZoneScore | null;
  hasZone: boolean;
  /** Whether the names of the zone equal the printed ones; null without truth. */
  areNamesRight: boolean | null;
  hasBarcode: boolean;
  hasPortrait: boolean;
  signals: DocumentJudgment['signals'];
  /** Whether print confirms the family name and the date of birth. */
  isConfirmed: boolean;
  /** The decision with the portrait itself as the selfie, expiry and age not counted; null without a portrait. */
  decision: Decision | null;
  /** Processor time of the whole process while the image was read and judged, in milliseconds. */
  cpuMs: number;
  timings: Record<string, number>;
};

const IMAGE_FILE = /\.(jpe?g|png|webp|tiff?)$/i;

/** The folder's images in the order of their names. */
export function listSpecimens(folder: string): Specimen[] {
  const files = readdirSync(folder).filter((file) => IMAGE_FILE.test(file));
  const index = files.length > 0 ? readIndex(join(folder, 'index.csv')) : new Map<string, IndexRow>();
  return files.toSorted().map((file) => {
    const row = index.get(file) ?? {};
    return {
      file,
      path: join(folder, file),
      truth: row.mrz ? row.mrz.split('|') : null,
      isFull: row.full ? row.full === 'yes' : null,
    };
  });
}

/** Reads and assesses one image as the front of a document without a back. */
export async function measureSpecimen(pool: VisionPool, specimen: Specimen): Promise<SpecimenCase> {
  const bytes = await bytesOf(specimen.path);
  const before = process.cpuUsage();
  const reading = await pool.readDocument({ front: bytes, back: null });
  const selfie = reading.portrait && { descriptor: reading.portrait.descriptor, ageYears: null };
  const judgment = judgeDocument(reading, { now: new Date(), selfie });
  const { user, system } = process.cpuUsage(before);
  return {
    ...specimen,
    ...zoneOf(specimen.truth, reading),
    hasZone: readMrz(reading.front.mrz) !== null,
    hasBarcode: reading.front.barcode !== null && reading.front.barcode !== 'error',
    hasPortrait: reading.portrait !== null,
    signals: judgment.signals,
    isConfirmed: ['lastName', 'birth'].every((name) => judgment.reasons.includes(`${name}_confirmed`)),
    decision: specimenDecision(judgment),
    cpuMs: (user + system) / 1000,
    timings: reading.timings,
  };
}

function zoneOf(truth: readonly string[] | null, { front }: DocumentReading) {
  if (truth === null) return { zone: null, score: null, areNamesRight: null };
  const zone = { truth, candidates: front.mrz };
  const printed = readMrz([{ engine: 'ppocr', lines: truth }]);
  const read = readMrz(front.mrz);
  return {
    zone,
    score: scoreZone(zone),
    areNamesRight:
      read !== null && read.lastName === printed?.lastName && read.firstName === printed.firstName,
  };
}

/** As uploaded: formats that the gateway does not accept are converted to JPEG. */
async function bytesOf(path: string): Promise<Uint8Array> {
  const bytes = readFileSync(path);
  return /\.tiff?$/i.test(path) ? sharp(bytes).jpeg({ quality: 92 }).toBuffer() : bytes;
}

type IndexRow = Readonly<Record<string, string>>;

function readIndex(path: string): Map<string, IndexRow> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return new Map();
  }
  const [header = [], ...rows] = parseCsv(text);
  return new Map(
    rows.map((row) => {
      const named = Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
      return [named.file ?? '', named];
    }),
  );
}

/** Rows of fields (RFC 4180) without line breaks within them. */
function parseCsv(text: string): string[][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, plain]) =>
        quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
      ),
    );
}

import type { DocumentJudgment } from '@vouchgraph/vision';
import { judgeDocument } from '@vouchgraph/vision/internals/documents/judge-document';
import { readMrz } from '@vouchgraph/vision/internals/documents/mrz';
import type { DocumentReading, SideReading } from '@vouchgraph/vision/internals/readings';
import type { VisionPool } from '@vouchgraph/vision/internals/vision-pool';
import { compareWithTruth, type FieldOutcome } from '../../../test/fixtures/documents/compare.ts';
import { makeIdCard } from '../../../test/fixtures/documents/id-card.ts';
import { makeLicense } from '../../../test/fixtures/documents/license.ts';
import { makePassport, makeVisa } from '../../../test/fixtures/documents/passport.ts';
import { type Person, randomPerson } from '../../../test/fixtures/documents/person.ts';
import { type PhotoLevel, photograph } from '../../../test/fixtures/documents/photograph.ts';
import { type Random, seededRandom } from '../../../test/fixtures/documents/random.ts';
import { renderDocument } from '../../../test/fixtures/documents/render.ts';
import type { Specimen } from '../../../test/fixtures/documents/specimen.ts';
import type { ZoneCase } from './engines.ts';

/** One rendered and photographed document: its reading compared with its content. */
export type DocumentCase = {
  level: PhotoLevel;
  kind: string;
  outlines: number;
  sides: number;
  /** null when the document has no such zone or barcode. */
  zone: ZoneCase | null;
  isFirstMrzExact: boolean | null;
  isMrzExact: boolean | null;
  isBarcodeExact: boolean | null;
  hasPortrait: boolean;
  isRecaptureFlagged: boolean;
  fields: FieldOutcome[];
  /**
   * Wrong fields of a document whose text is reported as original, and fields whose check digits confirm a
   * wrong value.
   */
  wrongAccepts: string[];
  validity: string;
  /** From the photographs to the judgment through the pool, in milliseconds. */
  wallMs: number;
  /** Processor time of the whole process meanwhile, in milliseconds. */
  cpuMs: number;
  timings: Record<string, number>;
};

type Maker = (person: Person, options: { random: Random; portrait: Uint8Array }) => Specimen;

export const KINDS: Readonly<Record<string, Maker>> = {
  passport: makePassport,
  'card TD1': (person, options) => makeIdCard(person, { ...options, format: 'TD1' }),
  'card TD2': (person, options) => makeIdCard(person, { ...options, format: 'TD2' }),
  visa: makeVisa,
  license: makeLicense,
};

/** An invented document and a photograph of each of its sides. */
export async function makeCase(kind: string, level: PhotoLevel, seed: number, portrait: Uint8Array) {
  const random = seededRandom(seed);
  // A state's license has an address of that state.
  const person = randomPerson(random, kind === 'license' ? { country: 'USA' } : {});
  const specimen = KINDS[kind]!(person, { random, portrait });
  const photos: Uint8Array[] = [];
  for (const side of specimen.sides) {
    photos.push(await photograph(await renderDocument(specimen, { side }), { level, random }));
  }
  return { specimen, task: { front: photos[0]!, back: photos[1] ?? null } };
}

export async function measureDocument(
  pool: VisionPool,
  kind: string,
  level: PhotoLevel,
  seed: number,
  portrait: Uint8Array,
): Promise<DocumentCase> {
  const { specimen, task } = await makeCase(kind, level, seed, portrait);
  const start = performance.now();
  const before = process.cpuUsage();
  const reading = await pool.readDocument(task);
  const judging = performance.now();
  const judgment = judgeDocument(reading, { now: new Date(), selfie: null });
  const end = performance.now();
  const { user, system } = process.cpuUsage(before);
  return {
    ...compare(specimen, reading, judgment),
    level,
    kind,
    timings: { ...reading.timings, judge: end - judging },
    wallMs: end - start,
    cpuMs: (user + system) / 1000,
  };
}

function compare(specimen: Specimen, reading: DocumentReading, { data, signals }: DocumentJudgment) {
  const sides = [reading.front, reading.back].filter((side) => side !== null);
  const { mrzLines, barcodeText } = specimen.truth;
  const fields = compareWithTruth(specimen, data);
  return {
    outlines: sides.filter(({ hasOutline }) => hasOutline).length,
    sides: sides.length,
    zone: mrzLines ? { truth: mrzLines, candidates: sides.flatMap(({ mrz }) => mrz) } : null,
    isFirstMrzExact: mrzLines ? isExact(mrzLines, firstCandidate(sides)) : null,
    isMrzExact: mrzLines ? isExact(mrzLines, readMrz(sides.flatMap(({ mrz }) => mrz))?.lines ?? []) : null,
    isBarcodeExact: barcodeText ? sides.some(({ barcode }) => hasText(barcode, barcodeText)) : null,
    hasPortrait: reading.portrait !== null,
    isRecaptureFlagged: signals.isIdDigitalSpoof !== 'likely_physical_id',
    fields,
    wrongAccepts: [
      ...vouchedButWrong(specimen, sides),
      ...(signals.idTextStatus === 'likely_original_text'
        ? fields.filter(({ outcome }) => outcome === 'wrong').map(describe)
        : []),
    ],
    validity: signals.idValidity,
  };
}

/** The people are invented, so that readings can be printed. */
function describe({ field, expected, got }: FieldOutcome): string {
  return `${field} is ${JSON.stringify(expected)}, read as ${JSON.stringify(got)}`;
}

/** Wrong fields that a check digit confirms. */
function vouchedButWrong({ truth }: Specimen, sides: readonly SideReading[]): string[] {
  const mrz = readMrz(sides.flatMap((side) => side.mrz));
  if (!mrz || !truth.mrzLines) return [];
  const said = [
    ['idNumber', mrz.number],
    ['dateOfBirth', mrz.birth],
    ['dateOfExpiration', mrz.expiry],
  ] as const;
  return said
    .filter(([field, { value, validity }]) => validity === 'valid' && value !== truth.userData[field])
    .map(([field]) => `zone's ${field}`);
}

function firstCandidate(sides: readonly SideReading[]): readonly string[] {
  return sides.find(({ mrz }) => mrz.length > 0 && mrz[0]!.lines.length > 1)?.mrz[0]?.lines ?? [];
}

function isExact(wanted: readonly string[], got: readonly string[]): boolean {
  return wanted.join('\n') === got.join('\n');
}

function hasText(barcode: SideReading['barcode'], text: string): boolean {
  return barcode !== null && barcode !== 'error' && barcode.text === text;
}

import { quantile } from '../statistics.ts';
import { percent, share } from './document-tables.ts';
import type { BenchTable } from './faces.ts';
import type { SpecimenCase } from './specimens.ts';

/** Readings of a folder of specimens, and the cost of one image. */
export function specimenTable(cases: readonly SpecimenCase[]): BenchTable {
  const known = cases.filter(({ score }) => score !== null);
  const count = (of: (one: SpecimenCase) => boolean) => `${cases.filter(of).length}`;
  const total = (of: (one: SpecimenCase) => number) => `${known.reduce((sum, one) => sum + of(one), 0)}`;
  const cpu = cases.map(({ cpuMs }) => cpuMs).toSorted((a, b) => a - b);
  const readWhole = known.filter(({ score, decision }) => score!.vouched === 3 && decision !== null);
  const full = (is: boolean) => cases.filter(({ isFull }) => isFull === is);
  return {
    title: `Specimens: ${cases.length} images, ${known.length} with a known zone`,
    header: ['what', 'measured'],
    rows: [
      ['zone found', count(({ hasZone }) => hasZone)],
      ['zone exact', total(({ score }) => Number(score!.isExact))],
      ['three fields vouched', total(({ score }) => Number(score!.vouched === 3))],
      ['vouched fields (number, birth, expiry)', total(({ score }) => score!.vouched)],
      ['vouched and wrong', total(({ score }) => score!.wrong.length)],
      ['names right', total(({ areNamesRight }) => Number(areNamesRight))],
      ['portrait found', count(({ hasPortrait }) => hasPortrait)],
      ['barcode read', count(({ hasBarcode }) => hasBarcode)],
      [
        'whole documents called full',
        `${share(full(true).map(isCalledFull))?.toFixed(2) ?? ''} of ${full(true).length}`,
      ],
      [
        'cut documents called full',
        `${share(full(false).map(isCalledFull))?.toFixed(2) ?? ''} of ${full(false).length}`,
      ],
      ['called full', percent(share(cases.map(isCalledFull)))],
      ['family name and birth confirmed by print', count(({ isConfirmed }) => isConfirmed)],
      ['authentic', count(({ signals }) => signals.idValidity === 'likely_authentic_id')],
      ['fake', count(({ signals }) => signals.idValidity === 'likely_fake_id')],
      [
        'decided Real, Suspicious, Fake (portrait as selfie; neither expiry nor age counted)',
        `${(['Real', 'Suspicious', 'Fake'] as const).map((of) => count(({ decision }) => decision === of)).join(', ')} of ${count(({ decision }) => decision !== null)}`,
      ],
      [
        'decided Real, of those with three fields vouched and a portrait',
        `${share(readWhole.map(({ decision }) => decision === 'Real'))?.toFixed(2) ?? ''} of ${readWhole.length}`,
      ],
      ...([0.5, 0.95, 1] as const).map((part) => [
        `processor time per image, ms, ${part === 1 ? 'most' : part === 0.5 ? 'median' : 'p95'}`,
        quantile(cpu, part).toFixed(0),
      ]),
    ],
  };
}

/** One line for each image. */
export function specimenLines(cases: readonly SpecimenCase[]): BenchTable {
  return {
    title: 'Specimens: each image',
    header: ['file', 'zone', 'vouched', 'wrong', 'names', 'full', 'confirmed', 'decision', 'CPU ms'],
    rows: cases.map((one) => [
      one.file,
      one.score === null
        ? one.hasZone
          ? '?'
          : ''
        : one.score.isExact
          ? 'exact'
          : one.hasZone
            ? 'inexact'
            : 'none',
      `${one.score?.vouched ?? ''}`,
      `${one.score?.wrong.length || ''}`,
      one.areNamesRight === null ? '' : one.areNamesRight ? 'right' : '-',
      `${isCalledFull(one) ? 'yes' : 'no'}${one.isFull === null || one.isFull === isCalledFull(one) ? '' : ' (!)'}`,
      one.isConfirmed ? 'yes' : '',
      one.decision ?? '',
      one.cpuMs.toFixed(0),
    ]),
  };
}

function isCalledFull({ signals }: SpecimenCase): boolean {
  return signals.isFullIdCaptured === 'full_id_detected';
}

import { quantile } from '../statistics.ts';
import type { DocumentCase } from './documents.ts';
import type { BenchTable } from './faces.ts';

/** Stages that process pixels; the rest of a reading passes data between them. */
const MODELS = ['outline', 'detect', 'recognize', 'mrz', 'barcode', 'portrait', 'recapture'] as const;

/** Share of true values among the known ones. */
export function share(values: readonly (boolean | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.filter(Boolean).length / known.length;
}

export function modelMs({ timings }: { timings: Record<string, number> }): number {
  return MODELS.reduce((sum, stage) => sum + (timings[stage] ?? 0), 0);
}

export function accuracyTable(cases: readonly DocumentCase[]): BenchTable {
  const groups = Map.groupBy(cases, ({ level, kind }) => `${level} ${kind}`);
  return {
    title: 'Documents: what was read of rendered and photographed ones',
    header: [
      'level, kind',
      'n',
      'outline',
      'zone, first read',
      'zone',
      'barcode',
      'portrait',
      'fields right',
      'empty',
      'wrong',
      'wrong accepts',
      'authentic',
      'fake',
      'spoof',
    ],
    rows: [...groups].map(([name, group]) => {
      const fields = group.flatMap((one) => one.fields);
      const outcome = (which: string) => `${fields.filter((field) => field.outcome === which).length}`;
      const validity = (which: string) => `${group.filter((one) => one.validity === which).length}`;
      return [
        name,
        `${group.length}`,
        percent(sum(group, 'outlines') / sum(group, 'sides')),
        percent(share(group.map((one) => one.isFirstMrzExact))),
        percent(share(group.map((one) => one.isMrzExact))),
        percent(share(group.map((one) => one.isBarcodeExact))),
        percent(share(group.map((one) => one.hasPortrait))),
        outcome('right'),
        outcome('empty'),
        outcome('wrong'),
        `${group.reduce((all, one) => all + one.wrongAccepts.length, 0)}`,
        validity('likely_authentic_id'),
        validity('likely_fake_id'),
        `${group.filter((one) => one.isRecaptureFlagged).length}`,
      ];
    }),
  };
}

/** Times of the stages; processor time is the whole process's. */
export function timeTable(
  cases: readonly { timings: Record<string, number>; wallMs?: number; cpuMs: number }[],
): BenchTable {
  const stages = [...new Set(cases.flatMap(({ timings }) => Object.keys(timings)))];
  const row = (name: string, values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b);
    return [name, ...[0.5, 0.95, 1].map((part) => quantile(sorted, part).toFixed(0))];
  };
  return {
    title: 'Documents: milliseconds, all sides of one together',
    header: ['stage', 'median', 'p95', 'most'],
    rows: [
      ...stages.map((stage) =>
        row(
          stage,
          cases.map(({ timings }) => timings[stage] ?? 0),
        ),
      ),
      row('models together', cases.map(modelMs)),
      ...(cases.some(({ wallMs }) => wallMs !== undefined)
        ? [
            row(
              'photograph to judgment',
              cases.map(({ wallMs }) => wallMs ?? 0),
            ),
          ]
        : []),
      row(
        'processor time',
        cases.map(({ cpuMs }) => cpuMs),
      ),
    ],
  };
}

function sum(cases: readonly DocumentCase[], key: 'outlines' | 'sides'): number {
  return cases.reduce((all, one) => all + one[key], 0);
}

export function percent(part: number | null): string {
  return part === null ? '' : `${(100 * part).toFixed(0)} %`;
}

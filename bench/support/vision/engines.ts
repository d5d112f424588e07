import { readMrz } from '@vouchgraph/vision/internals/documents/mrz';
import type { MrzLines } from '@vouchgraph/vision/internals/readings';
import type { BenchTable } from './faces.ts';

/** Values that check digits confirm, compared with the printed zone. */
export type ZoneScore = {
  isExact: boolean;
  /** Correct fields (number, birth, expiry) that the check digits confirm. */
  vouched: number;
  /** Wrong fields that the check digits confirm. */
  wrong: readonly string[];
};
/** One read zone with its true lines. */
export type ZoneCase = { truth: readonly string[]; candidates: readonly MrzLines[] };

const NO_ZONE: ZoneScore = { isExact: false, vouched: 0, wrong: [] };
const ENGINES: readonly MrzLines['engine'][] = ['ocrb', 'ppocr'];

/** The zone that the candidates resolve to, compared with the true lines. */
export function scoreZone({ truth, candidates }: ZoneCase): ZoneScore {
  const mrz = readMrz(candidates);
  if (mrz === null) return NO_ZONE;
  const printed = printedFields(truth);
  const read = { number: mrz.number, birth: mrz.birth, expiry: mrz.expiry };
  const vouched = (['number', 'birth', 'expiry'] as const).filter((name) => read[name].validity === 'valid');
  const wrong = vouched.filter((name) => normal(name, read[name].value) !== printed[name]);
  return {
    isExact: mrz.lines.join('\n') === truth.join('\n'),
    vouched: vouched.length - wrong.length,
    wrong: wrong.map((name) => `${name} is ${printed[name]}, read as ${normal(name, read[name].value)}`),
  };
}

/** Contribution of each engine: all of them, each one left out, each one alone. */
export function engineTable(title: string, zones: readonly ZoneCase[]): BenchTable {
  const row = (name: string, engines: readonly MrzLines['engine'][]) => {
    const scores = zones.map(({ truth, candidates }) =>
      scoreZone({ truth, candidates: candidates.filter(({ engine }) => engines.includes(engine)) }),
    );
    const sum = (of: (score: ZoneScore) => number) =>
      `${scores.reduce((total, score) => total + of(score), 0)}`;
    return [
      name,
      `${zones.filter(({ candidates }) => candidates.some(({ engine }) => engines.includes(engine))).length}`,
      sum(({ isExact }) => Number(isExact)),
      sum(({ vouched }) => Number(vouched === 3)),
      sum(({ vouched }) => vouched),
      sum(({ wrong }) => wrong.length),
    ];
  };
  return {
    title: `${title} (${zones.length} zones)`,
    header: ['engines', 'asked', 'zone exact', 'three vouched', 'vouched fields', 'vouched and wrong'],
    rows: [
      row('all', ENGINES),
      ...ENGINES.map((left) =>
        row(
          `without ${left}`,
          ENGINES.filter((engine) => engine !== left),
        ),
      ),
      ...ENGINES.map((engine) => row(`${engine} alone`, [engine])),
    ],
  };
}

/** The printed number and dates (YYMMDD), without fillers. */
function printedFields(lines: readonly string[]): Record<'number' | 'birth' | 'expiry', string> {
  const [first, second] = lines as [string, string];
  const bare = (text: string) => text.replaceAll('<', '');
  if (lines.length === 3) {
    const isLong = first[14] === '<' && /\d/.test(first.slice(15));
    const rest = isLong ? bare(first.slice(15).split('<')[0]!).slice(0, -1) : '';
    return {
      number: bare(first.slice(5, 14)) + rest,
      birth: second.slice(0, 6),
      expiry: second.slice(8, 14),
    };
  }
  if (first.startsWith('IDFRA') && first.length === 36) {
    return { number: bare(second.slice(0, 12)), birth: second.slice(27, 33), expiry: '' };
  }
  return { number: bare(second.slice(0, 9)), birth: second.slice(13, 19), expiry: second.slice(21, 27) };
}

/** MM/DD/YYYY as YYMMDD; a number without spaces. */
function normal(name: string, value: string): string {
  if (name === 'number') return value.replaceAll(' ', '');
  return value === '' ? '' : value.slice(8) + value.slice(0, 2) + value.slice(3, 5);
}

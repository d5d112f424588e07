import type { IpNumber } from '@vouchgraph/platform/ip/ip-number';
import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRangeTable, openRangeTable, type TaggedRange } from './range-set.ts';

const buildRangeSet = (ranges: readonly TaggedRange[]) => openRangeTable(buildRangeTable(ranges));

const LAST = { 4: (1n << 32n) - 1n, 6: (1n << 128n) - 1n } as const;
type Version = 4 | 6;

/** Expected result by a linear search: the smallest range applies, of equally large ones the later entry. */
function bruteForce(ranges: readonly TaggedRange[], version: Version, value: bigint): number {
  const holding = ranges.filter(
    (range) => range.version === version && range.start <= value && value <= range.end,
  );
  const size = ({ start, end }: TaggedRange) => end - start;
  const smallest = holding.map(size).reduce((least, each) => (each < least ? each : least), LAST[6]);
  return Math.max(-1, ...holding.filter((range) => size(range) === smallest).map(({ tag }) => tag));
}

function ipOf(version: Version, value: bigint): IpNumber {
  if (version === 4) return { version, value: Number(value) };
  const word = (shift: bigint) => Number((value >> shift) & 0xffff_ffffn);
  return { version, words: [word(96n), word(64n), word(32n), word(0n)] };
}

/** Few distinct numbers, at both ends and across the words of IPv6, so that ranges touch, nest and overlap. */
function address(version: Version): fc.Arbitrary<bigint> {
  const last = LAST[version];
  return fc.oneof(
    fc.bigInt(0n, 24n),
    fc.bigInt(0n, 24n).map((below) => last - below),
    fc.bigInt(0n, 8n).map((near) => last / 2n - 4n + near),
    fc.bigInt(0n, 8n).map((near) => (version === 6 ? (1n << 64n) - 4n + near : near * 1000n)),
  );
}

const version = fc.constantFrom<Version>(4, 6);
const ranges = fc.array(
  fc.tuple(version, fc.integer({ min: 0, max: 5 })).chain(([version, tag]) =>
    fc
      .oneof(
        { weight: 12, arbitrary: fc.tuple(address(version), address(version)) },
        { weight: 1, arbitrary: fc.constant([0n, LAST[version]] as const) },
      )
      .map(([one, other]) => {
        const [start, end] = one < other ? [one, other] : [other, one];
        return { version, start, end, tag };
      }),
  ),
  { maxLength: 12 },
);

test('every address has the tag of its smallest range', () => {
  fc.assert(
    fc.property(ranges, fc.array(address(4)), fc.array(address(6)), (all, some4, some6) => {
      const set = buildRangeSet(all);
      const edges = (version: Version) =>
        all
          .filter((range) => range.version === version)
          .flatMap(({ start, end }) => [start - 1n, start, end, end + 1n])
          .filter((value) => value >= 0n && value <= LAST[version]);
      for (const [version, values] of [
        [4, [...some4, ...edges(4), 0n, LAST[4]]],
        [6, [...some6, ...edges(6), 0n, LAST[6]]],
      ] as const) {
        for (const value of values) {
          expect(set.tagOf(ipOf(version, value))).toBe(bruteForce(all, version, value));
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('the order of the list has no effect', () => {
  fc.assert(
    fc.property(ranges, address(4), (all, value) => {
      const ip = ipOf(4, value);
      expect(buildRangeSet(all.toReversed()).tagOf(ip)).toBe(buildRangeSet(all).tagOf(ip));
    }),
  );
});

test('ranges are counted after merging, separately for each IP version', () => {
  const tagged = (text: string, tag = 0): TaggedRange => ({ ...parseRange(text)!, tag });
  const set = buildRangeSet([
    tagged('192.0.2.0/25'),
    tagged('192.0.2.128/25'),
    tagged('198.51.100.0/24'),
    tagged('2001:db8::/32'),
    tagged('2001:db8:1::/48', 1),
  ]);
  expect(set).toMatchObject({ ipv4: 2, ipv6: 3 });
});

test('an empty set contains nothing', () => {
  const set = buildRangeSet([]);
  expect(set).toMatchObject({ ipv4: 0, ipv6: 0 });
  expect(set.tagOf(ipOf(4, 0n))).toBe(-1);
  expect(set.tagOf(ipOf(6, LAST[6]))).toBe(-1);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Finding, mergeFindings } from './finding.ts';

const finding = (sign: string, confidence: number): Finding => ({
  sign,
  confidence,
  source: 'test',
  observed: `${sign} seen`,
});

test('no findings are no observation', () => {
  expect(mergeFindings([])).toBeNull();
});

test('different signs increase the confidence, and the highest comes first', () => {
  expect(mergeFindings([finding('faint', 0.2), finding('clear', 0.5)])).toMatchObject({
    confidence: 0.6,
    observed: 'clear seen; faint seen',
  });
});

test('two findings of one sign count once, with the higher confidence', () => {
  expect(mergeFindings([finding('size', 0.4), finding('size', 0.8)])?.confidence).toBeCloseTo(0.8);
});

test('another sign never decreases the confidence', () => {
  const findings = fc.array(
    fc.tuple(fc.constantFrom('one', 'two', 'three'), fc.double({ min: 0, max: 1, noNaN: true })),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(findings, (pairs) => {
      const all = pairs.map(([sign, confidence]) => finding(sign, confidence));
      const fewer = mergeFindings(all.slice(1))?.confidence ?? 0;
      expect(mergeFindings(all)?.confidence).toBeGreaterThanOrEqual(fewer - 1e-12);
    }),
  );
});

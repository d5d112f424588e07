import { expect, test } from 'vitest';
import type { AsnClass } from '../data/asn-class-rows.ts';
import { factsWith, networkWith } from './facts-for-tests.ts';
import { ipInDatacenterRange } from './ip-in-datacenter-range.ts';

function evaluate(asnClasses: readonly AsnClass[], classSource: 'curated' | 'name' | null) {
  const network = networkWith({ asn: 16509, serviceProvider: 'Amazon.com, Inc.', asnClasses, classSource });
  return ipInDatacenterRange.evaluate(factsWith({ network }));
}

test('a curated hosting network is a data centre, a plain fact', () => {
  const evidence = evaluate(['hosting'], 'curated');
  expect(evidence).toMatchObject({ confidence: 0.9, factual: true, observed: 'AS16509 Amazon.com, Inc.' });
  expect(evidence?.contributions.datacenter).toBeCloseTo(0.9);
  expect(evidence?.contributions.proxy).toBeCloseTo(0.18);
});

test('a network that is only called so is one less surely', () => {
  expect(evaluate(['hosting'], 'name')).toMatchObject({ confidence: 0.7, source: 'asn_name' });
});

test('a content network stays below the flag, since privacy relays use it', () => {
  expect(evaluate(['cdn'], 'curated')?.contributions.datacenter).toBeLessThan(0.5);
});

test('access networks of every kind are none', () => {
  for (const asnClass of ['mobile', 'education', 'government', 'business', 'satellite'] as const) {
    expect(evaluate([asnClass], 'curated')).toBeNull();
  }
  expect(evaluate(['satellite', 'hosting'], 'name')).toBeNull();
});

test('nothing is said of a network that is not known', () => {
  expect(evaluate([], null)).toBeNull();
});

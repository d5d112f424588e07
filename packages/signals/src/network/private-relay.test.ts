import { expect, test } from 'vitest';
import { factsWith } from '../../../../test/support/signals/facts.ts';
import { coverageOf, examinedSources, privateRelayOf } from '../assessment/coverage.ts';
import { createNetworkIntelligence, openNetworkIntelligence } from './network-intelligence.ts';

const NO_SOURCES = { asn: null, city4: null, city6: null, country: null };

function relayOf(network: ReturnType<typeof createNetworkIntelligence>, ip: string) {
  const facts = network.lookup(ip);
  const examined = examinedSources(factsWith({ network: facts }), network.status());
  const coverage = coverageOf(examined).find(({ source }) => source === 'feed_relay');
  return { answer: privateRelayOf(facts.connectionType, examined), examined: coverage?.examined };
}

test('without a list of relays the result is unknown, not false', () => {
  for (const onboard of [null, []])
    expect(relayOf(createNetworkIntelligence({ ...NO_SOURCES, onboard }), '172.224.226.5')).toEqual({
      answer: null,
      examined: false,
    });
});

test('with the bundled list a relay is true, another address false, and a private address unknown', async () => {
  const network = await openNetworkIntelligence();
  expect(relayOf(network, '172.224.226.5')).toEqual({ answer: true, examined: true });
  expect(relayOf(network, '90.54.1.1')).toEqual({ answer: false, examined: true });
  expect(relayOf(network, '192.168.1.1')).toEqual({ answer: null, examined: false });
  network.close();
});

test('a damaged list file is reported, and relays are unknown', async () => {
  const network = await openNetworkIntelligence({ onboardFile: '/missing/lists.bin' });
  expect(network.status()).toContainEqual(
    expect.objectContaining({ name: 'onboard_lists', available: false }),
  );
  expect(relayOf(network, '172.224.226.5').answer).toBeNull();
  network.close();
});

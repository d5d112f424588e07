import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { factsWith } from '../../../../test/support/signals/facts.ts';
import { assessSession } from '../assessment/assess-session.ts';
import { openNetworkIntelligence } from './network-intelligence.ts';

/* Addresses of access providers of many countries (bench/support/networks), on the data that the product ships. */
const ADDRESSES = readFileSync(
  new URL('../../../../test/fixtures/networks/consumer-addresses.txt', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n');
const ALARMS = new Set([
  'ip_on_vpn_list',
  'ip_on_tor_exit_list',
  'ip_on_proxy_list',
  'ip_on_privacy_relay_list',
  'ip_in_datacenter_range',
]);

test('none of 5,000 residential and mobile addresses is classified as VPN, Tor, proxy, relay or data center', async () => {
  const network = await openNetworkIntelligence();
  const startTime = new Date('2026-08-22T00:00:00.000Z');
  const alarms = ADDRESSES.flatMap((ip) => {
    const facts = network.lookup(ip);
    const { details, flags } = assessSession(
      factsWith({ network: facts, startTime, browser: { timezone: '', language: '', languages: [] } }),
    );
    const codes = details.network.map(({ code }) => code).filter((code) => ALARMS.has(code));
    const raised = flags.vpn || flags.tor || flags.proxy || flags.datacenter;
    return codes.length > 0 || raised ? [`${ip} AS${facts.asn}: ${codes}`] : [];
  });
  network.close();
  expect(ADDRESSES).toHaveLength(5000);
  expect(new Set(ADDRESSES).size).toBe(5000);
  expect(alarms).toEqual([]);
});

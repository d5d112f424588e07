import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatRange } from '@vouchgraph/platform/ip/ip-range';
import { assessSession } from '@vouchgraph/signals/internals/assessment/assess-session';
import { loadAsnTable } from '@vouchgraph/signals/internals/data/asn-table';
import { FLAG_THRESHOLD } from '@vouchgraph/signals/internals/evidence/weights';
import { parseTorExits } from '@vouchgraph/signals/internals/feeds/build/published-ranges';
import { openNetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import { drawConsumerAddresses } from './support/networks/consumer-addresses.ts';
import { CONSUMER_SYSTEMS, HELD_OUT_SYSTEMS } from './support/networks/consumer-systems.ts';
import { factsOfAddress } from './support/networks/facts-of-address.ts';
import { RESULTS } from './support/options.ts';
import { printTable } from './support/report.ts';

const HELP = `Share of published VPN and Tor addresses that raise their signal, and false alarms on home and mobile networks.

  npm run bench:network-coverage -- [options]

  --folder DIR   published addresses: DIR/vpn/*.txt and DIR/tor/*.txt (or .csv), a file per provider or list, an
                 address or range per line. Without it only false alarms are measured
  --at DATE      date of the sessions, such as 2026-08-22 (today). The freshness of lists depends on it
  --lists FILE   lists on board from FILE instead of those that ship
  --no-lists     no lists on board
  --feeds DIR    feeds of an operator (FEEDS_DIR); none by default
  --sample N     addresses drawn from each group of home and mobile networks (5000)
  --help         this text

Exit code 1 when an address of the committed sample of home and mobile networks raises an alarm.
The figures are written to bench/results/network-coverage.json.
`;

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    at: { type: 'string' },
    feeds: { type: 'string' },
    lists: { type: 'string' },
    'no-lists': { type: 'boolean', default: false },
    sample: { type: 'string', default: '5000' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const at = new Date(values.at ?? Date.now());
if (Number.isNaN(at.getTime())) throw new Error('--at is a date such as 2026-11-20');
const network = await openNetworkIntelligence({
  feedsDir: values.feeds,
  onboardFile: values['no-lists'] ? null : values.lists,
});

const published = (['vpn', 'tor'] as const).flatMap((signal) =>
  filesOf(signal).map((file) => coverageOf(signal, file)),
);
const table = await loadAsnTable();
const honest = [
  { name: 'committed sample', addresses: committedSample() },
  {
    name: 'held-out systems',
    addresses: drawConsumerAddresses(table, HELD_OUT_SYSTEMS, Number(values.sample), 7),
  },
  {
    name: 'sampled systems, other seed',
    addresses: drawConsumerAddresses(table, CONSUMER_SYSTEMS, Number(values.sample), 8),
  },
].map(({ name, addresses }) => ({ name, addresses: addresses.length, alarms: alarmsOf(addresses) }));
network.close();
print();

function filesOf(signal: string): string[] {
  const folder = path.join(values.folder ?? '', signal);
  if (values.folder === undefined || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /\.(txt|csv)$/.test(file))
    .sort()
    .map((file) => path.join(folder, file));
}

function committedSample(): string[] {
  const file = new URL('../test/fixtures/networks/consumer-addresses.txt', import.meta.url);
  return readFileSync(file, 'utf8').trim().split('\n');
}

function assess(ip: string) {
  return assessSession(factsOfAddress(network.lookup(ip), at));
}

function coverageOf(signal: 'vpn' | 'tor', file: string) {
  const list = parseTorExits(readFileSync(file, 'utf8'));
  const addresses = [...new Set(list.entries.map(({ range }) => formatRange(range).split(/[/-]/)[0]!))];
  const results = addresses.map((ip) => {
    const { scores, details } = assess(ip);
    return { score: scores[signal], hides: Math.max(scores.vpn, scores.tor, scores.datacenter), details };
  });
  const share = (count: number) => count / addresses.length;
  const listed = `ip_on_${signal === 'vpn' ? 'vpn' : 'tor_exit'}_list`;
  return {
    signal,
    name: path.basename(file).replace(/\.\w+$/, ''),
    addresses: addresses.length,
    flagged: share(results.filter(({ score }) => score >= FLAG_THRESHOLD).length),
    suspected: share(results.filter(({ score }) => score >= 0.3).length),
    byList: share(
      results.filter(({ details }) =>
        details.network.some(({ code, source }) => code === listed && source.includes('feed:')),
      ).length,
    ),
    anyHiding: share(results.filter(({ hides }) => hides >= FLAG_THRESHOLD).length),
  };
}

/** Addresses with any flag or reason code of an anonymizer. */
function alarmsOf(addresses: readonly string[]): string[] {
  return addresses.flatMap((ip) => {
    const { flags, details } = assess(ip);
    const raised = (['vpn', 'tor', 'proxy', 'datacenter'] as const).filter((signal) => flags[signal]);
    const codes = details.network.map(({ code }) => code).filter((code) => /^ip_(on|in)_/.test(code));
    return raised.length + codes.length > 0 ? [`${ip} ${[...raised, ...codes].join(' ')}`] : [];
  });
}

function print(): void {
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
  console.log(`sessions of ${at.toISOString().slice(0, 10)}`);
  for (const { name, dataVersion } of network.status().filter((source) => source.name.startsWith('feed:')))
    console.log(`${name} of ${dataVersion}`);
  printTable(
    ['published by', 'signal', 'addresses', 'flagged', 'score ≥ .3', 'by a list', 'any flag'],
    published.map((each) => [
      each.name,
      each.signal,
      String(each.addresses),
      percent(each.flagged),
      percent(each.suspected),
      percent(each.byList),
      percent(each.anyHiding),
    ]),
  );
  printTable(
    ['home and mobile networks', 'addresses', 'alarms'],
    honest.map(({ name, addresses, alarms }) => [name, String(addresses), String(alarms.length)]),
  );
  for (const alarm of honest.flatMap(({ alarms }) => alarms).slice(0, 10)) console.log(`  ${alarm}`);
  mkdirSync(RESULTS, { recursive: true });
  const report = { at, lists: values.lists ?? !values['no-lists'], published, honest };
  writeFileSync(new URL('network-coverage.json', RESULTS), `${JSON.stringify(report, null, 2)}\n`);
  if (honest[0]!.alarms.length > 0) process.exitCode = 1;
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadDomainLists } from '@vouchgraph/email/domain-lists';
import { formatIp } from '@vouchgraph/platform/ip/ip-number';
import { openNetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import { comparePlaces } from './support/networks/compare-places.ts';
import { RESULTS } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { createRandom, type Random } from './support/signals/random.ts';
import { randomIpv4, randomIpv6 } from './support/signals/random-addresses.ts';
import { median } from './support/statistics.ts';

/*
 * Full records of addresses that one core looks up per second, with lists of an operator, and the memory of all
 * data, which is the whole process after loading it. Every pass uses new addresses, so that nothing comes from
 * a cache of records. `--compare 1000000` then looks up as many addresses in each location database, as the
 * gateway does and with the package's in-memory reader, and fails on differences.
 */
const MIN_LOOKUPS_PER_SECOND = 100_000;
const MAX_RESIDENT_MB = 200;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    compare: { type: 'string' },
  },
});
const seconds = Number(values.seconds ?? (values.quick ? 2 : 10));
if (!(seconds > 0)) throw new Error(`${JSON.stringify(values.seconds)} is not a positive number`);
const ADDRESSES_PER_PASS = 50_000;

const folder = mkdtempSync(path.join(tmpdir(), 'vouchgraph-bench-network-'));
// In another process: memory that their generation leaves is not part of the data.
execFileSync(process.execPath, [
  fileURLToPath(import.meta.resolve('./support/signals/write-feeds.ts')),
  folder,
]);
const emptyMb = residentMb();
const startedAt = performance.now();
const network = await openNetworkIntelligence({ feedsDir: folder });
const networkMs = performance.now() - startedAt;
const networkMb = residentMb();
loadDomainLists();
const loadMs = performance.now() - startedAt;
const loadedMb = residentMb();
checkKnownAddresses();
const speed = measure(createRandom(20_261_121));
const afterMb = residentMb();
const ranges = network
  .status()
  .reduce((sum, { name, entries = 0 }) => sum + (name.startsWith('feed:') ? entries : 0), 0);
network.close();
rmSync(folder, { recursive: true });
report();
if (values.compare !== undefined && comparePlaces(Number(values.compare), 20_261_124) > 0) {
  console.error('the readers differ');
  process.exitCode = 1;
}

/** Megabytes of the process in memory after garbage collection. */
function residentMb(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss() / 1024 / 1024;
}

/** Public addresses as text, each once: three of IPv4 to one of IPv6. */
function addresses(count: number, random: Random): string[] {
  const texts = new Set<string>();
  while (texts.size < count)
    texts.add(formatIp(random.chance(0.25) ? randomIpv6(random) : randomIpv4(random)));
  return [...texts];
}

/** A fast wrong result has no value. */
function checkKnownAddresses(): void {
  const facts = (ip: string) => network.lookup(ip);
  const kindsOf = (ip: string) => facts(ip).feeds.map(({ kind }) => kind);
  const isRight = {
    'Google by its number and country': facts('8.8.8.8').asn === 15169,
    'a country': facts('90.54.1.1').location.countryCode === 'FR',
    'a city and its time zone': facts('172.56.20.10').location.timezone === 'America/Chicago',
    'a mobile network': facts('172.56.20.10').connectionType === 'mobile',
    'an IPv6 network': facts('2606:4700::1').asn === 13335,
    'a VPN list': kindsOf('198.41.0.4').includes('vpn'),
    'a Tor list by IPv6': kindsOf('2001:500:2::c').includes('tor'),
    'a relay list': facts('172.224.226.5').connectionType === 'private_relay',
    'a private address': facts('192.168.1.1').bogon,
  };
  const wrong = Object.entries(isRight).filter(([, right]) => !right);
  if (wrong.length > 0) throw new Error(`wrong answers: ${wrong.map(([what]) => what).join(', ')}`);
}

type Speed = { lookups: number; perSecond: number; fastest: number; slowest: number; known: Shares };
type Shares = { network: number; city: number; listed: number };

/** Passes over new addresses, by processor time, so that other programs on the machine do not count. */
function measure(random: Random): Speed {
  const known = shares(addresses(ADDRESSES_PER_PASS, random));
  const rates: number[] = [];
  let lookups = 0;
  for (const until = performance.now() + seconds * 1000; performance.now() < until || rates.length < 3; ) {
    const texts = addresses(ADDRESSES_PER_PASS, random);
    const before = process.threadCpuUsage();
    lookUpAll(texts);
    const { user, system } = process.threadCpuUsage(before);
    rates.push((texts.length / (user + system)) * 1_000_000);
    lookups += texts.length;
  }
  return {
    lookups,
    perSecond: median(rates),
    fastest: Math.max(...rates),
    slowest: Math.min(...rates),
    known,
  };
}

function lookUpAll(texts: readonly string[]): void {
  for (const text of texts) network.lookup(text);
}

/** Share of addresses with known facts: looking up nothing would be fast. */
function shares(texts: readonly string[]): Shares {
  const known = { network: 0, city: 0, listed: 0 };
  for (const text of texts) {
    const { asn, location, feeds } = network.lookup(text);
    if (asn !== null) known.network++;
    if (location.city !== '') known.city++;
    if (feeds.length > 0) known.listed++;
  }
  const share = (count: number) => count / texts.length;
  return { network: share(known.network), city: share(known.city), listed: share(known.listed) };
}

function report(): void {
  const { perSecond, fastest, slowest, lookups, known } = speed;
  const mb = (value: number) => `${value.toFixed(0)} MB`;
  const rate = (value: number) => `${(value / 1000).toFixed(0)}k/s`;
  printTable(
    ['figure', 'value', 'range', 'bar'],
    [
      [
        'look-ups per core',
        rate(perSecond),
        `${rate(slowest)}..${rate(fastest)}`,
        `≥ ${rate(MIN_LOOKUPS_PER_SECOND)}`,
      ],
      [
        'memory of all data',
        mb(loadedMb),
        `${mb(emptyMb)} before, ${mb(afterMb)} after`,
        `≤ ${mb(MAX_RESIDENT_MB)}`,
      ],
      ['of that the mail lists', mb(loadedMb - networkMb), '', ''],
      ['time to load', `${loadMs.toFixed(0)} ms`, `${networkMs.toFixed(0)} ms without mail lists`, ''],
    ],
  );
  const share = (value: number) => `${(value * 100).toFixed(0)} %`;
  console.log(
    `\n${lookups} look-ups in passes of ${ADDRESSES_PER_PASS} new addresses, ${ranges} ranges of lists; known of ${share(known.network)} a network, of ${share(known.city)} a city, ${share(known.listed)} on a list`,
  );
  const machine = describeMachine();
  console.log(machine);
  const memory = { emptyMb, networkMb, loadedMb, afterMb };
  const bars = { MIN_LOOKUPS_PER_SECOND, MAX_RESIDENT_MB };
  const result = {
    name: 'network',
    machine,
    addressesPerPass: ADDRESSES_PER_PASS,
    ranges,
    ...speed,
    loadMs,
    networkMs,
    memory,
    bars,
  };
  mkdirSync(RESULTS, { recursive: true });
  const file = new URL('network.json', RESULTS);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`written to ${file.pathname}`);
  if (perSecond < MIN_LOOKUPS_PER_SECOND || loadedMb > MAX_RESIDENT_MB) {
    console.error('below the bars');
    process.exitCode = 1;
  }
}

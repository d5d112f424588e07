import { continentOf, isCountryCode } from '@vouchgraph/platform/countries';
import { Reader, type Response } from 'maxmind';
import { coordinatesOf } from '../../geo/coordinates.ts';
import type { IpLocation } from '../../network/ip-location.ts';
import { type EntryTag, PLAIN_TAG } from '../feed-content.ts';
import type { FeedKind } from '../feed-match.ts';

/** A database that is queried directly, instead of ranges. */
export type MmdbContent = {
  /** Entry of an address for the feed's kind; null without one. */
  tagOf(ip: string): EntryTag | null;
  /** When it was built, YYYY-MM-DD. */
  builtOn: string;
  nodes: number;
};

type AnonymousIp = {
  is_anonymous_vpn?: boolean;
  is_hosting_provider?: boolean;
  is_public_proxy?: boolean;
  is_residential_proxy?: boolean;
  is_tor_exit_node?: boolean;
  anonymizer_confidence?: number;
  provider_name?: string;
};
type ConnectionTypeRecord = { connection_type?: string };
type CityRecord = {
  city?: { names?: { en?: string } } | string;
  continent?: { code?: string };
  country?: { iso_code?: string };
  country_code?: string;
  location?: { latitude?: number; longitude?: number; time_zone?: string };
  postal?: { code?: string };
  subdivisions?: { names?: { en?: string } }[];
};

/**
 * Reads a MaxMind database: Anonymous-IP and Anonymous-Plus for vpn, tor, proxy and datacenter, Connection-Type for
 * cellular and satellite, a city database for location. One file may be mounted under several kinds.
 */
export function openMmdb(file: Buffer, kind: FeedKind): MmdbContent {
  const reader = readerOf(file);
  const read = READERS[kind];
  if (!read) throw new Error(`a MaxMind database has no data on ${kind} addresses`);
  checkType(reader.metadata, kind);
  const { ipVersion } = reader.metadata;
  probe(reader);
  return {
    tagOf(ip) {
      // A database of only IPv4 would read the first bits of an IPv6 address as an IPv4 address.
      if (ipVersion === 4 && ip.includes(':')) return null;
      const record = recordOf(reader, ip);
      return record && read(record);
    },
    builtOn: reader.metadata.buildEpoch.toISOString().slice(0, 10),
    nodes: reader.metadata.nodeCount,
  };
}

/** A truncated or damaged file can be opened: addresses that it cannot resolve are unknown. */
function recordOf(reader: Reader<Response>, ip: string): Response | null {
  try {
    return reader.get(ip);
  } catch {
    return null;
  }
}

/** Reads in every part of the address space, so that a damaged file is refused when it is mounted. */
function probe(reader: Reader<Response>): void {
  try {
    for (let first = 1; first < 224; first++) reader.get(`${first}.${(first * 37) % 256}.1.1`);
  } catch {
    throw new Error('the database is damaged');
  }
}

function readerOf(file: Buffer): Reader<Response> {
  try {
    return new Reader<Response>(file);
  } catch {
    throw new Error('the file is not a MaxMind database');
  }
}

const TYPES: Partial<Record<FeedKind, RegExp>> = {
  vpn: /anonymous/i,
  tor: /anonymous/i,
  proxy: /anonymous/i,
  datacenter: /anonymous/i,
  cellular: /connection/i,
  satellite: /connection/i,
  location: /city|enterprise/i,
};

/** A database of another type would contain no address, which would look as if none were listed. */
function checkType({ databaseType }: { databaseType: string }, kind: FeedKind): void {
  if (TYPES[kind]?.test(databaseType)) return;
  throw new Error(`a database of the type ${JSON.stringify(databaseType)} has no data on ${kind} addresses`);
}

type Read = (record: Response) => EntryTag | null;

const READERS: Partial<Record<FeedKind, Read>> = {
  vpn: anonymous(({ is_anonymous_vpn }) => is_anonymous_vpn === true),
  tor: anonymous(({ is_tor_exit_node }) => is_tor_exit_node === true),
  proxy: anonymous((record) => record.is_public_proxy === true || record.is_residential_proxy === true),
  datacenter: anonymous(({ is_hosting_provider }) => is_hosting_provider === true),
  cellular: connection('Cellular'),
  satellite: connection('Satellite'),
  location: (record) => {
    const location = locationOf(record as CityRecord);
    return location && { ...PLAIN_TAG, location };
  },
};

/** Anonymous-Plus contains a confidence in percent, also that of residential proxies. */
function anonymous(holds: (record: AnonymousIp) => boolean): Read {
  return (raw) => {
    const record = raw as AnonymousIp;
    if (!holds(record)) return null;
    const percent = record.anonymizer_confidence;
    return {
      provider: record.provider_name ?? '',
      confidence: typeof percent === 'number' ? Math.min(Math.max(percent / 100, 0), 1) : null,
      location: null,
    };
  };
}

function connection(type: string): Read {
  return (record) => ((record as ConnectionTypeRecord).connection_type === type ? PLAIN_TAG : null);
}

/** GeoIP2 and GeoLite2 City; DB-IP's own databases name their fields alike. */
function locationOf(record: CityRecord): Partial<IpLocation> | null {
  const countryCode = record.country?.iso_code ?? record.country_code ?? '';
  if (!isCountryCode(countryCode)) return null;
  const { latitude, longitude, time_zone } = record.location ?? {};
  const point = coordinatesOf({ latitude: degrees(latitude), longitude: degrees(longitude) });
  const city = typeof record.city === 'string' ? record.city : record.city?.names?.en;
  return {
    countryCode,
    continent: continentOf(countryCode),
    ...(city ? { city } : {}),
    ...(record.subdivisions?.[0]?.names?.en ? { state: record.subdivisions[0].names.en } : {}),
    ...(record.postal?.code ? { zipCode: record.postal.code } : {}),
    ...(time_zone ? { timezone: time_zone } : {}),
    ...point,
  };
}

const degrees = (value: unknown): number | null =>
  typeof value === 'number' && !Number.isNaN(value) ? value : null;

import { parseDocument, records } from '../formats/json-document.ts';
import { createListCollector, type ListCollector, type PublishedList } from './published-list.ts';

/*
 * Server lists as VPN providers publish them. Each parser throws one line when the file is of another kind, and counts a
 * server without any address by its host name.
 */

type Fields = Record<string, unknown>;

/** The end of the year 9999 as a UNIX time: a later one, such as one in milliseconds, is no date. */
const MAX_SECONDS = 253_402_300_799;

/** NordVPN's servers: the array of `/v1/servers`, the object of `/v2/servers`, or the older `/server`. */
export function parseNordServers(text: string): PublishedList {
  const document = parseJson(text);
  const servers = records(Array.isArray(document) ? document : document.servers);
  requireServers(servers, 'servers', "NordVPN's server list");
  const collector = createListCollector();
  for (const [index, server] of servers.entries()) {
    const listed = records(server.ips).map(({ ip }) => (ip as Fields | null)?.ip);
    addServer(
      collector,
      index + 1,
      [server.station, server.ipv6_station, server.ip_address, ...listed],
      server.hostname ?? server.domain,
    );
  }
  collector.list.date = newestDate(servers.map((server) => server.updated_at));
  return collector.list;
}

/** Proton VPN's logical servers: entry and exit addresses of each. */
export function parseProtonLogicals(text: string): PublishedList {
  const logicals = records(parseDocument(text).LogicalServers);
  requireServers(logicals, 'LogicalServers', "Proton VPN's logicals");
  const collector = createListCollector();
  for (const [index, logical] of logicals.entries()) {
    for (const server of records(logical.Servers)) {
      const { EntryIP, ExitIP, EntryIPv6, ExitIPv6, Domain } = server;
      addServer(collector, index + 1, [EntryIP, ExitIP, EntryIPv6, ExitIPv6], Domain ?? logical.Domain);
    }
  }
  return collector.list;
}

/** Mullvad's relays: the array of `/www/relays/all/`, the app's `/app/v1/relays`, or `/public/relays/wireguard/v1`. */
export function parseMullvadRelays(text: string): PublishedList {
  const document = parseJson(text);
  const relays = Array.isArray(document)
    ? records(document)
    : [...appRelays(document), ...countryRelays(document)];
  requireServers(relays, 'relays', "Mullvad's relay list");
  const collector = createListCollector();
  for (const [index, relay] of relays.entries())
    addServer(collector, index + 1, [relay.ipv4_addr_in, relay.ipv6_addr_in], relay.fqdn ?? relay.hostname);
  return collector.list;
}

function appRelays(document: Fields): Fields[] {
  return ['openvpn', 'wireguard', 'bridge'].flatMap((kind) =>
    records((document[kind] as Fields | undefined)?.relays),
  );
}

function countryRelays(document: Fields): Fields[] {
  return records(document.countries).flatMap(({ cities }) =>
    records(cities).flatMap(({ relays }) => records(relays)),
  );
}

/** Private Internet Access: the JSON of `/vpninfo/servers/v6` and `v7`, followed by a signature. */
export function parsePiaServers(text: string): PublishedList {
  const end = text.lastIndexOf('}');
  const regions = records(parseDocument(text.slice(0, end + 1)).regions);
  requireServers(regions, 'regions', "PIA's server list");
  const collector = createListCollector();
  for (const [index, region] of regions.entries()) {
    const groups = Object.values((region.servers ?? {}) as Fields).flatMap(records);
    if (groups.length === 0) addServer(collector, index + 1, [], region.dns);
    for (const { ip, cn } of groups) addServer(collector, index + 1, [ip], cn);
  }
  return collector.list;
}

/** Gluetun's servers.json, with one object per provider, or the file of one provider. */
export function parseGluetunServers(text: string): PublishedList {
  const document = parseDocument(text);
  const groups = Object.entries('servers' in document ? { '': document } : document).filter(
    (entry): entry is [string, Fields] => Array.isArray((entry[1] as Fields | null)?.servers),
  );
  requireServers(groups, 'servers', "gluetun's server list");
  const collector = createListCollector();
  for (const [provider, { servers }] of groups) {
    for (const [index, server] of records(servers).entries()) {
      const ips = Array.isArray(server.ips) ? server.ips : [];
      addServer(collector, index + 1, ips, server.hostname, provider);
    }
  }
  const stamps = groups
    .map(([, { timestamp }]) => Number(timestamp))
    .filter((seconds) => seconds > 0 && seconds <= MAX_SECONDS);
  // The oldest part determines the date of the whole.
  if (stamps.length > 0) collector.list.date = dayOf(Math.min(...stamps));
  return collector.list;
}

function addServer(
  { add, bad }: ListCollector,
  at: number,
  addresses: readonly unknown[],
  hostName: unknown,
  provider = '',
): void {
  const known = addresses.filter((each): each is string => typeof each === 'string' && each !== '');
  for (const address of known) add(at, address, provider);
  if (known.length > 0) return;
  if (typeof hostName === 'string' && hostName !== '') add(at, hostName, provider);
  else bad(at, 'a server without an address');
}

function parseJson(text: string): Fields | unknown[] {
  return text.trimStart().startsWith('[')
    ? (parseDocument(`{"list":${text}}`).list as unknown[])
    : parseDocument(text);
}

function requireServers(servers: readonly unknown[], field: string, what: string): void {
  if (servers.length === 0) throw new Error(`the file has no ${field}: expected ${what}`);
}

function newestDate(values: readonly unknown[]): string | null {
  const dates = values.flatMap((value) =>
    typeof value === 'string' ? (/^\d{4}-\d{2}-\d{2}/.exec(value)?.[0] ?? []) : [],
  );
  return dates.length === 0 ? null : dates.reduce((a, b) => (a > b ? a : b));
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

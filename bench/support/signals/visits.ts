import type { NetworkFacts } from '@vouchgraph/signals';
import type { BrowserModel } from './browser-models.ts';
import type { Device } from './device.ts';
import type { Behavior } from './habits.ts';
import { kmBetween, type Place, placeOf } from './people.ts';
import type { Random } from './random.ts';
import type { Listing, SessionCase, Visit } from './session-case.ts';

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Location of the operator's proxy that measures round trips: Frankfurt. */
export const EDGE_POSITION = { latitude: 50.11, longitude: 8.68 };
const EDGE_PLACE: Place = { countryCode: 'DE', timezone: 'Europe/Berlin', ...EDGE_POSITION };

/** Half of the operators have a proxy that sends facts of the connection. */
const EDGE_SHARE = 0.5;

/** An instant of the months before the data was made. */
export function drawTime(random: Random): Date {
  return new Date(Date.UTC(2026, 0, 1) + random.whole(0, 320 * 24 * 60) * MINUTE_MS);
}

export const before = (at: Date, milliseconds: number) => new Date(at.getTime() - milliseconds);

/** Route of the connection to the service. */
export type Path = {
  /** Location of the machine that opened the TCP connection, and that of the device behind it. */
  exit: Place;
  device: Place;
  /** Whether the exit keeps the packets of the client: a tunnel forwards them, a proxy creates new ones. */
  ownPackets: boolean;
  /** Milliseconds of the access line. */
  accessMs: number;
  ja4: string;
};

/** Headers of the operator's proxy: TLS fingerprint, round trip and time to live. */
export function edgeOf(path: Path, model: BrowserModel | null, random: Random) {
  const rttMs = (a: Place, b: Place) => (kmBetween(a, b) / 100) * random.between(1.35, 2.3);
  const tcpMs =
    2 +
    rttMs(EDGE_PLACE, path.exit) +
    (path.ownPackets ? path.accessMs + rttMs(path.exit, path.device) : random.between(1, 20));
  const wholeMs = path.ownPackets ? tcpMs : tcpMs + path.accessMs + rttMs(path.exit, path.device);
  const begins = path.ownPackets && model ? model.timeToLive : 64;
  const edge = {
    'x-ja4': path.ja4,
    'x-tcp-rtt-us': String(Math.round(tcpMs * 1000)),
    'x-ip-ttl': String(begins - random.whole(6, 21)),
  };
  return { edge: random.chance(EDGE_SHARE) ? edge : {}, appRttMs: wholeMs + random.between(2, 35) };
}

export type VisitParts = {
  startTime: Date;
  network: NetworkFacts;
  device: Device;
  behavior: Behavior;
  path: Path;
  deviceId: string;
  listings?: Listing[];
};

/** Builds a visit of a page. */
export function webVisit(parts: VisitParts, random: Random): Visit {
  const { device, behavior } = parts;
  const { edge, appRttMs } = edgeOf(parts.path, device.model, random);
  return {
    startTime: parts.startTime,
    network: parts.network,
    laterNetworks: [],
    webrtcNetworks: [],
    input: {
      source: 'web',
      browser: device.browser,
      device: device.device,
      bot: behavior.bot,
      checks: defined({ ...device.checks, ...behavior.checks, app_rtt_ms: appRttMs }),
    },
    headers: device.headers,
    edge,
    device: parts.deviceId,
    listings: parts.listings ?? [],
  };
}

/** JSON has no undefined. */
function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** A direct line from the location of the address. */
export function directPath(place: Place, model: BrowserModel | null, random: Random): Path {
  const accessMs = model?.isPhone ? random.between(18, 70) : random.between(3, 25);
  return { exit: place, device: place, ownPackets: true, accessMs, ja4: model?.ja4 ?? '' };
}

/** Through a machine elsewhere. */
export function pathThrough(
  network: NetworkFacts,
  device: Place,
  model: BrowserModel,
  ownPackets: boolean,
  random: Random,
): Path {
  return { exit: placeOf(network), device, ownPackets, accessMs: random.between(3, 40), ja4: model.ja4 };
}

export const newDeviceId = (random: Random) => random.whole(1, 2 ** 40).toString(36);

/** Number of accounts of a legitimate device in a week: families, sometimes a shop counter. */
function honestAccounts(random: Random): number {
  return random.weighted([
    [1, 84],
    [2, 10],
    [3, 4],
    [4, 1.4],
    [6, 0.6],
  ]);
}

/** A case for a visit, without a history and with only the given signals true. */
export function caseOf(visit: Visit, random: Random, more: Partial<SessionCase> = {}): SessionCase {
  return {
    visit,
    previous: null,
    expectedCountries: [],
    fraud: [],
    accountsOnDevice: honestAccounts(random),
    truth: {},
    ...more,
  };
}

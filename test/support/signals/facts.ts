import { describeUserAgent, type NetworkFacts } from '@vouchgraph/signals';
import { type Checks, parseChecks } from '@vouchgraph/signals/internals/device/checks';
import type {
  HistoryFacts,
  SessionFacts,
  SessionTrace,
} from '@vouchgraph/signals/internals/evidence/evidence';

export const CHROME_ON_WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36';

/** An access network in Texas, with consistent sources, and the values of the test. */
export function networkWith(changes: Partial<NetworkFacts> = {}): NetworkFacts {
  return {
    ip: '172.56.20.10',
    bogon: false,
    asn: 64500,
    serviceProvider: 'Example Networks',
    connectionType: 'isp',
    asnClasses: [],
    classSource: null,
    location: {
      continent: 'NA',
      countryCode: 'US',
      state: 'Texas',
      city: 'Fort Worth',
      zipCode: '',
      timezone: 'America/Chicago',
      latitude: 32.7555,
      longitude: -97.3308,
    },
    countryConfidence: 1,
    countrySources: { city: 'US', registry: 'US' },
    feeds: [],
    ...changes,
  };
}

/** Checks of a page, all missing except those of the test, under their request names. */
export function checksWith(raw: Record<string, unknown> = {}): Checks {
  return parseChecks(raw);
}

type FactChanges = Partial<Omit<SessionFacts, 'ip' | 'ua' | 'browser' | 'device'>> & {
  browser?: Partial<SessionFacts['browser']>;
  device?: Partial<SessionFacts['device']>;
};

/** A session of a legitimate Windows computer in Texas, with the values of the test. */
export function factsWith(changes: FactChanges = {}): SessionFacts {
  const {
    network = networkWith(),
    userAgent = CHROME_ON_WINDOWS,
    browser,
    device,
    startTime,
    ...others
  } = changes;
  return {
    startTime: startTime ?? new Date('2025-06-10T16:35:22.184Z'),
    source: 'web',
    ip: network.ip,
    network,
    laterNetworks: [],
    webrtcNetworks: [],
    userAgent,
    ua: describeUserAgent(userAgent, { touchPoints: device?.touchPoints, platform: browser?.platform }),
    headers: {},
    edge: null,
    browser: {
      language: 'en-US',
      languages: ['en-US'],
      timezone: 'America/Chicago',
      timezoneOffsetMinutes: null,
      platform: 'Win32',
      ...browser,
    },
    device: {
      gpu: '',
      cpuCores: null,
      memory: null,
      screenWidth: null,
      screenHeight: null,
      pixelRatio: null,
      touchPoints: null,
      ...device,
    },
    interaction: null,
    checks: null,
    gps: null,
    mobile: null,
    carrier: null,
    ...others,
  };
}

/** Location of a legitimate session from a home in New York, with the values of the test. */
export function traceWith(changes: Partial<SessionTrace> = {}): SessionTrace {
  return {
    startTime: new Date('2025-06-10T16:00:00.000Z'),
    countryCode: 'US',
    latitude: 40.7128,
    longitude: -74.006,
    radiusKm: 75,
    anonymity: 0,
    connectionType: 'isp',
    device: '',
    bootCount: null,
    uptimeSeconds: null,
    ...changes,
  };
}

/** A first session of an account without expectations, with the values of the test. */
export function historyWith(changes: Partial<HistoryFacts> = {}): HistoryFacts {
  return {
    session: traceWith(),
    previous: null,
    following: null,
    expectedCountries: [],
    fraud: [],
    accountsOnDevice: null,
    ...changes,
  };
}

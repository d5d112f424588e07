import type { SessionFacts } from '../evidence.ts';
import type { NetworkFacts } from '../network-intelligence.ts';
import { describeUserAgent } from '../user-agent.ts';

export const CHROME_ON_WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36';

/** An access network in Texas, both sources agreeing, with what the test says of it. */
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
    ...changes,
  };
}

/** A session of an honest Windows computer in Texas, with what the test says of it. */
export function factsWith(
  changes: {
    network?: NetworkFacts;
    userAgent?: string;
    browser?: Partial<SessionFacts['browser']>;
    startTime?: Date;
  } = {},
): SessionFacts {
  const { network = networkWith(), userAgent = CHROME_ON_WINDOWS, browser, startTime } = changes;
  return {
    startTime: startTime ?? new Date('2025-06-10T16:35:22.184Z'),
    ip: network.ip,
    network,
    userAgent,
    ua: describeUserAgent(userAgent, {}),
    browser: {
      language: 'en-US',
      languages: ['en-US'],
      timezone: 'America/Chicago',
      timezoneOffsetMinutes: null,
      platform: 'Win32',
      ...browser,
    },
    carrier: null,
  };
}

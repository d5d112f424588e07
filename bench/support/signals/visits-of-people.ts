import type { NetworkFacts } from '@vouchgraph/signals';
import { type BrowserName, drawComputer } from './browser-models.ts';
import { type Device, openBrowser } from './device.ts';
import { humanBehavior, withHonestOddities } from './habits.ts';
import { MOBILE_OPERATORS } from './operators.ts';
import { drawPerson, type Person, type Place } from './people.ts';
import type { Random } from './random.ts';
import type { Visit, World } from './session-case.ts';
import { before, DAY_MS, directPath, drawTime, HOUR_MS, newDeviceId, type Path, webVisit } from './visits.ts';

/** Differences from an ordinary visit of the person from home. */
export type VisitWish = {
  person?: Person;
  browser?: BrowserName;
  at?: Date;
  network?: NetworkFacts;
  /** Location of the person and the device; at home by default. */
  place?: Place;
  timezone?: string;
  languages?: readonly string[];
  deviceId?: string;
  path?: (device: Device) => Path;
  change?: (device: Device) => void;
};

/** Names under which browsers still know renamed zones (CLDR keeps the old ones). */
const OLD_NAMES: Readonly<Record<string, string>> = {
  'Asia/Kolkata': 'Asia/Calcutta',
  'Europe/Kyiv': 'Europe/Kiev',
  'America/Argentina/Buenos_Aires': 'America/Buenos_Aires',
  'Asia/Ho_Chi_Minh': 'Asia/Saigon',
  'Asia/Kathmandu': 'Asia/Katmandu',
};

/**
 * A person with their own browser. In three visits of a hundred databases locate the address elsewhere in its
 * country than the person, so that the clock may differ.
 */
export function personVisit({ random, book }: World, wish: VisitWish = {}): Visit {
  const person = wish.person ?? drawPerson(book, random);
  const at = wish.at ?? drawTime(random);
  const network = wish.network ?? person.network;
  const misplaced = wish.place === undefined && random.chance(0.03);
  const place =
    wish.place ?? (misplaced ? drawPerson(book, random, [person.home.countryCode]).home : person.home);
  const zone = wish.timezone ?? place.timezone;
  const name = wish.browser ?? drawComputer(random);
  const settings = { timezone: OLD_NAMES[zone] ?? zone, languages: wish.languages ?? person.languages, at };
  const device = withHonestOddities(openBrowser(name, settings, random), random);
  wish.change?.(device);
  return webVisit(
    {
      startTime: at,
      network,
      device,
      behavior: humanBehavior(random, device.model.isPhone),
      path: wish.path?.(device) ?? directPath(place, device.model, random),
      deviceId: wish.deviceId ?? newDeviceId(random),
    },
    random,
  );
}

/** Six of ten accounts were there in the week before: at home, on the same device or (one in four) another. */
export function visitBefore(world: World, person: Person, visit: Visit, wish: VisitWish = {}): Visit | null {
  const { random } = world;
  if (!random.chance(0.6)) return null;
  return personVisit(world, {
    person,
    at: before(visit.startTime, random.between(0.2 * HOUR_MS, 6.9 * DAY_MS)),
    deviceId: random.chance(0.75) ? visit.device : newDeviceId(random),
    ...wish,
  });
}

/** An address of a mobile operator of the country; carrier-grade NAT locates it anywhere there. */
export function mobileNetwork({ random, book }: World, countryCode: string): NetworkFacts {
  const operators = MOBILE_OPERATORS[countryCode]!;
  const found = book.draw(random, operators, ({ location }) => location.countryCode === countryCode);
  if (!found) throw new Error(`no mobile address in ${countryCode}`);
  return found;
}

/** Position reported by a satellite receiver, within meters. */
export function fixAt(place: Place, random: Random, mock: boolean | null = false) {
  const jitter = () => random.between(-0.02, 0.02);
  return {
    latitude: place.latitude + jitter(),
    longitude: place.longitude + jitter(),
    accuracyM: random.between(4, 60),
    mock,
  };
}

/** Visit by a mobile app on the phone of a person, as reported by its SDK. */
export function appVisit(world: World, wish: VisitWish & { system?: 'ios' | 'android' } = {}): Visit {
  const { random } = world;
  const system =
    wish.system ??
    random.weighted([
      ['android', 60],
      ['ios', 40],
    ] as const);
  const browser = system === 'ios' ? 'safariIphone' : 'chromeAndroid';
  const visit = personVisit(world, { ...wish, browser });
  const { input } = visit;
  const userAgent = system === 'ios' ? 'Example/4.2 CFNetwork/3826.500.131 Darwin/24.5.0' : 'okhttp/4.12.0';
  const attested = random.chance(0.8);
  return {
    ...visit,
    headers: { 'user-agent': userAgent, 'accept-language': visit.headers['accept-language']! },
    edge: {},
    input: {
      source: system,
      browser: {
        language: input.browser!.language,
        languages: input.browser!.languages,
        timezone: input.browser!.timezone,
        timezoneOffsetMinutes: input.browser!.timezoneOffsetMinutes,
      },
      device: { ...input.device, gpu: null },
      bot: input.bot,
      checks: {
        root_indicators: [],
        emulator_indicators: [],
        hook_indicators: [],
        app_signature_valid: true,
        repeated_fixes: random.whole(0, 2),
        timezone: input.browser!.timezone,
        timezone_offset_minutes: input.browser!.timezoneOffsetMinutes,
      },
      mobile: {
        model: system === 'ios' ? 'iPhone15,4' : random.pick(['SM-S911B', 'Pixel 8', 'M2101K6G', 'CPH2451']),
        bootCount: system === 'android' ? random.whole(20, 400) : null,
        uptimeSeconds: random.whole(3600, 10 * 86_400),
        integrity: attested ? integrityOf(system, random) : null,
      },
    },
  };
}

/** One legitimate Android phone in forty runs an uncertified system. */
function integrityOf(system: 'ios' | 'android', random: Random) {
  if (system === 'ios') return { provider: 'app_attest' as const, verdict: 'valid', verdicts: [] };
  const verdicts = random.chance(0.025)
    ? ['MEETS_BASIC_INTEGRITY']
    : [
        'MEETS_BASIC_INTEGRITY',
        'MEETS_DEVICE_INTEGRITY',
        ...(random.chance(0.6) ? ['MEETS_STRONG_INTEGRITY'] : []),
      ];
  return { provider: 'play_integrity' as const, verdict: 'PLAY_RECOGNIZED', verdicts };
}

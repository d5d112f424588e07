import { drawMobileBrowser } from './browser-models.ts';
import { drawPerson, kmBetween, minutesAhead, otherCountry, type Person, placeOf } from './people.ts';
import { type Exit, proxyExit, torExit, vpnExit } from './servers.ts';
import type { SessionCase, SessionKind, Visit, World } from './session-case.ts';
import { before, caseOf, DAY_MS, drawTime, HOUR_MS, pathThrough } from './visits.ts';
import { appVisit, fixAt, mobileNetwork, personVisit, visitBefore } from './visits-of-people.ts';

/** A person behind an exit, with their own clock and languages; WebRTC reveals three of a hundred. */
function behind(world: World, exit: Exit, person: Person, ownPackets: boolean) {
  const { random } = world;
  const visit = personVisit(world, {
    person,
    network: exit.network,
    place: person.home,
    browser: random.chance(0.4) ? drawMobileBrowser(random) : undefined,
    path: ({ model }) => pathThrough(exit.network, person.home, model, ownPackets, random),
  });
  visit.listings = exit.listings;
  if (random.chance(ownPackets ? 0.03 : 0.15)) foundByWebrtc(visit, person);
  return visit;
}

function foundByWebrtc(visit: Visit, { network }: Person): void {
  visit.input.checks!.webrtc_addresses = [network.ip];
  visit.webrtcNetworks = [network];
}

/** Whether the clock shows that the person is not at the exit. */
function clocksDiffer(exit: Exit, person: Person, at: Date): boolean {
  return minutesAhead(placeOf(exit.network).timezone, at) !== minutesAhead(person.home.timezone, at);
}

/** A VPN with an exit in another country: most people do not change their clock. */
function vpnAbroad(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const exit = vpnExit(world, (countryCode) => countryCode !== person.home.countryCode)!;
  const visit = behind(world, exit, person, true);
  return caseOf(visit, random, {
    previous: visitBefore(world, person, visit),
    truth: {
      vpn: true,
      datacenter: exit.isServer,
      locationSpoofing: true,
      deviceNetworkMismatch: clocksDiffer(exit, person, visit.startTime) ? true : null,
      spoofedIp: null,
      proxy: null,
      impossibleTravel: null,
    },
  });
}

/** Tor Browser: a clock on UTC, one size, no images, American English. */
function tor(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const exit = torExit(world);
  const visit = personVisit(world, {
    person,
    network: exit.network,
    place: person.home,
    browser: random.pick(['firefoxWindows', 'firefoxLinux']),
    timezone: 'UTC',
    languages: ['en-US', 'en'],
    path: ({ model }) => pathThrough(exit.network, person.home, model, false, random),
    change: ({ checks, device }) => {
      Object.assign(checks, {
        canvas_blank: true,
        canvas_first: 'ffff',
        canvas_second: 'ffff',
        gpu_renderer: 'Mozilla',
        indexed_db: false,
        service_worker: false,
      });
      Object.assign(device, {
        cpuCores: 2,
        gpu: 'Mozilla',
        screenWidth: 1400,
        screenHeight: 900,
        pixelRatio: 1,
      });
      for (const context of [checks.worker, checks.iframe])
        if (context) Object.assign(context, { cpu_cores: 2 });
      Object.assign(checks, {
        screen_avail_width: 1400,
        screen_avail_height: 900,
        outer_width: 1400,
        outer_height: 900,
        inner_width: 1400,
        inner_height: 900,
      });
    },
  });
  visit.listings = exit.listings;
  return caseOf(visit, random, {
    truth: {
      tor: true,
      datacenter: exit.isServer,
      // The location of the person is unknown, and Tor Browser hides the clock: hiding is not spoofing.
      locationSpoofing: null,
      deviceNetworkMismatch: null,
      spoofedIp: null,
      proxy: null,
      vpn: null,
    },
  });
}

/** A residential or open proxy. Half of its users select an exit in the country that they claim. */
function proxy(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const isNear = random.chance(0.4);
  const exit = proxyExit(world, (code) => (code === person.home.countryCode) === isNear);
  const visit = behind(world, exit, person, false);
  const differs = clocksDiffer(exit, person, visit.startTime);
  return caseOf(visit, random, {
    truth: {
      proxy: true,
      datacenter: exit.isServer,
      locationSpoofing: isNear ? null : true,
      deviceNetworkMismatch: differs ? true : null,
      spoofedIp: null,
      vpn: null,
      impossibleTravel: null,
    },
  });
}

/** A VPN, and a clock, a position or a SIM card far from its exit: at least three hours apart. */
function locationSpoofer(world: World): SessionCase {
  const { random, book } = world;
  for (;;) {
    const person = drawPerson(book, random);
    const exit = vpnExit(world, (countryCode) => countryCode !== person.home.countryCode)!;
    const at = drawTime(random);
    const [there, here] = [placeOf(exit.network).timezone, person.home.timezone].map((zone) =>
      minutesAhead(zone, at),
    );
    if (Math.abs(there! - here!) < 180) continue;
    const isApp = random.chance(0.3);
    const wish = { person, at, network: exit.network, place: person.home };
    const visit = isApp ? appVisit(world, wish) : { ...behind(world, exit, person, true) };
    visit.listings = exit.listings;
    if (isApp) visit.input.carrier = { countryCode: person.home.countryCode };
    if (random.chance(0.2)) visit.input.location = fixAt(person.home, random);
    return caseOf(visit, random, {
      truth: {
        vpn: true,
        datacenter: exit.isServer,
        locationSpoofing: true,
        deviceNetworkMismatch: clocksDiffer(exit, person, visit.startTime) ? true : null,
        spoofedIp: null,
        proxy: null,
      },
    });
  }
}

/** An app with a mock position, reported by the system (80 %) or visible by fixes that never move. */
function spoofedGps(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const pretended = drawPerson(book, random, [
    random.chance(0.5) ? person.home.countryCode : otherCountry(person.home.countryCode, random),
  ]);
  const visit = appVisit(world, {
    person,
    network: mobileNetwork(world, person.home.countryCode),
    place: person.home,
    system: 'android',
  });
  const isReported = random.chance(0.8);
  visit.input.location = fixAt(pretended.home, random, isReported ? true : random.chance(0.5) ? false : null);
  if (!isReported || random.chance(0.6))
    Object.assign(visit.input.checks!, { repeated_fixes: random.whole(6, 40) });
  return caseOf(visit, random, { truth: { locationSpoofing: true, deviceRisk: true } });
}

/** An address with sessions decided Fake, by the same person. */
function fraudAddress(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const onMobile = random.chance(0.12);
  const network = onMobile ? mobileNetwork(world, person.home.countryCode) : person.network;
  const visit = personVisit(world, { person, network, place: person.home });
  const isListed = random.chance(0.25);
  if (isListed) visit.listings = [{ kind: 'fraud', ageDays: random.whole(0, 7) }];
  const sightings = random.whole(isListed ? 0 : 1, 6);
  const fraud = Array.from({ length: sightings }, (_, index) => ({
    at: before(visit.startTime, random.between(0.02, index === 0 ? 12 : 45) * DAY_MS),
    near: index === 0 || random.chance(0.6) ? ('address' as const) : ('subnet' as const),
  }));
  return caseOf(visit, random, { fraud, truth: { recentFraudIp: true } });
}

/** A stolen account: its owner was at home shortly before, the attacker is a continent away on another device. */
function impossibleTraveler(world: World): SessionCase {
  const { random, book } = world;
  const owner = drawPerson(book, random);
  const thief = drawPerson(book, random, [otherCountry(owner.home.countryCode, random)]);
  const visit = personVisit(world, { person: thief });
  const km = kmBetween(owner.home, thief.home);
  // At least twice as fast as an airliner.
  const hours = random.between(0.02, Math.max(0.05, km / 1800));
  const previous = personVisit(world, { person: owner, at: before(visit.startTime, hours * HOUR_MS) });
  return caseOf(visit, random, { previous, truth: { impossibleTravel: km > 700 ? true : null } });
}

/** Claims a foreign address: unroutable, contradicted by WebRTC or by headers, or another in mid-session. */
function spoofedAddress(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const other = drawPerson(book, random, [otherCountry(person.home.countryCode, random)]);
  const way = random.weighted([
    ['unroutable', 30],
    ['webrtc', 35],
    ['moves', 25],
    ['headers', 10],
  ] as const);
  const visit = personVisit(world, { person: { ...person, network: other.network }, place: person.home });
  const unroutable = ['203.0.113.77', '240.1.2.3', '198.51.100.9', '192.0.2.50', '2001:db8::17'];
  if (way === 'unroutable') visit.network = book.lookup(random.pick(unroutable));
  else if (way === 'webrtc') foundByWebrtc(visit, person);
  else if (way === 'moves') visit.laterNetworks = [person.network];
  else visit.headers['x-forwarded-for'] = person.network.ip;
  return caseOf(visit, random, {
    truth: { spoofedIp: true, locationSpoofing: null, deviceNetworkMismatch: null, proxy: null, vpn: null },
  });
}

export const DISHONEST_NETWORK_KINDS: readonly SessionKind[] = [
  {
    name: 'VPN abroad',
    isHonest: false,
    weight: 4,
    make: vpnAbroad,
    describes:
      'An exit in another country, the own clock and languages; 95 % of exits listed, 37 % of them outside VPN companies’ systems.',
  },
  {
    name: 'Tor',
    isHonest: false,
    weight: 3.5,
    make: tor,
    describes:
      'Tor Browser with its hidden clock; 98 % of exits listed, 55 % of them outside the associations’ systems.',
  },
  {
    name: 'proxy',
    isHonest: false,
    weight: 4,
    make: proxy,
    describes: 'A residential (70 %) or open proxy; 85 % listed; new packets at the exit, the own clock.',
  },
  {
    name: 'location spoofer',
    isHonest: false,
    weight: 3.5,
    make: locationSpoofer,
    describes: 'A VPN and a clock at least three hours from its exit; one in five sends its true position.',
  },
  {
    name: 'spoofed GPS',
    isHonest: false,
    weight: 3.5,
    make: spoofedGps,
    describes:
      'Another position from an app; 80 % reported by the system, the others by fixes that never move.',
  },
  {
    name: 'fraud address',
    isHonest: false,
    weight: 3.5,
    make: fraudAddress,
    describes: 'Sessions decided Fake on the address within 12 days; one in eight on a mobile network.',
  },
  {
    name: 'impossible traveler',
    isHonest: false,
    weight: 3.5,
    make: impossibleTraveler,
    describes: 'The owner at home less than half an airliner’s time before, another device far away.',
  },
  {
    name: 'spoofed address',
    isHonest: false,
    weight: 3.5,
    make: spoofedAddress,
    describes: 'An unroutable address, or one that WebRTC, a header or the next request contradicts.',
  },
];

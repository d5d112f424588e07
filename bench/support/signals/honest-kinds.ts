import { type BrowserName, drawMobileBrowser, OPENSSL_JA4 } from './browser-models.ts';
import { setGraphics } from './habits.ts';
import { privacyMinded, relay, vpnAtHome } from './honest-privacy.ts';
import { GATEWAY_OPERATORS, OFFICE_OPERATORS } from './operators.ts';
import { drawPerson, kmBetween, otherCountry, placeOf } from './people.ts';
import type { SessionCase, SessionKind, World } from './session-case.ts';
import { before, caseOf, DAY_MS, drawTime, HOUR_MS, pathThrough } from './visits.ts';
import {
  appVisit,
  fixAt,
  mobileNetwork,
  personVisit,
  type VisitWish,
  visitBefore,
} from './visits-of-people.ts';

function home(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const browser: BrowserName | undefined = random.chance(0.3) ? drawMobileBrowser(random) : undefined;
  const visit = personVisit(world, { person, browser });
  if (random.chance(0.05)) visit.input.location = fixAt(person.home, random);
  return caseOf(visit, random, {
    previous: visitBefore(world, person, visit),
    expectedCountries: random.chance(0.1) ? [person.home.countryCode] : [],
    // Another address of the same block of 256 is on a list, now and then.
    fraud: random.chance(0.02)
      ? [{ at: before(visit.startTime, random.between(0, 80 * DAY_MS)), near: 'subnet' }]
      : [],
  });
}

function mobile(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const network = mobileNetwork(world, person.home.countryCode);
  // Gateways serve a region or the whole country.
  const place = random.chance(0.5) ? placeOf(network) : person.home;
  const wish = { person, network, place };
  const isApp = random.chance(0.4);
  const visit = isApp
    ? appVisit(world, wish)
    : personVisit(world, { ...wish, browser: drawMobileBrowser(random) });
  if (random.chance(0.2)) visit.input.location = fixAt(place, random);
  if (isApp && random.chance(0.7)) visit.input.carrier = { countryCode: person.home.countryCode };
  // Between Wi-Fi at home and the network outside.
  if (place === person.home && random.chance(0.12)) visit.laterNetworks = [person.network];
  return caseOf(visit, random, {
    previous: visitBefore(world, person, visit, place === person.home ? {} : { network, place }),
    fraud: random.chance(0.06)
      ? [
          {
            at: before(visit.startTime, random.between(0, 80 * DAY_MS)),
            near: random.pick(['address', 'subnet']),
          },
        ]
      : [],
  });
}

/** Flew some time before: an hour to the airport, one from it, and 800 km/h between. */
function traveler(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const there = drawPerson(book, random, [otherCountry(person.home.countryCode, random)]);
  const at = drawTime(random);
  // Computers keep the time zone of home unless it is set to follow; phones follow automatically.
  const isMobile = random.chance(0.6);
  const keepsHome = !isMobile && random.chance(0.2);
  const visit = personVisit(world, {
    person,
    at,
    network: there.network,
    place: there.home,
    timezone: keepsHome ? person.home.timezone : there.home.timezone,
    browser: isMobile ? drawMobileBrowser(random) : undefined,
  });
  const travelHours = 2 + kmBetween(person.home, there.home) / 800;
  const previous = personVisit(world, {
    person,
    at: before(at, (travelHours + random.between(1, 90)) * HOUR_MS),
    deviceId: visit.device,
  });
  const isExpectedHome = random.chance(0.03);
  return caseOf(visit, random, {
    previous: random.chance(0.6) ? previous : null,
    expectedCountries: isExpectedHome ? [person.home.countryCode] : [],
    // The operator requested these facts.
    truth: isExpectedHome ? { locationSpoofing: null } : {},
  });
}

/** Abroad with the SIM card of home: most operators route the traffic home, so the address is of home. */
function roaming(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const there = drawPerson(book, random, [otherCountry(person.home.countryCode, random)]);
  const at = drawTime(random);
  const carriedHome = random.chance(0.85);
  const network = mobileNetwork(world, carriedHome ? person.home.countryCode : there.home.countryCode);
  const wish: VisitWish = {
    person,
    at,
    network,
    place: there.home,
    timezone: there.home.timezone,
    path: ({ model }) => pathThrough(network, there.home, model, true, random),
  };
  const isApp = random.chance(0.6);
  const visit = isApp
    ? appVisit(world, wish)
    : personVisit(world, { ...wish, browser: drawMobileBrowser(random) });
  if (isApp && random.chance(0.8)) visit.input.carrier = { countryCode: person.home.countryCode };
  if (random.chance(0.15)) visit.input.location = fixAt(there.home, random);
  return caseOf(visit, random, {
    previous: visitBefore(world, person, visit, {
      at: before(at, random.between(30 * HOUR_MS, 6.9 * DAY_MS)),
    }),
  });
}

/** An office: a line of the company or a carrier, one in five a cloud gateway that inspects the traffic. */
function office(world: World): SessionCase {
  const { random, book } = world;
  const country = random.weighted([
    ['US', 60],
    ['DE', 15],
    ['FR', 10],
    ['GB', 10],
    ['JP', 5],
  ] as const);
  const person = drawPerson(book, random, [country]);
  const throughGateway = random.chance(0.2);
  const inCountry = ({ location }: { location: { countryCode: string } }) => location.countryCode === country;
  const network =
    (throughGateway
      ? book.draw(random, GATEWAY_OPERATORS, inCountry)
      : book.draw(random, OFFICE_OPERATORS[country]!, inCountry)) ?? person.network;
  const egress = placeOf(network);
  // Branches and home offices use the same line; one in seven is elsewhere in the country.
  const place = random.chance(0.15) ? person.home : egress;
  const browser = random.weighted<BrowserName>([
    ['chromeWindows', 55],
    ['edge', 35],
    ['chromeMac', 10],
  ]);
  const readsTraffic = throughGateway ? random.chance(0.7) : random.chance(0.15);
  const visit = personVisit(world, {
    person,
    network,
    place,
    browser,
    path: (device) => ({
      ...pathThrough(network, place, device.model, !(throughGateway || readsTraffic), random),
      ...(readsTraffic ? { ja4: OPENSSL_JA4 } : {}),
    }),
  });
  if (random.chance(throughGateway ? 0.4 : 0.12)) {
    visit.headers.via = throughGateway ? '1.1 zscaler' : '1.1 proxy01.example.com:3128 (squid/6.10)';
    if (random.chance(0.5))
      visit.headers['x-forwarded-for'] =
        `10.${random.whole(0, 255)}.${random.whole(0, 255)}.${random.whole(1, 254)}`;
  }
  return caseOf(visit, random, {
    // People near the line's location live there; the others sometimes used their own line just before.
    previous: visitBefore(
      world,
      person,
      visit,
      place === person.home && random.chance(0.5) ? {} : { network, place },
    ),
    // Whether a cloud gateway is a data center is a matter of definition.
    truth: throughGateway ? { datacenter: null, proxy: null } : {},
  });
}

/** Linux, open tools, many processors, at times a virtual machine. */
function developer(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const visit = personVisit(world, {
    person,
    browser: random.weighted<BrowserName>([
      ['chromeLinux', 60],
      ['firefoxLinux', 25],
      ['chromeMac', 15],
    ]),
    change: (device) => {
      if (random.chance(0.25)) device.checks.debugger_attached = true;
      if (random.chance(0.04))
        setGraphics(
          device,
          'Google Inc. (VMware, Inc.)',
          'ANGLE (VMware, Inc., llvmpipe (LLVM 17.0.6, 256 bits), OpenGL 4.5)',
        );
      if (random.chance(0.2)) device.checks.automation_globals = random.chance(0.5) ? ['window.process'] : [];
      if (random.chance(0.03)) device.headers['accept-language'] = 'en-US,en;q=0.5';
    },
  });
  return caseOf(visit, random, { previous: visitBefore(world, person, visit) });
}

export const HONEST_KINDS: readonly SessionKind[] = [
  {
    name: 'home',
    isHonest: true,
    weight: 15,
    make: home,
    describes:
      'A computer or a phone on a home line; 3 % of addresses placed elsewhere in the country, 5 % send a position.',
  },
  {
    name: 'mobile',
    isHonest: true,
    weight: 10,
    make: mobile,
    describes:
      'A phone behind carrier-grade NAT, placed anywhere in the country; four of ten in an app; one in five sends its position.',
  },
  {
    name: 'traveler',
    isHonest: true,
    weight: 3.5,
    make: traveler,
    describes: 'On a line abroad hours after a flight; a fifth of the computers keep the time of home.',
  },
  {
    name: 'roaming',
    isHonest: true,
    weight: 3.5,
    make: roaming,
    describes: 'Abroad with the SIM card of home; 85 % with an address of home and a clock of abroad.',
  },
  {
    name: 'office',
    isHonest: true,
    weight: 5,
    make: office,
    describes:
      "A company's line or gateway, at times one that reads the traffic; 15 % of its people elsewhere.",
  },
  {
    name: 'relay',
    isHonest: true,
    weight: 3.5,
    make: relay,
    describes: "Safari through a privacy relay; 99 % of its addresses on the operator's list.",
  },
  {
    name: 'privacy-minded',
    isHonest: true,
    weight: 3.5,
    make: privacyMinded,
    describes: 'Brave, Firefox that resists fingerprinting, or an extension that adds noise.',
  },
  {
    name: 'own-country VPN',
    isHonest: true,
    weight: 4,
    make: vpnAtHome,
    describes: 'A VPN with an exit in the own country, everything else honest.',
  },
  {
    name: 'developer',
    isHonest: true,
    weight: 3,
    make: developer,
    describes: 'Linux, open inspector (25 %), a virtual machine (4 %).',
  },
];

import { type BrowserName, drawMobileBrowser } from './browser-models.ts';
import { RELAY_OPERATORS } from './operators.ts';
import { drawPerson, minutesAhead, placeOf } from './people.ts';
import { vpnExit } from './servers.ts';
import type { SessionCase, World } from './session-case.ts';
import { caseOf, pathThrough } from './visits.ts';
import { personVisit, visitBefore } from './visits-of-people.ts';

/** iCloud Private Relay: Safari, a near address of a content delivery network, the region kept. */
export function relay(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const network = book.draw(random, [random.weighted(RELAY_OPERATORS)]) ?? person.network;
  const browser = random.weighted<BrowserName>([
    ['safariIphone', 65],
    ['safariMac', 30],
    ['safariIpad', 5],
  ]);
  const visit = personVisit(world, {
    person,
    network,
    place: person.home,
    browser,
    path: (device) => ({
      ...pathThrough(network, person.home, device.model, false, random),
      exit: person.home,
    }),
  });
  visit.listings = random.chance(0.99)
    ? [
        {
          kind: 'relay',
          ageDays: random.whole(0, 40),
          place: { countryCode: person.home.countryCode, city: person.network.location.city },
        },
      ]
    : [];
  return caseOf(visit, random, {
    previous: visitBefore(world, person, visit),
    truth: { datacenter: null, spoofedIp: null },
  });
}

/** Brave, Firefox with resistFingerprinting, or an extension: noise in images, made-up clocks and sizes. */
export function privacyMinded(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const style = random.weighted([
    ['brave', 50],
    ['resists', 30],
    ['extension', 20],
  ] as const);
  const resists = style === 'resists';
  const visit = personVisit(world, {
    person,
    browser: resists
      ? random.pick(['firefoxWindows', 'firefoxLinux'])
      : random.pick(['chromeWindows', 'chromeMac', 'chromeLinux']),
    // Firefox with resistFingerprinting reports UTC and American English (Mozilla, "Firefox's protection
    // against fingerprinting").
    ...(resists ? { timezone: 'UTC', languages: ['en-US', 'en'] } : {}),
    change: ({ checks, device }) => {
      if (style === 'brave') {
        // Farbling (Brave, "Fingerprinting protections 2.0"): other noise in each session, the same within one.
        Object.assign(checks.features as object, { brave: true, battery: false });
        Object.assign(device, { cpuCores: random.whole(2, 8), memory: random.pick([0.5, 1, 2, 4, 8]) });
        if (random.chance(0.4)) checks.canvas_second = `${checks.canvas_first}f`;
        checks.plugins_count = random.whole(4, 7);
        for (const context of [checks.worker, checks.iframe])
          if (context) Object.assign(context, { cpu_cores: device.cpuCores });
      } else if (resists) {
        Object.assign(checks, {
          canvas_second: 'ffff',
          canvas_first: 'aaaa',
          gpu_renderer: 'Mozilla',
          gpu_vendor: 'Mozilla',
        });
        Object.assign(device, {
          cpuCores: 4,
          gpu: 'Mozilla',
          pixelRatio: 1,
          screenWidth: 1400,
          screenHeight: 900,
        });
        Object.assign(checks, {
          screen_avail_width: 1400,
          screen_avail_height: 900,
          outer_width: 1400,
          outer_height: 900,
          inner_width: 1400,
          inner_height: 900,
        });
        for (const context of [checks.worker, checks.iframe])
          if (context) Object.assign(context, { cpu_cores: 4 });
        if (checks.botd) Object.assign(checks.botd, { webGL: { vendor: 'Mozilla', renderer: 'Mozilla' } });
      } else {
        checks.canvas_second = `${checks.canvas_first}e`;
        checks.non_native = [
          'HTMLCanvasElement.toDataURL',
          'CanvasRenderingContext2D.getImageData',
          'AudioBuffer.getChannelData',
        ];
      }
      if (random.chance(0.5)) checks.storage_quota_bytes = random.between(1e8, 1.2e9);
    },
  });
  return caseOf(visit, random, { previous: visitBefore(world, person, visit) });
}

/** A VPN for privacy, with an exit in the person's own country. */
export function vpnAtHome(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random, ['US', 'GB', 'DE', 'FR', 'NL', 'SE', 'CA', 'AU', 'JP', 'ES', 'IT']);
  const exit = vpnExit(world, (countryCode) => countryCode === person.home.countryCode);
  if (!exit) return vpnAtHome(world);
  const visit = personVisit(world, {
    person,
    network: exit.network,
    place: person.home,
    browser: random.chance(0.4) ? drawMobileBrowser(random) : undefined,
    path: ({ model }) => pathThrough(exit.network, person.home, model, true, random),
  });
  visit.listings = exit.listings;
  const offsets = [person.home, placeOf(exit.network)].map(({ timezone }) =>
    minutesAhead(timezone, visit.startTime),
  );
  return caseOf(visit, random, {
    previous: visitBefore(world, person, visit),
    truth: {
      vpn: true,
      datacenter: exit.isServer,
      spoofedIp: null,
      proxy: null,
      // The country is the person's own, the time zone may not be.
      deviceNetworkMismatch: offsets[0] === offsets[1] ? false : null,
      locationSpoofing: offsets[0] === offsets[1] ? false : null,
    },
  });
}

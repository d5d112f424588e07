import type { BrowserName } from './browser-models.ts';
import { type Device, openBrowser } from './device.ts';
import { humanBehavior, scriptedBehavior } from './habits.ts';
import { drawPerson, placeOf } from './people.ts';
import { proxyExit, server } from './servers.ts';
import type { SessionCase, World } from './session-case.ts';
import { caseOf, directPath, drawTime, newDeviceId, webVisit } from './visits.ts';

/** Software renderers of Chromium on a machine without graphics: vendor and renderer. */
export const SWIFTSHADER = [
  'Google Inc. (Google)',
  'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
] as const;

type Run = {
  name: BrowserName;
  behavior: 'human' | 'scripted';
  onServer: number;
  change: (device: Device) => void;
};

/** An automated browser, on a server or behind a proxy near the claimed location. */
export function driven(world: World, { name, behavior, onServer, change }: Run): SessionCase {
  const { random, book } = world;
  const isServer = random.chance(onServer);
  const person = drawPerson(book, random);
  const proxied = proxyExit(world, (code) => code === person.home.countryCode);
  const exit = isServer ? server(world) : proxied;
  const place = placeOf(exit.network);
  // Automation kits set the clock of the exit's location; without them a server keeps UTC.
  const timezone = isServer && random.chance(0.5) ? 'UTC' : place.timezone;
  const at = drawTime(random);
  const device = openBrowser(
    name,
    { timezone, languages: isServer ? ['en-US', 'en'] : person.languages, at },
    random,
  );
  change(device);
  const visit = webVisit(
    {
      startTime: at,
      network: exit.network,
      device,
      behavior: behavior === 'human' ? humanBehavior(random, false) : scriptedBehavior(random),
      path: { ...directPath(place, device.model, random), ownPackets: isServer },
      deviceId: newDeviceId(random),
      listings: exit.listings,
    },
    random,
  );
  return caseOf(visit, random, {
    accountsOnDevice: random.chance(0.6) ? 1 : random.whole(2, 9),
    truth: {
      bot: true,
      deviceRisk: true,
      datacenter: exit.isServer,
      proxy: isServer ? null : true,
      deviceNetworkMismatch: null,
      locationSpoofing: null,
      spoofedIp: null,
    },
  });
}

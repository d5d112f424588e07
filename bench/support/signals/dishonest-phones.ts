import { drawMobileBrowser } from './browser-models.ts';
import { openBrowser } from './device.ts';
import { driven, SWIFTSHADER } from './driven-browsers.ts';
import { humanBehavior, setGraphics } from './habits.ts';
import { drawPerson } from './people.ts';
import type { SessionCase, Visit, World } from './session-case.ts';
import { caseOf, directPath, drawTime, newDeviceId, webVisit } from './visits.ts';
import { appVisit, mobileNetwork } from './visits-of-people.ts';

/** An app in an emulator (70 %) or a browser in one; one app in twelve hides the traces of the emulator. */
export function emulator(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  if (random.chance(0.3)) {
    const emulated = driven(world, {
      name: 'chromeAndroid',
      behavior: 'human',
      onServer: 0,
      change: (device) => {
        setGraphics(
          device,
          'Google Inc. (Google)',
          random.pick(['Android Emulator OpenGL ES Translator (NVIDIA GeForce GTX 1660)', SWIFTSHADER[1]]),
        );
        device.browser.platform = random.pick(['Linux x86_64', 'Linux i686', 'Linux armv81']);
        Object.assign(device.checks.user_agent_data as object, { model: 'sdk_gphone64_x86_64' });
        for (const context of [device.checks.worker, device.checks.iframe])
          Object.assign(context as object, { platform: device.browser.platform });
      },
    });
    return { ...emulated, truth: { ...emulated.truth, bot: null } };
  }
  const visit = appVisit(world, { person, system: 'android' });
  const hides = random.chance(0.08);
  const { input } = visit;
  if (!hides)
    Object.assign(input.checks!, {
      emulator_indicators: random.pick([
        ['goldfish', 'qemu'],
        ['ranchu'],
        ['com.bluestacks.home'],
        ['nox', 'vbox'],
        ['/dev/qemu_pipe'],
      ]),
    });
  input.mobile = {
    ...input.mobile,
    model: hides ? 'SM-S911B' : random.pick(['sdk_gphone64_x86_64', 'SM-G988N', 'Android SDK built for x86']),
    bootCount: random.whole(1, 4),
    integrity: random.chance(0.8)
      ? {
          provider: 'play_integrity',
          verdict: null,
          verdicts: random.chance(0.3) ? ['MEETS_VIRTUAL_INTEGRITY'] : [],
        }
      : null,
  };
  return caseOf(visit, random, {
    accountsOnDevice: random.whole(1, 8),
    truth: { deviceRisk: true, bot: null },
  });
}

/** A rooted or jailbroken phone; one in ten hides it from the app, not from the attestation. */
export function rooted(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const system = random.weighted([
    ['android', 75],
    ['ios', 25],
  ] as const);
  const network = mobileNetwork(world, person.home.countryCode);
  const visit = appVisit(world, { person, network, place: person.home, system });
  const hides = random.chance(0.1);
  const found =
    system === 'android'
      ? random.pick([
          ['/system/xbin/su'],
          ['com.topjohnwu.magisk'],
          ['su', 'busybox'],
          ['test-keys', 'magisk'],
        ])
      : random.pick([
          ['/Applications/Cydia.app'],
          ['/Applications/Sileo.app', '/var/jb'],
          ['/usr/lib/libsubstrate.dylib'],
        ]);
  if (!hides) Object.assign(visit.input.checks!, { root_indicators: found });
  if (random.chance(0.2))
    Object.assign(visit.input.checks!, {
      hook_indicators: [random.pick(['frida-gadget', 'xposed', 'LSPosed'])],
    });
  if (visit.input.mobile) {
    visit.input.mobile.integrity =
      system === 'ios'
        ? { provider: 'app_attest', verdict: random.chance(0.4) ? 'failed' : 'valid', verdicts: [] }
        : {
            provider: 'play_integrity',
            verdict: 'PLAY_RECOGNIZED',
            verdicts: random.chance(0.8) ? ['MEETS_BASIC_INTEGRITY'] : [],
          };
  }
  return caseOf(visit, random, { truth: { deviceRisk: true } });
}

/** One phone that opens accounts in series, otherwise legitimate. */
export function farm(world: World): SessionCase {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const isApp = random.chance(0.5);
  const visit = isApp ? appVisit(world, { person, system: 'android' }) : pageVisit(world);
  return caseOf(visit, random, { accountsOnDevice: random.whole(9, 60), truth: { deviceRisk: true } });
}

function pageVisit(world: World): Visit {
  const { random, book } = world;
  const person = drawPerson(book, random);
  const at = drawTime(random);
  const device = openBrowser(
    drawMobileBrowser(random),
    { timezone: person.home.timezone, languages: person.languages, at },
    random,
  );
  return webVisit(
    {
      startTime: at,
      network: person.network,
      device,
      behavior: humanBehavior(random, true),
      path: directPath(person.home, device.model, random),
      deviceId: newDeviceId(random),
    },
    random,
  );
}

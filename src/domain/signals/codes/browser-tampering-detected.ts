import type { Checks } from '../checks.ts';
import { noisyOr } from '../combine.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence.ts';
import { DEVICE_WEIGHTS, TAMPERING_CONFIDENCE } from '../weights.ts';

export const browserTamperingDetected = {
  code: 'browser_tampering_detected',
  family: 'device',
  describes:
    'Built-in functions that a script replaced to tell something else than the truth mark a disguise.',
  needs: 'the built-in functions of the page',
  evaluate({ checks }) {
    const signs = checks ? signsOf(checks) : [];
    if (signs.length === 0) return null;
    return deviceEvidence({
      code: 'browser_tampering_detected',
      group: 'tamper',
      weight: DEVICE_WEIGHTS.browserTampering,
      confidence: noisyOr(signs.map(({ confidence }) => confidence)),
      observed: signs.map(({ what }) => what).join(', '),
    });
  },
} satisfies SignalCode;

type Sign = { what: string; confidence: number };

/** What a person's extensions honestly replace: pictures and sounds against tracking, dates of test tools, places. */
const OFTEN_REPLACED =
  /^(HTMLCanvasElement|CanvasRenderingContext2D|WebGL2?RenderingContext|AudioBuffer|Permissions|MediaDevices|Geolocation|HTMLIFrameElement|Function)\./;
/** What identifies the browser or the device, which only a disguise has a reason to replace. */
const IDENTIFYING =
  /^(Navigator|NavigatorUAData|Screen|Date|Intl\.DateTimeFormat)\.(?!mimeTypes|plugins|permissions|maxTouchPoints)/;
/** What says what browser and device it is; others are put there by monitoring and by adapters of old pages. */
const DISGUISING_PROPERTIES: ReadonlySet<string> = new Set([
  'userAgent',
  'appVersion',
  'platform',
  'vendor',
  'productSub',
  'language',
  'languages',
  'webdriver',
  'hardwareConcurrency',
  'deviceMemory',
  'maxTouchPoints',
  'plugins',
  'userAgentData',
]);
/** Put on navigator itself by wallets, password managers and privacy settings. */
const HONEST_PROPERTIES =
  /^(globalPrivacyControl|doNotTrack|brave|wallets?|share|canShare|modelContext|credentials)$/;

function signsOf({ nonNative, navigatorOwnProperties, proxyTraces }: Checks): Sign[] {
  const replaced = nonNative.filter((name) => IDENTIFYING.test(name));
  const others = nonNative.filter((name) => OFTEN_REPLACED.test(name));
  const own = navigatorOwnProperties.filter((name) => DISGUISING_PROPERTIES.has(name));
  const otherOwn = navigatorOwnProperties.filter(
    (name) => !DISGUISING_PROPERTIES.has(name) && !HONEST_PROPERTIES.test(name),
  );
  const behindProxy = proxyTraces.filter((trace) => IDENTIFYING.test(trace) || /^Function\./.test(trace));
  return [
    ...sign(replaced, 'replaced', TAMPERING_CONFIDENCE.identifying),
    ...sign(others, 'replaced', TAMPERING_CONFIDENCE.oftenReplaced),
    ...sign(own, 'on navigator itself', TAMPERING_CONFIDENCE.ownProperty),
    ...sign(otherOwn, 'on navigator itself', TAMPERING_CONFIDENCE.oftenReplaced),
    ...sign(behindProxy, 'behind a proxy', TAMPERING_CONFIDENCE.proxy),
  ];
}

/** Names are told only in the form that built-ins have: the rest is the client's own text. */
function sign(names: readonly string[], how: string, confidence: number): Sign[] {
  if (names.length === 0) return [];
  const shown = names
    .map((name) => /^[\w.]{1,40}/.exec(name)?.[0] ?? '')
    .filter((name) => name !== '')
    .slice(0, 3);
  return [{ what: `${shown.join(' and ')} ${how}`.trim(), confidence }];
}

import type { Finding } from '../automation/finding.ts';
import { BROWSER_TAMPERING_CONFIDENCE } from '../evidence/weights.ts';
import type { Checks } from './checks.ts';
import { pageFinding } from './device-evidence.ts';

type Hidden = Exclude<keyof typeof BROWSER_TAMPERING_CONFIDENCE, 'unnamedFactor'>;

/**
 * Properties that a replaced member hides, by the names of checks. Members that honest pages and extensions replace are
 * omitted: zone.js and core-js `Function.toString`; DuckDuckGo's browsers and JShelter the screen, processors and memory;
 * polyfills and tag managers `Intl`, media devices, frames and the position.
 */
const HIDDEN_BY: Readonly<Record<Hidden, readonly string[]>> = {
  webdriver: ['Navigator.webdriver'],
  identity: [
    'Navigator.userAgent',
    'Navigator.appVersion',
    'Navigator.platform',
    'Navigator.vendor',
    'Navigator.productSub',
    'Navigator.oscpu',
    'Navigator.buildID',
    'Navigator.maxTouchPoints',
    'Navigator.userAgentData',
    'NavigatorUAData.brands',
    'NavigatorUAData.platform',
    'NavigatorUAData.mobile',
    'NavigatorUAData.getHighEntropyValues',
  ],
  languages: ['Navigator.language', 'Navigator.languages'],
  plugins: ['Navigator.plugins', 'Navigator.mimeTypes'],
  clock: ['Date.getTimezoneOffset'],
  renderer: ['WebGLRenderingContext.getParameter', 'WebGL2RenderingContext.getParameter'],
  permissions: ['Permissions.query'],
  drawing: [
    'HTMLCanvasElement.toDataURL',
    'HTMLCanvasElement.getContext',
    'CanvasRenderingContext2D.getImageData',
    'AudioBuffer.getChannelData',
  ],
};

const HIDDEN_BY_MEMBER: ReadonlyMap<string, Hidden> = new Map(
  Object.entries(HIDDEN_BY).flatMap(([hidden, members]) =>
    members.map((member) => [member, hidden as Hidden] as const),
  ),
);

/** From this many on, they are not a script's work but how the engine is made. */
const ENGINE_HABIT = { ownProperties: 10, unnamed: 12 } as const;

/** Every built-in that a script has replaced to hide something. */
export function tamperingFindings(checks: Checks): Finding[] {
  return [
    ...checks.nonNative.flatMap((member) => findingOf(member, `${member} is not native`)),
    ...ownPropertyFindings(checks.navigatorOwnProperties),
    ...proxyFindings(checks.proxyTraces),
  ];
}

/** Browsers of ten years ago, as televisions have them, keep all properties on the object itself. */
function ownPropertyFindings(names: readonly string[]): Finding[] {
  if (names.length >= ENGINE_HABIT.ownProperties) return [];
  return names.flatMap((name) => findingOf(`Navigator.${name}`, `navigator.${name} was put there`));
}

/** Traces have the form `Navigator.platform: takes any object`. */
function proxyFindings(traces: readonly string[]): Finding[] {
  const unnamed = traces.filter((trace) => trace.endsWith(': unnamed'));
  const habits = unnamed.length >= ENGINE_HABIT.unnamed ? new Set(unnamed) : new Set<string>();
  return traces
    .filter((trace) => !habits.has(trace))
    .flatMap((trace) => {
      const member = trace.split(':', 1)[0]!;
      const factor = trace.endsWith(': unnamed') ? BROWSER_TAMPERING_CONFIDENCE.unnamedFactor : 1;
      return findingOf(member, `a Proxy before ${member}`, factor);
    });
}

function findingOf(member: string, observed: string, factor = 1): Finding[] {
  const hidden = HIDDEN_BY_MEMBER.get(member);
  return hidden ? [pageFinding(hidden, BROWSER_TAMPERING_CONFIDENCE[hidden] * factor, observed)] : [];
}

import type { Checks } from '../device/checks.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { HEADLESS_CONFIDENCE } from '../evidence/weights.ts';
import { botdComponents, botdFinds } from './botd-detectors.ts';
import { claimsDesktopChromium } from './claimed-browser.ts';
import type { Finding } from './finding.ts';

type Sign = keyof typeof HEADLESS_CONFIDENCE;

/**
 * Every sign of a browser without a window. Only a Chromium browser on a computer has to have plugins, window.chrome
 * and an outer size: Firefox, Safari, phones and embedded views honestly lack them.
 */
export function headlessFindings(facts: SessionFacts): Finding[] {
  const { checks } = facts;
  const declared = declaredFindings(facts);
  if (!checks || !claimsDesktopChromium(facts)) return declared;
  return [
    ...declared,
    ...sizeFindings(checks),
    ...chromeObjectFindings(checks),
    ...permissionFindings(checks),
    ...rendererFindings(checks),
    ...botdFindings(checks.botd),
  ];
}

const HEADLESS_NAME = /HeadlessChrome|HeadlessEdg|PhantomJS|SlimerJS/;

/** The browser as every context names it: a disguise often omits the hints, the worker or the iframe. */
function declaredFindings({ userAgent, headers, checks }: SessionFacts): Finding[] {
  const places = {
    'user agent': userAgent,
    'client hints header': headers['sec-ch-ua'] ?? '',
    'client hints': (checks?.userAgentData?.brands ?? []).map(({ brand }) => brand).join(),
    worker: checks?.worker?.userAgent ?? '',
    iframe: checks?.iframe?.userAgent ?? '',
    appVersion: typeof checks?.botd?.appVersion === 'string' ? checks.botd.appVersion : '',
  };
  const named = Object.entries(places).filter(([, text]) => HEADLESS_NAME.test(text));
  if (named.length === 0) return [];
  const found = finding('declared', `named headless in ${named.map(([place]) => place).join(', ')}`);
  return [named.some(([place]) => place === 'user agent') ? { ...found, source: 'user_agent' } : found];
}

/** BotD reports whether the tab has the focus (`documentFocus`): then a window without a size is a stronger sign. */
function sizeFindings({ outerWidth, outerHeight, innerWidth, botd }: Checks): Finding[] {
  if (outerWidth !== 0 || outerHeight !== 0 || innerWidth === 0) return [];
  if (botd?.documentFocus === false) return [];
  const sign = botd?.documentFocus === true ? 'noOuterSizeFocused' : 'noOuterSize';
  return [{ ...finding(sign, 'window without an outer size'), sign: 'outer size' }];
}

function chromeObjectFindings({ pluginsCount, hasChromeObject }: Checks): Finding[] {
  const missing: Finding[] = [];
  if (pluginsCount === 0) missing.push(finding('noPlugins', 'no plugins'));
  if (hasChromeObject === false) missing.push(finding('noChromeObject', 'no window.chrome'));
  return missing;
}

/** Headless Chrome denied notifications while the Permissions API did not; with a window both agree. */
function permissionFindings({ notificationPermission, notificationPermissionState }: Checks): Finding[] {
  if (notificationPermission !== 'denied' || notificationPermissionState !== 'prompt') return [];
  return [finding('notificationContradiction', 'notifications denied and not asked at once')];
}

/** The renderer of headless Chrome's first years, also in BotD's rules. */
function rendererFindings({ gpuVendor, gpuRenderer }: Checks): Finding[] {
  if (gpuVendor !== 'Brian Paul' || gpuRenderer !== 'Mesa OffScreen') return [];
  return [finding('offscreenRenderer', 'off-screen renderer')];
}

/** BotD's rules on windows and plugins, each the same sign as the page's own check of it. */
const BOTD_RULES = [
  ['detectPluginsLengthInconsistency', 'noPlugins', 'no plugins'],
  ['detectPluginsArray', 'pluginsReplaced', 'plugins replaced'],
  [
    'detectNotificationPermissions',
    'notificationContradiction',
    'notifications denied and not asked at once',
  ],
  ['detectLanguagesLengthInconsistency', 'noLanguages', 'no languages'],
  ['detectWebGL', 'offscreenRenderer', 'off-screen renderer'],
] as const;

function botdFindings(raw: Checks['botd']): Finding[] {
  if (!raw) return [];
  const components = botdComponents(raw);
  const found = [
    ...BOTD_RULES.filter(([rule]) => botdFinds(rule, components)).map(([, sign, observed]) =>
      finding(sign, observed),
    ),
    ...(botdFinds('detectWindowSize', components)
      ? [{ ...finding('noOuterSizeFocused', 'window without an outer size'), sign: 'outer size' }]
      : []),
  ];
  return found.map((each) => ({ ...each, source: 'botd' }));
}

function finding(sign: Sign, observed: string): Finding {
  return { sign, confidence: HEADLESS_CONFIDENCE[sign], source: 'page_checks', observed };
}

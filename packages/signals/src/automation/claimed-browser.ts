import type { SessionFacts } from '../evidence/evidence.ts';

/** Product tokens of the Chromium browsers that people use on computers. */
const BROWSER_TOKENS: ReadonlySet<string> = new Set([
  'Mozilla',
  'AppleWebKit',
  'Chrome',
  'HeadlessChrome',
  'Chromium',
  'Safari',
  'Edg',
  'OPR',
  'Vivaldi',
  'YaBrowser',
  'Brave',
]);

/** Longer user agents are no browser's, and would take long to parse. */
const MAX_READ_LENGTH = 1024;

/**
 * True when the user agent is that of a Chromium browser on a computer, and of nothing that embeds one: embedded
 * views (Electron, Qt, game launchers) honestly lack plugins and window.chrome, as all browsers do on phones.
 */
export function claimsDesktopChromium({
  ua,
  userAgent,
  browser,
  checks,
}: Pick<SessionFacts, 'ua' | 'userAgent' | 'browser' | 'checks'>): boolean {
  if (ua.deviceCategory !== 'desktop') return false;
  // A phone that requests the desktop page names a computer, and is still a phone.
  const isPhone = /^Linux (arm|aarch64)|^Android/i.test(browser.platform);
  if (isPhone || checks?.userAgentData?.platform === 'Android') return false;
  const products = userAgent
    .slice(0, MAX_READ_LENGTH)
    .replaceAll(/\([^)]*\)/g, ' ')
    .matchAll(/([^\s/]+)\/\S*/g);
  const names = Array.from(products, ([, name]) => name!);
  return (
    names.some((name) => /^(Headless)?Chrom/.test(name)) && names.every((name) => BROWSER_TOKENS.has(name))
  );
}

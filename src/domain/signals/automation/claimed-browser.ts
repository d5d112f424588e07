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

/** Longer ones are no browser's, and would take long to read. */
const LONGEST_READ = 1024;

/**
 * True when the user agent is that of a Chromium browser on a computer, and of nothing that embeds one: embedded
 * views (Electron, Qt, games' launchers) honestly lack plugins and window.chrome, as all do on telephones.
 */
export function claimsDesktopChromium({
  ua,
  userAgent,
  browser,
  checks,
}: Pick<SessionFacts, 'ua' | 'userAgent' | 'browser' | 'checks'>): boolean {
  if (ua.deviceCategory !== 'desktop') return false;
  // A telephone that was asked for the desktop page names a computer, and stays a telephone.
  const isTelephone = /^Linux (arm|aarch64)|^Android/i.test(browser.platform);
  if (isTelephone || checks?.userAgentData?.platform === 'Android') return false;
  const products = userAgent
    .slice(0, LONGEST_READ)
    .replaceAll(/\([^)]*\)/g, ' ')
    .matchAll(/([^\s/]+)\/\S*/g);
  const names = Array.from(products, ([, name]) => name!);
  return (
    names.some((name) => /^(Headless)?Chrom/.test(name)) && names.every((name) => BROWSER_TOKENS.has(name))
  );
}

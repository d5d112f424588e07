/** The engine that a browser is built on. */
export type Engine = 'Blink' | 'Gecko' | 'WebKit';

/**
 * The engine that a user agent stands for. On iOS every browser is WebKit, whatever its name; null for programs,
 * televisions and whatever is neither.
 */
export function claimedEngine(userAgent: string): Engine | null {
  if (/\b(iPhone|iPad|iPod)\b/.test(userAgent)) return 'WebKit';
  if (/\b(Chrome|Chromium|HeadlessChrome)\/\d/.test(userAgent)) return 'Blink';
  if (/\bGecko\/\d/.test(userAgent) && /\bFirefox\/\d/.test(userAgent)) return 'Gecko';
  return /\bVersion\/\d/.test(userAgent) && /\bSafari\/\d/.test(userAgent) ? 'WebKit' : null;
}

/** Major version of Chromium in a user agent; null when it names none. */
export function chromiumMajor(userAgent: string): number | null {
  const match = /\b(?:HeadlessChrome|Chrome|Chromium)\/(\d{1,4})\b/.exec(userAgent);
  return match ? Number(match[1]) : null;
}

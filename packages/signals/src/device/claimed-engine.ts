import { LRUCache } from 'lru-cache';

/** The engine that a browser is built on. */
export type Engine = 'Blink' | 'Gecko' | 'WebKit';

/** Names that browsers have only on iOS. They keep them when they request the desktop page as a Mac. */
const IOS_BROWSER = /\b(?:CriOS|FxiOS|EdgiOS|OPiOS|OPT|GSA|DuckDuckGo|YaApp_iOS)\//;

type Claim = { engine: Engine | null; version: number | null };

/** A session is parsed several times, and a few strings make up most of the traffic. Bounded: clients choose them. */
const CLAIMS = new LRUCache<string, Claim>({ max: 1000 });

/**
 * The engine that a user agent claims; null for programs, old browsers and other engines. On iOS every browser is
 * WebKit, whatever its name.
 */
export function claimedEngine(userAgent: string): Engine | null {
  return claimOf(userAgent).engine;
}

/**
 * The version that a user agent claims for its engine: of Chromium and Firefox the number of the release, of Safari
 * with one digit behind the point. null where it names none that means the engine's.
 */
export function claimedVersion(userAgent: string): number | null {
  return claimOf(userAgent).version;
}

function claimOf(userAgent: string): Claim {
  const cached = CLAIMS.get(userAgent);
  if (cached) return cached;
  const engine = readEngine(userAgent);
  const claim = { engine, version: readVersion(userAgent, engine) };
  CLAIMS.set(userAgent, claim);
  return claim;
}

/** WebKit's own number continued from 600; Blink's stays 537.36. */
function readEngine(userAgent: string): Engine | null {
  // Windows Phone names every phone, and the first Edge named Chrome.
  if (/Windows Phone|\bTrident\/|\bEdge\/\d/.test(userAgent)) return null;
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent)) return 'WebKit';
  if (/\b(?:Headless)?Chrom(?:e|ium)\/\d/.test(userAgent)) return 'Blink';
  if (/\bGecko\/\d/.test(userAgent) && /\bFirefox\/\d/.test(userAgent)) return 'Gecko';
  return /\bAppleWebKit\/6\d\d\b/.test(userAgent) ? 'WebKit' : null;
}

/** Firefox and browsers with the same version numbers; others name an old Firefox next to their own name. */
const FIREFOX = /\bFirefox\/(\d{1,3})(?:\.[\d.]*)?$/;

function readVersion(userAgent: string, engine: Engine | null): number | null {
  if (engine === 'Blink') return numberIn(/\b(?:Headless)?Chrom(?:e|ium)\/(\d{1,4})\b/.exec(userAgent));
  if (engine === 'Gecko') return numberIn(FIREFOX.exec(userAgent));
  if (engine !== 'WebKit' || !/ Safari\/[\d.]+$/.test(userAgent)) return null;
  // The version in the desktop page's user agent of these is an old Safari's, put there for web sites.
  if (IOS_BROWSER.test(userAgent)) return null;
  return numberIn(/\bVersion\/(\d{1,3}(?:\.\d)?)/.exec(userAgent));
}

function numberIn(match: RegExpExecArray | null): number | null {
  return match ? Number(match[1]) : null;
}

import type { UserAgentFacts } from '../device/user-agent.ts';

/*
 * Which software opens a TLS connection so. The middle part of a JA4 fingerprint is a hash of the cipher suites that
 * the client offers, in sorted order (FoxIO, "JA4+ Network Fingerprinting", BSD part): it belongs to the TLS library,
 * outlives versions of the browser, and does not depend on the host or on HTTP/2.
 */

/** Owner of the TLS library. */
export type TlsClient =
  | { kind: 'browser'; family: BrowserFamily }
  | { kind: 'program'; name: string }
  /** A library with its defaults, as many programs and some companies' proxies use it. */
  | { kind: 'library'; name: string };

type BrowserFamily = 'Chromium' | 'Firefox' | 'Safari';

const browser = (family: BrowserFamily): TlsClient => ({ kind: 'browser', family });
const program = (name: string): TlsClient => ({ kind: 'program', name });

/**
 * Hashes of cipher lists. From FoxIO's table (github.com/FoxIO-LLC/ja4, ja4plus-mapping.csv) unless noted otherwise;
 * "measured" are client hellos of the named version, hashed by the specification. GnuTLS is omitted: GNOME Web uses it as
 * well as wget.
 */
const CIPHER_HASHES: Readonly<Record<string, TlsClient>> = {
  '8daaf6152771': browser('Chromium'), // also measured: Chromium 156
  '5b57614c22b0': browser('Firefox'),
  a09f3c656075: browser('Safari'), // Safari 15 to 26, and everything on iOS that uses the system's network stack
  '2802a3db6c62': browser('Safari'), // iOS 14, by the profile of github.com/refraction-networking/utls
  '85036bcba153': program('Python'), // also measured: urllib3 2.7, ssl of Python 3 with OpenSSL 3.0
  c7886603b240: program('Python'),
  a33745022dd6: program('Node.js'), // measured: Node.js 20, https and fetch
  b262b3658495: program('Node.js'), // measured: Node.js 24, https and fetch
  f57a46bbacb6: program('Go'), // Go 1.22 and later, by captures that name Go's net/http
  '9dc949149365': program('Go'),
  e33ad33b3d25: program('Go'),
  cbb2034c60b8: program('Go'),
  '8cdfa2d4673b': program('Go'),
  db35923f8641: program('Java'), // measured: OpenJDK 17
  e8f1e7e78f70: { kind: 'library', name: 'OpenSSL' }, // measured: curl 7.88 with OpenSSL 3.0
};

const JA4 = /^[tqd]\d\d[di]\d{4}[0-9a-z]{2}_([0-9a-f]{12})_[0-9a-f]{12}$/;

/** The software of a JA4 fingerprint; null when it is not one, or not known. */
export function tlsClientOf(ja4: string): TlsClient | null {
  const hash = JA4.exec(ja4.trim().toLowerCase())?.[1];
  return hash !== undefined && Object.hasOwn(CIPHER_HASHES, hash) ? CIPHER_HASHES[hash]! : null;
}

const PERSONAL_DEVICES: readonly string[] = ['desktop', 'mobile', 'tablet'];

/**
 * Owner of the TLS library of the browser in a user agent; null for programs, for browsers of other families, and for
 * consoles, television sets and the like, which have their own libraries.
 */
export function expectedFamily(ua: UserAgentFacts, userAgent: string): BrowserFamily | null {
  if (ua.bot?.strength === 'plain' || !userAgent.startsWith('Mozilla/5.0 ')) return null;
  if (!PERSONAL_DEVICES.includes(ua.deviceCategory)) return null;
  // Whatever its name, a browser on iOS is WebKit with the system's network stack.
  if (/^(iOS|iPadOS)/.test(ua.os) || /\b(CriOS|FxiOS|EdgiOS)\//.test(userAgent)) return 'Safari';
  if (/ (Chrome|Chromium)\/\d/.test(userAgent)) return 'Chromium';
  if (/ Firefox\/\d/.test(userAgent)) return 'Firefox';
  return ua.os.startsWith('macOS') && / Safari\/\d/.test(userAgent) ? 'Safari' : null;
}

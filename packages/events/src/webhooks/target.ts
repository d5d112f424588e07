import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { isLoopback, isTarget } from '@vouchgraph/platform/ip/special-networks';

/*
 * Permitted targets of deliveries. A URL is checked on input, and again at every connection: names can resolve to other
 * addresses at any time, so the address of the connection counts.
 */

const URL_LENGTH = 2000;

export type TargetRules = {
  /** Whether loopback receives events, over http too: in sandbox projects of a gateway without production projects that allows it. */
  readonly allowsLoopback: boolean;
};

/** Suffixes of names of this machine or its own network. */
const INTERNAL_NAMES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
  'onion',
];

/** Why a URL cannot receive events; null if it can. */
export function urlProblem(text: string, rules: TargetRules): string | null {
  // URL parsers drop unprintable characters, and accept a backslash as a slash: the shown URL would differ from the used
  // one.
  if (/[\s\\]|\p{Cc}|\p{Cf}/u.test(text)) return 'must not contain spaces, control characters or backslashes';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'must be a URL such as https://example.com/webhooks';
  // As it is kept and asked for: characters beyond ASCII take several each.
  if (url.href.length > URL_LENGTH)
    return `must be at most ${URL_LENGTH.toLocaleString('en')} characters, percent-encoded`;
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?#]*@/i.test(text))
    return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  const isAllowedLoopback = rules.allowsLoopback && isLoopbackHost(url.hostname);
  if (isAllowedLoopback) return null;
  if (url.protocol !== 'https:')
    return 'must start with https:// (http://localhost only in sandbox projects, with WEBHOOK_ALLOW_LOOPBACK=1 and no production project)';
  return isInternalHost(url.hostname) ? 'must be a public host, not one of a private network' : null;
}

/** A host as URL has it: names in lower case, addresses in their one form, IPv6 in brackets. */
function isInternalHost(hostname: string): boolean {
  const host = plainHost(hostname);
  if (parseIp(host) !== null) return !isPublicAddress(host);
  if (host.includes(':')) return true;
  const isInner = INTERNAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
  return isInner || !host.includes('.') || host.startsWith('.') || host.includes('..');
}

/** `localhost`, or an address of loopback. */
export function isLoopbackHost(hostname: string): boolean {
  const host = plainHost(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host);
}

/** Without the brackets of IPv6, and without dots at the end, which name the same host. */
export function plainHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
    .toLowerCase();
}

export function isLoopbackAddress(address: string): boolean {
  const ip = parseIp(address);
  return ip !== null && isLoopback(ip);
}

/** Whether an address is a host's on the internet, whichever way it is written. */
export function isPublicAddress(address: string): boolean {
  const ip = parseIp(address);
  return ip !== null && isTarget(ip);
}

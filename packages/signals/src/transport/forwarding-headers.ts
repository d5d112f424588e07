import { type IpNumber, isSameAddress, parseIp } from '@vouchgraph/platform/ip/ip-number';

/*
 * Headers that proxies add on the way. They include those of the operator's own proxies, which come last, after the address
 * that the session uses as the client's. Earlier entries existed when the request reached them.
 */

const MAX_READ_LENGTH = 2048;

/** Addresses that the request named before its own: most likely clients of a proxy, or made up. */
export function forwardedClaims(headers: Readonly<Record<string, string>>, client: IpNumber): IpNumber[] {
  return [
    ...claimsBefore(parts(headers['x-forwarded-for'], ','), client),
    ...claimsBefore(parts(headers.forwarded, ',').map(forParameter), client),
  ];
}

function claimsBefore(texts: readonly string[], client: IpNumber): IpNumber[] {
  const addresses = texts.map((text) => parseIp(withoutPort(text)));
  const own = addresses.findLastIndex((address) => address !== null && isSameAddress(address, client));
  return addresses.slice(0, own < 0 ? undefined : own).filter((address) => address !== null);
}

/** The `for` parameter of one element of `Forwarded` (RFC 7239, section 4), '' without one. */
function forParameter(element: string): string {
  const pair = parts(element, ';').find((each) => /^for=/i.test(each));
  return pair?.slice('for='.length).replaceAll('"', '').trim() ?? '';
}

/** `[2001:db8::1]:443` and `192.0.2.1:443` name a port, too. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(text)?.[1];
  return bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

function parts(text: string | undefined, separator: string): string[] {
  return (text ?? '')
    .slice(0, MAX_READ_LENGTH)
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Proxies that people and companies put in front of their browsers, by what they write into `Via`. */
const FORWARD_PROXIES: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ['Squid', /squid/i],
  ['Zscaler', /zscaler/i],
  ['Cisco Web Security', /ironport|\bwsa\b|cisco/i],
  ['Blue Coat', /blue ?coat|proxysg/i],
  ['Forcepoint', /forcepoint|websense/i],
  ['McAfee Web Gateway', /mcafee|mwg|skyhigh/i],
  ['Privoxy', /privoxy/i],
  ['Tinyproxy', /tinyproxy/i],
  ['mitmproxy', /mitmproxy/i],
  ['Polipo', /polipo/i],
];

/** Proxies in front of services, whose `Via` does not come from the client. */
const REVERSE_PROXIES =
  /varnish|cloudfront|google|akamai|fastly|vegur|heroku|fly\.io|caddy|envoy|istio|nginx|traefik|haproxy|kong|azure|apache|vercel|netlify|cloudflare|\balb\b|\belb\b/i;

/** A proxy in `Via` that seems to be the client's: by name when it is known, '' when it is not. Null without any. */
export function clientProxyInVia(via: string | undefined): string | null {
  const hops = parts(via, ',').filter((hop) => !REVERSE_PROXIES.test(hop));
  const known = hops.flatMap((hop) => FORWARD_PROXIES.find(([, pattern]) => pattern.test(hop))?.[0] ?? []);
  if (known.length > 0) return known[0]!;
  return hops.length > 0 ? '' : null;
}

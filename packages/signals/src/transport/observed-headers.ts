/**
 * Headers of the request that creates a session which are stored with it, encrypted, because a code compares them. Edge
 * headers count only when the request came through a trusted proxy.
 */
export const OBSERVED_HEADERS = [
  'user-agent',
  'accept-language',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'via',
  'forwarded',
  'x-forwarded-for',
] as const;

/** What only a trusted proxy can know of the connection. */
export const EDGE_HEADERS = ['x-ja4', 'x-tcp-rtt-us', 'x-ip-ttl'] as const;

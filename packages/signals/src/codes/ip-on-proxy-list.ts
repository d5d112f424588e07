import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { listingOf } from './listed-evidence.ts';

const WEIGHTS = { proxy: 1, locationSpoofing: 0.45 } as const;

export const ipOnProxyList = {
  code: 'ip_on_proxy_list',
  family: 'network',
  describes: 'IP address on a list of proxies.',
  needs: 'lists of proxies with a date. None is included',
  limits:
    'That the owner of the address knows of the proxy: residential proxies run on devices of households.',
  weights: WEIGHTS,
  evaluate({ network, startTime }) {
    const listing = listingOf(network, 'proxy', startTime);
    if (!listing) return null;
    const { confidence, freshness, source, sourceAsOf, observed } = listing;
    return {
      code: 'ip_on_proxy_list',
      family: 'network',
      group: 'proxy_list',
      ...weigh(WEIGHTS, confidence * freshness),
      confidence,
      source,
      sourceAsOf,
      observed,
    };
  },
} satisfies SignalCode;

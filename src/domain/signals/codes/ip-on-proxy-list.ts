import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { PROXY_LIST_WEIGHTS } from '../evidence/weights.ts';
import { listingOf } from './listed-evidence.ts';

export const ipOnProxyList = {
  code: 'ip_on_proxy_list',
  family: 'network',
  describes: 'A proxy lends an address of somebody else, at times of a household that knows nothing of it.',
  needs: 'a list of proxies',
  evaluate({ network, startTime }) {
    const listing = listingOf(network, 'proxy', startTime);
    if (!listing) return null;
    const { confidence, freshness, source, sourceAsOf, observed } = listing;
    return {
      code: 'ip_on_proxy_list',
      family: 'network',
      group: 'proxy_list',
      contributions: weigh(PROXY_LIST_WEIGHTS, confidence * freshness),
      confidence,
      source,
      sourceAsOf,
      observed,
    };
  },
} satisfies SignalCode;

import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { listingOf } from './listed-evidence.ts';

const WEIGHTS = { vpn: 0.15, proxy: 0.1 } as const;

export const ipOnPrivacyRelayList = {
  code: 'ip_on_privacy_relay_list',
  family: 'network',
  describes: 'IP address of a privacy relay, such as iCloud Private Relay.',
  needs: 'lists of relay ranges with a date',
  limits:
    'Fraud. A relay hides the address and keeps the region, and is a common setting, so the contribution is small.',
  weights: WEIGHTS,
  evaluate({ network, startTime }) {
    const listing = listingOf(network, 'relay', startTime);
    if (!listing) return null;
    const { confidence, freshness, source, sourceAsOf, observed } = listing;
    return {
      code: 'ip_on_privacy_relay_list',
      family: 'network',
      group: 'relay_list',
      ...weigh(WEIGHTS, confidence * freshness),
      confidence,
      source,
      sourceAsOf,
      observed,
      factual: true,
    };
  },
} satisfies SignalCode;

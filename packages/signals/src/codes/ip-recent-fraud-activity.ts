import { counts } from '../evidence/combine.ts';
import { type FraudSighting, type HistoryCode, type SignalCode, weigh } from '../evidence/evidence.ts';
import { freshness } from '../evidence/freshness.ts';

const DAY_MS = 86_400_000;

/**
 * Fraud on the same network: `1 − exp(−Σ 2^(−age / half-life) · s)`, s by how near it was; much less where many people
 * share an address.
 */
const RECENT_FRAUD = {
  halfLifeDays: 14,
  address: 1,
  subnet: 0.4,
  sharedNetworkFactor: 0.3,
} as const;

const NAMING = {
  code: 'ip_recent_fraud_activity',
  family: 'network',
  describes:
    'Recent FAKE decisions on sessions from this address or its subnet (/24, IPv6 /56), or address on a ' +
    'fraud list. The weight of a decision halves in 14 days.',
  needs: 'sessions of the project with a FAKE decision; fraud lists with a date',
  limits:
    'That the same person is behind both. Addresses of mobile networks and companies are shared, and count 0.3 times.',
  weights: { recentFraudIp: 1 },
} as const;

/** Fraud that this project decided itself. */
export const ipRecentFraudActivity = {
  ...NAMING,
  evaluate({ session, fraud }) {
    const sightings = fraud.filter(({ at }) => Number.isFinite(at.getTime()));
    if (sightings.length === 0) return null;
    const sharing = sharingFactor(session.connectionType);
    const amount = sightings.reduce((sum, sighting) => sum + worthOf(sighting, session.startTime), 0);
    const weight = 1 - Math.exp(-amount * sharing);
    if (!counts(weight)) return null;
    return {
      code: NAMING.code,
      family: NAMING.family,
      group: 'fraud_history',
      ...weigh({ recentFraudIp: weight }, 1),
      confidence: sharing,
      source: 'earlier_decisions',
      sourceAsOf: null,
      observed: describeSightings(sightings, session.startTime),
    };
  },
} satisfies HistoryCode;

/** Fraud on an operator's list. */
export const ipOnFraudFeed = {
  ...NAMING,
  evaluate({ network, startTime }) {
    const sharing = sharingFactor(network.connectionType);
    const found = network.feeds
      .filter(({ kind }) => kind === 'fraud')
      .map(({ feed, confidence, asOf, halfLifeDays }) => ({
        code: NAMING.code,
        family: NAMING.family,
        group: 'fraud_history' as const,
        ...weigh({ recentFraudIp: confidence }, freshness(asOf, halfLifeDays, startTime) * sharing),
        confidence: confidence * sharing,
        source: `feed:${feed}`,
        sourceAsOf: asOf,
        observed: 'on a list of fraud addresses',
      }));
    return found.length === 0 ? null : found;
  },
} satisfies SignalCode;

/** Many people share one address there; satellite and mobile operators use carrier-grade NAT. */
function sharingFactor(connectionType: string): number {
  const isShared = ['mobile', 'satellite', 'private_relay', 'education', 'business', 'government'].includes(
    connectionType,
  );
  return isShared ? RECENT_FRAUD.sharedNetworkFactor : 1;
}

/** A sighting counts less the older it is, and less when only the subnet is the same. */
function worthOf({ at, near }: FraudSighting, now: Date): number {
  return 2 ** (-ageDays(at, now) / RECENT_FRAUD.halfLifeDays) * RECENT_FRAUD[near];
}

function ageDays(at: Date, now: Date): number {
  return Math.max(0, (now.getTime() - at.getTime()) / DAY_MS);
}

function describeSightings(sightings: readonly FraudSighting[], now: Date): string {
  const onAddress = sightings.filter(({ near }) => near === 'address').length;
  const nearby = sightings.length - onAddress;
  const parts = [
    ...(onAddress > 0 ? [`${countOf(onAddress, 'session')} decided Fake on this address`] : []),
    ...(nearby > 0 ? [`${countOf(nearby, 'session')} decided Fake in its subnet`] : []),
  ];
  const latest = Math.floor(Math.min(...sightings.map(({ at }) => ageDays(at, now))));
  return `${parts.join(' and ')}, the latest ${latest === 0 ? 'today' : `${countOf(latest, 'day')} before`}`;
}

function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

import { describeUserAgent, type NetworkFacts, traceOf } from '@vouchgraph/signals';
import type { FeedMatch } from '@vouchgraph/signals/feed-match';
import {
  assessEvidence,
  evidenceOfHistory,
  evidenceOfSession,
  type SessionAssessment,
} from '@vouchgraph/signals/internals/assessment/assess-session';
import type {
  HistoryFacts,
  SessionFacts,
  SessionTrace,
} from '@vouchgraph/signals/internals/evidence/evidence';
import { FEED_DEFAULTS } from '@vouchgraph/signals/internals/evidence/weights';
import { withFeeds } from '@vouchgraph/signals/internals/network/network-with-feeds';
import { signalFacts } from '@vouchgraph/signals/internals/session/signal-facts';
import type { StoredFacts } from '@vouchgraph/signals/internals/session/stored-facts';
import type { Listing, SessionCase, Visit } from './session-case.ts';
import { DAY_MS, EDGE_POSITION } from './visits.ts';

/** Stored facts of a visit. */
export function storedFacts(visit: Visit): StoredFacts {
  const { input, network, headers, edge, device, laterNetworks } = visit;
  return {
    input,
    observed: {
      ip: network.ip,
      userAgent: headers['user-agent'] ?? '',
      acceptLanguage: headers['accept-language'] ?? '',
      browserId: '',
      device,
      headers,
      edge,
      laterIps: laterNetworks.map(({ ip }) => ip),
    },
  };
}

/** The facts of a visit as computed by the service, with or without the lists of the operator. */
export function factsOf(visit: Visit, stored: StoredFacts, withLists: boolean): SessionFacts {
  const { input, observed } = stored;
  const ua = describeUserAgent(observed.userAgent, {
    touchPoints: input.device?.touchPoints,
    platform: input.browser?.platform ?? undefined,
  });
  const network = withLists ? listedNetwork(visit) : visit.network;
  const { startTime, laterNetworks, webrtcNetworks } = visit;
  return signalFacts(stored, startTime, network, { laterNetworks, webrtcNetworks }, ua, EDGE_POSITION);
}

function listedNetwork({ network, listings, startTime }: Visit): NetworkFacts {
  const matches = listings.map((listing) => matchOf(listing, startTime));
  // The addresses of relays are on lists of VPNs and proxies too; the product removes them there.
  const isRelay = matches.some(({ kind }) => kind === 'relay');
  return withFeeds(
    network,
    isRelay ? matches.filter(({ kind }) => kind !== 'vpn' && kind !== 'proxy') : matches,
  );
}

function matchOf({ kind, ageDays, place }: Listing, at: Date): FeedMatch {
  return {
    feed: `example-${kind}`,
    kind,
    confidence: FEED_DEFAULTS[kind].confidence,
    halfLifeDays: FEED_DEFAULTS[kind].halfLifeDays,
    asOf: new Date(at.getTime() - ageDays * DAY_MS).toISOString().slice(0, 10),
    provider: '',
    ...(place ? { location: place } : {}),
  };
}

/** Scores a session as the service does when it is bound to its account. */
export function scoreCase(each: SessionCase, withLists: boolean): SessionAssessment {
  const facts = factsOf(each.visit, storedFacts(each.visit), withLists);
  return scoreFacts(facts, each, each.previous && traceOfVisit(each.previous, withLists));
}

export function scoreFacts(
  facts: SessionFacts,
  each: SessionCase,
  previous: SessionTrace | null,
): SessionAssessment {
  const evidence = evidenceOfSession(facts);
  const { scores } = assessEvidence(evidence);
  const history: HistoryFacts = {
    session: traceOf(facts, scores, each.visit.device),
    previous,
    following: null,
    expectedCountries: each.expectedCountries,
    fraud: each.fraud,
    accountsOnDevice: each.accountsOnDevice,
  };
  return assessEvidence([...evidence, ...evidenceOfHistory(history)]);
}

/** Stored facts of an earlier visit for comparison. */
export function traceOfVisit(visit: Visit, withLists: boolean): SessionTrace {
  const facts = factsOf(visit, storedFacts(visit), withLists);
  return traceOf(facts, assessEvidence(evidenceOfSession(facts)).scores, visit.device);
}

import { signalFacts } from '../../../src/domain/sessions/signal-facts.ts';
import type { StoredFacts } from '../../../src/domain/sessions/stored-facts.ts';
import {
  assessEvidence,
  evidenceOfHistory,
  evidenceOfSession,
  type SessionAssessment,
} from '../../../src/domain/signals/assess-session.ts';
import type { SessionFacts } from '../../../src/domain/signals/evidence.ts';
import type { FeedKind, FeedMatch } from '../../../src/domain/signals/feeds/feed-match.ts';
import { withFeeds } from '../../../src/domain/signals/network-with-feeds.ts';
import { traceOf } from '../../../src/domain/signals/place.ts';
import { describeUserAgent } from '../../../src/domain/signals/user-agent.ts';
import { FEED_DEFAULTS } from '../../../src/domain/signals/weights.ts';
import type { MadeSession } from './session-kinds.ts';

/** A made session as the service stores it. */
export function storedFactsOf({ network, userAgent, headers, edge, told }: MadeSession): StoredFacts {
  return {
    told,
    observed: {
      ip: network.ip,
      userAgent,
      acceptLanguage: headers['accept-language'] ?? '',
      browserId: '',
      device: '',
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
      edge,
    },
  };
}

/** The facts of a made session, as production makes them; without lists when none are mounted. */
export function factsOf(made: MadeSession, withLists: boolean): SessionFacts {
  const stored = storedFactsOf(made);
  const feeds = withLists ? made.listedAs.map((kind) => matchOf(kind, made.at)) : [];
  const ua = describeUserAgent(made.userAgent, {
    touchPoints: made.told.device?.touchPoints,
    platform: made.told.browser?.platform ?? undefined,
  });
  return signalFacts(
    stored,
    made.at,
    withFeeds(made.network, feeds),
    { laterNetworks: made.laterNetworks ?? [], webrtcNetworks: [] },
    ua,
    null,
  );
}

/** Lists of the day before, as an operator who keeps them up has them. */
function matchOf(kind: FeedKind, at: Date): FeedMatch {
  const asOf = new Date(at.getTime() - 86_400_000).toISOString().slice(0, 10);
  return { feed: `model-${kind}`, kind, ...FEED_DEFAULTS[kind], asOf, provider: '' };
}

/** Scores a made session with the product's own code. */
export function scoreSession(facts: SessionFacts, history: MadeSession['history']): SessionAssessment {
  const evidence = evidenceOfSession(facts);
  const { scores } = assessEvidence(evidence);
  const trace = traceOf(facts, scores, '');
  const past = evidenceOfHistory({
    session: trace,
    previous: null,
    following: null,
    expectedCountries: [],
    fraud: [],
    accountsOnDevice: null,
    ...history,
  });
  return assessEvidence([...evidence, ...past]);
}

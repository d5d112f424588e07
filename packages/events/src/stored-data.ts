import { RISK_SCORE_KEYS, type RiskScoreKey } from '@vouchgraph/signals';
import type { EventFacts } from './catalogue/documented-data.ts';
import type { EventType } from './catalogue/event-type.ts';

/*
 * Facts of events as the outbox stores them: under the names of the domain, without what the row of the event or another fact
 * contains. Scores of risk signals are arrays in the order of RISK_SCORE_KEYS, and raised signals a list of their names. A
 * session or an average with other signals is stored as it is. A stored array that is shorter has no value of the last scores.
 */

/** Number of the stored form, so that a gateway rejects the events of a form that it does not know. */
const FORMAT = 1;

/** Ids of the row of an event. */
type RowIds = { readonly eventId: string; readonly projectId: string; readonly sessionId: string | null };

/** Stored form of the facts of an event. */
export function storedData(type: EventType, facts: EventFacts): Record<string, unknown> {
  if (type === 'session.completed') return { format: FORMAT, ...(compactSession(facts) ?? facts) };
  return { format: FORMAT, ...facts, ...compactParts(type, facts) };
}

/** Facts of an event from their stored form. Throws for an unknown format. */
export function factsOfStored(type: EventType, stored: EventFacts, ids: RowIds): EventFacts {
  const { format, ...data } = stored;
  if (format !== FORMAT) throw new Error(`Event ${ids.eventId} has data of format ${format}`);
  const { accountId, session } = data;
  if (type === 'session.completed') {
    const facts = expandSession(data, ids);
    return accountId === undefined ? facts : { accountId, ...facts };
  }
  // The order of the documented data.
  const first = isCompactSession(session) ? { accountId, sessionId: ids.sessionId } : {};
  return { ...first, ...data, ...expandParts(type, data, ids) };
}

const EMAIL_CHECK: EventType = 'email.intelligence.completed';

/** Parts of facts with another stored form. JSON omits undefined; null keeps the position of an id. */
function compactParts(type: EventType, facts: EventFacts): EventFacts {
  const { eventType, eventMetadata, riskSignalAverage, session } = facts;
  if (eventType === EMAIL_CHECK && type === EMAIL_CHECK) return { projectId: null, eventType: null };
  if (isFacts(eventMetadata)) return { eventMetadata: compactMetadata(eventMetadata, facts) };
  const averages = isFacts(riskSignalAverage) && valuesOf(riskSignalAverage, RISK_SCORE_KEYS, 'number');
  const compact = isFacts(session) && compactSession(session);
  return {
    ...(averages ? { riskSignalAverage: averages } : {}),
    ...(compact ? { sessionId: undefined, session: compact } : {}),
  };
}

/** The inverse of `compactParts`. */
function expandParts(type: EventType, stored: EventFacts, ids: RowIds): EventFacts {
  const { eventType, eventMetadata, riskSignalAverage, session } = stored;
  const { projectId, sessionId } = ids;
  if (eventType === null && type === EMAIL_CHECK) return { projectId, eventType: type };
  if (Array.isArray(eventMetadata)) {
    const [requestId, timestamp] = eventMetadata;
    const { accountId, referringSessionId } = stored;
    return {
      eventMetadata: { projectId, sessionId, accountId, referringSessionId, requestId, timestamp },
    };
  }
  return {
    ...(Array.isArray(riskSignalAverage)
      ? { riskSignalAverage: recordOf(RISK_SCORE_KEYS, riskSignalAverage) }
      : {}),
    ...(isCompactSession(session) ? { session: expandSession(session, ids) } : {}),
  };
}

/** Facts and columns that the metadata of a verification add to its event: request and time. */
function compactMetadata(metadata: EventFacts, facts: EventFacts): unknown {
  const { accountId, referringSessionId, requestId, timestamp } = metadata;
  const isRepeated = accountId === facts.accountId && referringSessionId === facts.referringSessionId;
  return isRepeated && Object.keys(metadata).length === 6 ? [requestId, timestamp] : metadata;
}

/** A session without its ids and its score of location spoofing, which is among its scores; null if it lacks a signal. */
function compactSession(session: EventFacts): EventFacts | null {
  const { projectId: _, sessionId: __, locationSpoofing: ___, ...rest } = session;
  const { riskSignals, riskSignalScores } = session;
  const scores = isFacts(riskSignalScores) && valuesOf(riskSignalScores, RISK_SCORE_KEYS, 'number');
  const signals = isFacts(riskSignals) && valuesOf(riskSignals, RISK_SCORE_KEYS, 'boolean');
  if (!scores || !signals) return null;
  const raised = RISK_SCORE_KEYS.filter((_key, index) => signals[index]);
  return { ...rest, riskSignals: raised, riskSignalScores: scores };
}

const isCompactSession = (session: unknown): session is EventFacts =>
  isFacts(session) && Array.isArray(session.riskSignals);

/** The inverse of `compactSession`; a session that is stored as it is remains the same. */
function expandSession(stored: EventFacts, { projectId, sessionId }: RowIds): EventFacts {
  if (!isCompactSession(stored)) return stored;
  const raised = stored.riskSignals as string[];
  const scores = recordOf(RISK_SCORE_KEYS, stored.riskSignalScores as number[]);
  const known = RISK_SCORE_KEYS.filter((key) => key in scores);
  return {
    projectId,
    sessionId,
    ...stored,
    riskSignals: recordOf(
      known,
      known.map((key) => raised.includes(key)),
    ),
    riskSignalScores: scores,
    locationSpoofing: scores.locationSpoofing,
  };
}

/** The values of exactly these keys; null if the record has others, or values of another type. */
function valuesOf(
  record: EventFacts,
  keys: readonly RiskScoreKey[],
  type: 'number' | 'boolean',
): unknown[] | null {
  const values = keys.map((key) => record[key]);
  const isComplete =
    Object.keys(record).length === keys.length && values.every((value) => typeof value === type);
  return isComplete ? values : null;
}

function recordOf(keys: readonly RiskScoreKey[], values: readonly unknown[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [index, key] of keys.slice(0, values.length).entries()) record[key] = values[index];
  return record;
}

function isFacts(value: unknown): value is EventFacts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

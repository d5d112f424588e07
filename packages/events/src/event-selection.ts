import type { VerificationKind } from '@vouchgraph/decisions';
import { startOfDay } from '@vouchgraph/platform/calendar-date';
import { isUuid } from '@vouchgraph/platform/ids';
import type { EventFacts } from './catalogue/documented-data.ts';
import { definitionOf, EVENT_TYPES, type EventType } from './catalogue/event-type.ts';
import type { TokenScope } from './catalogue/token-scope.ts';
import type { PublicEvent, StoredEvent } from './event.ts';

/** Selection of a project's events. All conditions must match; null matches any value. */
export type EventSelection = {
  readonly types: readonly EventType[] | null;
  /** Id of an account, assigned by the client; for a link, of either account. */
  readonly accountId: string | null;
  readonly sessionId: string | null;
  /** The list that an event of lists is about. */
  readonly listName: string | null;
  /** Kind of the check that an event of a verification is about. */
  readonly checkKind: VerificationKind | null;
  /** Batch that the check of an email belongs to. */
  readonly emailBatchId: string | null;
};

/** Kind of the check that an event is about; null for any other event. */
export function checkKindOf({ type, facts }: Pick<PublicEvent, 'type' | 'facts'>): VerificationKind | null {
  if (type === 'verification.id_check.completed') return 'id';
  if (type === 'verification.face_check.completed') return 'face';
  return type === 'verification.failed' || type === 'verification.reviewed'
    ? (facts.kind as VerificationKind)
    : null;
}

/** Limit of a browser token; a key has no limit and no scopes. */
export type ReaderLimits = {
  readonly accountId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly scopes?: readonly TokenScope[] | undefined;
};

/** Scopes of which a browser token needs one for events of a type; empty: no token reads them. */
export function scopesOfType(type: EventType): readonly TokenScope[] {
  return definitionOf(type).scopes;
}

function isOfScopes(type: EventType, scopes: readonly TokenScope[]): boolean {
  return scopesOfType(type).some((scope) => scopes.includes(scope));
}

const LINK_TYPES: ReadonlySet<EventType> = new Set(['account.linked', 'account.unlinked']);

/**
 * Events that a reader receives of its selection. A selected account or session outside the reader's limit is treated like
 * one that does not exist: no event matches.
 */
export function selectFor(limits: ReaderLimits, asked: EventSelection): EventSelection {
  const { accountId, sessionId, scopes } = limits;
  const selection = {
    ...asked,
    accountId: accountId ?? asked.accountId,
    sessionId: (sessionId ?? asked.sessionId)?.toLowerCase() ?? null,
  };
  const isNever =
    (accountId !== undefined && asked.accountId !== null && asked.accountId !== accountId) ||
    (sessionId !== undefined &&
      asked.sessionId !== null &&
      asked.sessionId.toLowerCase() !== selection.sessionId) ||
    // A viewer limited to one session must not learn its account, not even by trying account ids.
    (sessionId !== undefined && selection.accountId !== null) ||
    (selection.sessionId !== null && !isUuid(selection.sessionId));
  if (isNever) return { ...selection, types: [] };
  if (scopes === undefined) return selection;
  // The session of a link's event can be one of the other account, and the account can be the other one: the event would
  // show that they are linked.
  const isSelected = selection.sessionId !== null || (accountId === undefined && asked.accountId !== null);
  const hidesLinks = isSelected && !seesBothSides(limits);
  const types = (asked.types ?? EVENT_TYPES).filter(
    (type) => isOfScopes(type, scopes) && !(hidesLinks && LINK_TYPES.has(type)),
  );
  return { ...selection, types };
}

/** Whether an event is one of a selection. */
export function selects(selection: EventSelection, event: StoredEvent): boolean {
  const { types, accountId, sessionId, listName, checkKind, emailBatchId } = selection;
  return (
    (types === null || types.includes(event.type)) &&
    (accountId === null || accountId === event.accountId || accountId === event.linkedAccountId) &&
    (sessionId === null || sessionId === event.sessionId) &&
    (listName === null || listName === event.facts.list) &&
    (checkKind === null || checkKind === checkKindOf(event)) &&
    (emailBatchId === null || emailBatchId === event.facts.batchId)
  );
}

/**
 * An event as shown to a reader. A token limited to the second account of a link sees the link from that account: without
 * data of the first account and of the session that created the link. Facts are restricted to those of its scopes.
 */
export function fromOwnSide(limits: ReaderLimits, event: StoredEvent): StoredEvent {
  const turned = isOtherSide(limits, event) ? fromOtherSide(event) : event;
  if (limits.scopes === undefined) return turned;
  const shown = { ...turned, facts: shownFacts(limits, turned) };
  if (seesBothSides(limits)) return shown;
  const createdAt = LINK_TYPES.has(event.type) ? startOfDay(event.createdAt) : event.createdAt;
  // The internal id of the other account remains: its pseudonym is derived from it.
  return { ...shown, createdAt, linkedAccountId: null };
}

/** Only a token of the project that reads accounts sees both accounts of a link. */
function seesBothSides({ accountId, sessionId, scopes }: ReaderLimits): boolean {
  const isOfProject = accountId === undefined && sessionId === undefined;
  return isOfProject && (scopes === undefined || scopes.includes('ACCOUNT'));
}

function isOtherSide({ accountId }: ReaderLimits, event: StoredEvent): boolean {
  return accountId !== undefined && event.accountId !== accountId && event.linkedAccountId === accountId;
}

function fromOtherSide(event: StoredEvent): StoredEvent {
  const { accountId: _, sessionId: __, session: ___, ...facts } = event.facts;
  const accountId = event.linkedAccountId;
  return {
    ...event,
    accountId,
    account: event.linkedAccount,
    linkedAccountId: event.accountId,
    linkedAccount: event.account,
    sessionId: null,
    referringSessionId: null,
    requestId: null,
    facts: { accountId, ...facts },
  };
}

/** Scopes of which a browser token needs one to read the id of the account in an event that is not a link. */
export const ACCOUNT_ID_SCOPES = ['ACCOUNT', 'VERIFICATION_STATE'] as const satisfies readonly TokenScope[];

/**
 * The client's id of the account; null for a token without a scope for it, and for a token limited to a session, which does not
 * receive the account of the session.
 */
export function shownAccountId(limits: ReaderLimits, event: PublicEvent): string | null {
  return namesAccount(limits, event.type) ? event.accountId : null;
}

/** Whether a reader receives the id of the account in events of a type. Links appear under pseudonyms without ACCOUNT. */
function namesAccount({ sessionId, scopes }: ReaderLimits, type: EventType): boolean {
  if (sessionId !== undefined) return false;
  if (scopes === undefined || scopes.includes('ACCOUNT')) return true;
  return !LINK_TYPES.has(type) && ACCOUNT_ID_SCOPES.some((scope) => scopes.includes(scope));
}

/** The client's id of the other account of a link; null for viewers that may not see both accounts. */
export function shownLinkedAccountId(limits: ReaderLimits, event: StoredEvent): string | null {
  return shownFacts(limits, event).linkedAccountId === undefined ? null : event.linkedAccountId;
}

/** Facts that are about the session alone. */
const OF_SESSION = ['sessionId', 'session'];

/** The facts of an event that a reader may see: of a browser token what its scopes include. */
export function shownFacts(limits: ReaderLimits, event: PublicEvent): EventFacts {
  const { scopes } = limits;
  const { type, facts } = event;
  if (scopes === undefined) return facts;
  if (!isOfScopes(type, scopes)) return {};
  if (type.startsWith('verification.'))
    return shownVerification(scopes, facts, { isNamed: namesAccount(limits, type) });
  if (LINK_TYPES.has(type)) return shownLink(limits, facts, { isNamed: namesAccount(limits, type) });
  if (limits.sessionId === undefined) return facts;
  const isOfAccount = type.startsWith('account.');
  return keep(facts, (name) => (isOfAccount ? OF_SESSION.includes(name) : name !== 'accountId'));
}

/** A link without the other account, unless the reader sees both. */
function shownLink(limits: ReaderLimits, facts: EventFacts, { isNamed }: { isNamed: boolean }): EventFacts {
  if (seesBothSides(limits)) return facts;
  const names = ['score', 'matchTypes', ...(isNamed ? ['accountId'] : [])];
  const shown = keep(facts, (name) => names.includes(name));
  return typeof shown.score === 'number' ? { ...shown, score: Math.round(shown.score * 100) / 100 } : shown;
}

/** Facts of a verification by the scope that includes them; the others are only for keys. */
const OF_VERIFICATION: Readonly<Record<TokenScope, readonly string[]>> = {
  VERIFICATION_STATE: ['errorMessage'],
  VERIFICATION_RESULT: [
    'decision',
    'riskScore',
    'riskFlags',
    'deviceNetworkSignals',
    'referringSessionSignals',
  ],
  DOCUMENT: ['documentData', 'photoUrls', 'videoUrls'],
  ACCOUNT: ['sessionData'],
  LINKS: [],
  EVENTS: ['kind', 'eventMetadata', 'sessionId', 'referringSessionId', 'accountId'],
};

/** Signals of a document that are data of the person. */
const PERSONAL_SIGNALS = ['idAge', 'faceAgeEstimate'];

function shownVerification(
  scopes: readonly TokenScope[],
  facts: EventFacts,
  { isNamed }: { isNamed: boolean },
): EventFacts {
  const names = new Set(['EVENTS' as const, ...scopes].flatMap((scope) => OF_VERIFICATION[scope]));
  if (isNamed && scopes.includes('ACCOUNT')) names.add('lists');
  const shown = keep(facts, (name) => names.has(name) && (isNamed || name !== 'accountId'));
  const { eventMetadata, documentSignals } = facts as {
    eventMetadata?: object;
    documentSignals?: EventFacts;
  };
  const hasSignals = scopes.includes('VERIFICATION_RESULT');
  const hasPersonal = scopes.includes('DOCUMENT');
  const signals =
    documentSignals &&
    keep(documentSignals, (name) => (PERSONAL_SIGNALS.includes(name) ? hasPersonal : hasSignals));
  return {
    ...shown,
    ...(eventMetadata && !isNamed ? { eventMetadata: { ...eventMetadata, accountId: null } } : {}),
    ...(signals && (hasSignals || hasPersonal) ? { documentSignals: signals } : {}),
  };
}

function keep(facts: EventFacts, isKept: (name: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => isKept(name)));
}

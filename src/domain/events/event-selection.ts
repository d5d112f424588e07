import { isUuid } from '../../platform/ids.ts';
import type { VerificationKind } from '../model/verification-kind.ts';
import type { PublicEvent, StoredEvent } from './event.ts';
import { EVENT_TYPES, type EventType } from './outbox-event.ts';

/** Which of a project's events; all conditions together, null for any. */
export type EventSelection = {
  readonly types: readonly EventType[] | null;
  /** The client's own id, of either account of a link. */
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
export function checkKindOf({ type, data }: Pick<PublicEvent, 'type' | 'data'>): VerificationKind | null {
  if (type === 'verification.id_check.completed') return 'id';
  if (type === 'verification.face_check.completed') return 'face';
  return type === 'verification.failed' ? (data.kind as VerificationKind) : null;
}

/** What a browser token is limited to. */
export type ReaderLimits = { readonly accountId?: string; readonly sessionId?: string };

/** What is about the project rather than about one account or session. */
const NOT_FOR_LIMITED = ['rule.', 'list.', 'webhook.', 'identity_group.', 'email.'];

/**
 * What a reader gets of what it asked for. Somebody else's account or session is selected like one that is not there:
 * nothing comes.
 */
export function selectFor(limits: ReaderLimits, asked: EventSelection): EventSelection {
  const { accountId, sessionId } = limits;
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
    // Who reads one session is not told whose it is, not by trying either.
    (sessionId !== undefined && selection.accountId !== null) ||
    (selection.sessionId !== null && !isUuid(selection.sessionId));
  if (isNever) return { ...selection, types: [] };
  if (!isLimited(limits)) return selection;
  const types = (asked.types ?? EVENT_TYPES).filter(
    (type) => !NOT_FOR_LIMITED.some((prefix) => type.startsWith(prefix)),
  );
  return { ...selection, types };
}

function isLimited({ accountId, sessionId }: ReaderLimits): boolean {
  return accountId !== undefined || sessionId !== undefined;
}

export function selects(selection: EventSelection, event: StoredEvent): boolean {
  const { types, accountId, sessionId, listName, checkKind, emailBatchId } = selection;
  return (
    (types === null || types.includes(event.type)) &&
    (accountId === null || accountId === event.accountId || accountId === event.linkedAccountId) &&
    (sessionId === null || sessionId === event.sessionId) &&
    (listName === null || listName === event.data.list) &&
    (checkKind === null || checkKind === checkKindOf(event)) &&
    (emailBatchId === null || emailBatchId === event.data.batch_id)
  );
}

/**
 * A link as a reader may see it who reads one of its two accounts: from that account's side, so that of the other one
 * nothing is seen, nor of the session that it came with.
 */
export function fromOwnSide({ accountId }: ReaderLimits, event: StoredEvent): StoredEvent {
  if (accountId === undefined || event.accountId === accountId || event.linkedAccountId !== accountId)
    return event;
  const { account_id, linked_account_id, session_id, session, ...data } = event.data;
  return {
    ...event,
    accountId,
    account: event.linkedAccount,
    linkedAccountId: event.accountId,
    linkedAccount: event.account,
    sessionId: null,
    referringSessionId: null,
    requestId: null,
    data: { account_id: accountId, ...data },
  };
}

/** The client's id of the account, for who may know it: who reads one session is not told whose it is. */
export function shownAccountId({ sessionId }: ReaderLimits, event: PublicEvent): string | null {
  return sessionId === undefined ? event.accountId : null;
}

/** The client's id of the other account of a link, for viewers that may see both accounts. */
export function shownLinkedAccountId(limits: ReaderLimits, { linkedAccountId }: StoredEvent): string | null {
  return isLimited(limits) ? null : linkedAccountId;
}

/** Fields of `data` that are about the session alone. */
const OF_SESSION = ['session_id', 'session'];

/**
 * The data of an event as a reader may see it: whole, but for a browser token that names an account nothing of the
 * accounts that it is linked to, and for one that names a session nothing of whose it is.
 */
export function shownData(
  limits: ReaderLimits,
  { type, data }: PublicEvent,
): Readonly<Record<string, unknown>> {
  if (type.startsWith('verification.')) return shownVerification(limits, data);
  if (limits.sessionId !== undefined) {
    const isOfAccount = type.startsWith('account.');
    return keep(data, (name) => (isOfAccount ? OF_SESSION.includes(name) : name !== 'account_id'));
  }
  if (limits.accountId !== undefined) return keep(data, (name) => name !== 'linked_account_id');
  return data;
}

/** Of a verification a limited reader does not see who else shares its face or document; of one session not whose it is. */
function shownVerification(limits: ReaderLimits, data: PublicEvent['data']): PublicEvent['data'] {
  if (!isLimited(limits)) return data;
  const shown = keep(data, (name) => name !== 'matches');
  if (limits.sessionId === undefined) return shown;
  const hidden = ['account_id', 'lists', 'rules'];
  const metadata = { ...(data.metadata as object), account_id: null };
  return { ...keep(shown, (name) => !hidden.includes(name)), metadata };
}

function keep(data: Readonly<Record<string, unknown>>, isKept: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(data).filter(([name]) => isKept(name)));
}

import type { ActionOutcome, Rule } from '@vouchgraph/decisions';
import type { OutboxEvent } from '@vouchgraph/events';
import type { AccountIdentifier, LinkPlan } from '@vouchgraph/linking';
import type { AccountRow } from '../model/account-row.ts';
import type { ListWrites } from './account-lists-store.ts';
import type { AccountStanding } from './account-standing.ts';

/** Everything that a planned change writes. */
export type AccountChange = {
  account: AccountRow;
  requestId: string;
  now: Date;
  binding: {
    sessionId: string;
    startTime: Date;
    country: string;
    scores: readonly number[];
    accountScore: number;
    decision: string;
    versions: Record<string, unknown>;
    isNew: boolean;
    /** The session that the session's verification refers to; null without one. */
    referringSessionId: string | null;
    /** The session's encrypted result and its raised signals, when they differ from the stored ones. */
    rewrittenResult: { readonly result: Buffer; readonly signals: number } | null;
    decisionId: string;
    isFirstSession: boolean;
    /** Encrypted inputs and outcome of the decision. */
    encryptedInputs: Buffer;
  } | null;
  /** Matched rules. */
  matches: readonly {
    matchId: string;
    rule: Rule;
    isShadow: boolean;
    outcomes: readonly ActionOutcome[];
    events: readonly OutboxEvent[];
  }[];
  identifiers: {
    /** Identifiers that are not stored yet. */
    added: readonly AccountIdentifier[];
    /** Stored identifiers whose times or uses change. */
    used: readonly AccountIdentifier[];
    dropped: readonly AccountIdentifier[];
    /** Whether more identifiers beyond the limits can be stored than were read. */
    isOverLimit: boolean;
    /** All blocking keys after the change (`packBlockingKeys`). */
    blockingKeys: Buffer;
    groupMoved: boolean;
  };
  /** State of the row after a recomputation of match keys; null for other changes. */
  recomputed: { holdsStale: boolean; updatedAt: Date } | null;
  links: Pick<LinkPlan, 'changed' | 'removed' | 'movesIdentity' | 'rescored'>;
  /** Score and decision as computed by a read after the change. */
  standing: AccountStanding & { readonly settingsVersion: number };
  lists: ListWrites;
  events: readonly OutboxEvent[];
};

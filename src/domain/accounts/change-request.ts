import type {
  AccountChanges,
  Decision,
  DecisionOutcome,
  LinkStrength,
  MergeContext,
} from '@vouchgraph/decisions';
import type { IdentifierKey } from '@vouchgraph/linking';
import type { DocumentIdentity } from '@vouchgraph/persons';
import type { Facts } from '@vouchgraph/rules';
import type { ListMembership } from '../model/account-row.ts';
import type { Project } from '../projects/project.ts';
import type { Account } from './account.ts';
import type { ChangeContext } from './account-change-store.ts';
import type { EmailAnswers, EmailEvidenceFound } from './known-email.ts';

/** An account after a change, with the data of the response. */
export type ChangedAccount = {
  account: Account;
  links: LinkStrength;
  decision: Decision;
  accountScore: number;
  /** Stored decision of an authenticate; null for other changes. */
  decided: ({ decisionId: string } & DecisionOutcome) | null;
};

/** Inputs of a change, with the identifiers of the request and the requested lists. */
export type RequestedChangeContext = ChangeContext & {
  /** Existing lists of the named lists. */
  readonly lists: readonly ListMembership[];
  readonly requested: readonly IdentifierKey[];
  readonly namedLists: readonly string[];
  /** Names of lists that the request created. */
  readonly createdLists: readonly string[];
};

/** Step of a recomputation of match keys: `add` stores the current keys, `drop` deletes the stale ones. */
export type RecomputeStep = 'add' | 'drop';

export type ChangeOptions = {
  sessionId: string | null;
  listNames: readonly string[];
  /** Whether the change is an import, which creates unknown accounts. */
  imports?: boolean;
  /** Whether only the links are recomputed. */
  relinks?: boolean;
  /** Whether the session is already bound to the account. */
  rebinds?: boolean;
  /** Step of a recomputation of match keys. Requires `relinks`. */
  recomputes?: RecomputeStep;
  /** Findings of a verification, by the names of rule fields. */
  verification?: Facts;
  /** Completion time of that verification. */
  verifiedAt?: Date | null;
  /** Identity data of that verification's document. */
  document?: DocumentIdentity | null;
  /** Evidence about the account's email, from look-ups after its change. The change has no other effect. */
  learned?: EmailEvidenceFound;
};

/** A requested change, with its actor. */
export type ChangeInput = {
  readonly project: Project;
  readonly actor: string;
  /** Role and client address of the actor, for the audit log. */
  readonly role?: string | null;
  readonly address?: string | undefined;
  readonly requestId: string;
  readonly accountId: string;
  readonly changes: AccountChanges;
  readonly options: ChangeOptions;
};

/** A change with its time, and the available evidence about its email. */
export type ChangeRequest = ChangeInput & { readonly now: Date; readonly answers: EmailAnswers };

/** Context for merging a change. */
export function mergeContext({ cipher }: Project, { document = null }: ChangeOptions): MergeContext {
  return { blindIndex: (kind, value) => cipher.blindIndex(kind, value), document };
}

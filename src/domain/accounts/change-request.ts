import type { LinkStrength } from '../decisions/account-score.ts';
import type { Decision } from '../decisions/decide.ts';
import type { DecisionOutcome } from '../decisions/decision-inputs.ts';
import type { IdentifierKey } from '../linking/account-identifiers.ts';
import type { DocumentIdentity } from '../model/document-identity.ts';
import type { Project } from '../projects/project.ts';
import type { Facts } from '../rules/language/expression.ts';
import type { Account } from './account.ts';
import type { ChangeContext } from './account-change-store.ts';
import type { AccountChanges } from './account-input.ts';
import type { EmailAnswers, EmailEvidenceFound } from './known-email.ts';
import type { MergeContext } from './merge-account.ts';

/** An account after a change, with what the answer of that change shows. */
export type ChangedAccount = {
  account: Account;
  links: LinkStrength;
  decision: Decision;
  accountScore: number;
  /** Of an authenticate: the stored decision. */
  decided: ({ decisionId: string } & DecisionOutcome) | null;
};

/** What a change depends on, with the identifiers that the request states, and the lists that were looked for. */
export type StatedChangeContext = ChangeContext & {
  readonly stated: readonly IdentifierKey[];
  readonly namedLists: readonly string[];
  /** Those that the request created. */
  readonly createdLists: readonly string[];
};

export type ChangeOptions = {
  sessionId: string | null;
  listNames: readonly string[];
  /** Whether it comes from another system: an account that is not known is made. */
  imports?: boolean;
  /** Whether only the links are made anew. */
  relinks?: boolean;
  /** Whether the session is one that the account is bound to already. */
  rebinds?: boolean;
  /**
   * Whether the identifiers of its fields are made anew: `add` keeps those that earlier rules made, `settle` drops them.
   * Only together with `relinks`.
   */
  rekeys?: 'add' | 'settle';
  /** What a verification found: for the rules, by the names of their fields. */
  verification?: Facts;
  /** When that verification was completed. */
  verifiedAt?: Date | null;
  /** What the document of that verification says of its holder. */
  document?: DocumentIdentity | null;
  /** What look-ups found of the account's email after its change; nothing else changes then. */
  learnt?: EmailEvidenceFound;
};

/** A change as it was asked for, and by whom. */
export type ChangeInput = {
  readonly project: Project;
  readonly actor: string;
  readonly requestId: string;
  readonly accountId: string;
  readonly changes: AccountChanges;
  readonly options: ChangeOptions;
};

/** A change with its time, and what is known of the email that it gives the account. */
export type ChangeRequest = ChangeInput & { readonly now: Date; readonly answers: EmailAnswers };

/** What a change of a project's account is merged with. */
export function mergeContext({ cipher }: Project, { document = null }: ChangeOptions): MergeContext {
  return { blindIndex: (kind, value) => cipher.blindIndex(kind, value), document };
}

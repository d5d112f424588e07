/*
 * Which personal data a person sees in clear: that of the subjects that the person revealed within the last hour.
 */

export const REVEAL_SUBJECTS = ['account', 'session', 'verification', 'email_check'] as const;
export type RevealSubjectKind = (typeof REVEAL_SUBJECTS)[number];

/** Subjects of an object, by their internal ids. Its data is shown if one of them is revealed. */
export type RevealSubject = {
  readonly account?: string | null | undefined;
  readonly session?: string | null | undefined;
  readonly verification?: string | null | undefined;
  readonly emailCheck?: string | null | undefined;
  /** Session whose accounts are subjects too. */
  readonly accountsOfSession?: string;
  /** Verification whose account is a subject too. */
  readonly accountOfVerification?: string;
};

/** A reveal that has not ended. */
export type ActiveReveal = {
  readonly revealId: string;
  readonly kind: RevealSubjectKind;
  /** Internal id of the account, or id of the session, verification or check. */
  readonly subjectId: string;
  /** Id of the account, assigned by the client; null for other subjects. */
  readonly accountId: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** The active reveals of a person. */
export class ActiveReveals {
  readonly all: readonly ActiveReveal[];
  readonly #subjects: ReadonlySet<string>;
  readonly #accountIds: ReadonlySet<string>;

  constructor(all: readonly ActiveReveal[]) {
    this.all = all;
    this.#subjects = new Set(all.map(({ kind, subjectId }) => `${kind} ${subjectId}`));
    this.#accountIds = new Set(all.flatMap(({ accountId }) => accountId ?? []));
  }

  get isEmpty(): boolean {
    return this.all.length === 0;
  }

  /** Whether an account is revealed, whose sessions are then too. */
  get hasAccounts(): boolean {
    return this.#accountIds.size > 0;
  }

  /** Whether a subject is revealed, apart from accounts that are to be looked up. */
  includes({ account, session, verification, emailCheck }: RevealSubject): boolean {
    return (
      this.#has('account', account) ||
      this.#has('session', session) ||
      this.#has('verification', verification) ||
      this.#has('email_check', emailCheck)
    );
  }

  /** Whether one of the accounts with these ids, assigned by the client, is revealed. */
  includesAccountId(accountIds: readonly string[]): boolean {
    return accountIds.some((id) => this.#accountIds.has(id));
  }

  #has(kind: RevealSubjectKind, id: string | null | undefined): boolean {
    return typeof id === 'string' && this.#subjects.has(`${kind} ${id}`);
  }
}

/** Of viewers that reveal nothing. */
export const NO_REVEALS = new ActiveReveals([]);

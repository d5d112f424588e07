/** An answer that contains data of more accounts, or email checks, than this is wide: any erasure of the project erases it. */
const MAX_ACCOUNTS = 50;

/**
 * The accounts, sessions and email checks that an answer contains data of, collected while the request runs. Erasing one of them
 * erases the answer.
 */
export class AnswerSubjects {
  readonly #accounts = new Set<string>();
  readonly #accountIds = new Set<string>();
  readonly #mentionedAccountIds = new Set<string>();
  readonly #sessions = new Set<string>();
  readonly #emailChecks = new Set<string>();
  #isWide = false;
  #isTransient = false;

  /** An account, by its internal id. */
  addAccount(id: string): void {
    this.#accounts.add(id);
  }

  /** An existing account, by the client's own id. */
  addAccountId(accountId: string): void {
    this.#accountIds.add(accountId);
  }

  /** The client's own id of an account that may not exist. */
  mentionAccountId(accountId: string): void {
    this.#mentionedAccountIds.add(accountId);
  }

  addSession(sessionId: string): void {
    this.#sessions.add(sessionId);
  }

  addEmailCheck(checkId: string): void {
    this.#emailChecks.add(checkId);
  }

  /** The answer contains data of accounts that are not known here. */
  addUnknown(): void {
    this.#isWide = true;
  }

  /** The answer must not be stored at all: a retry runs again. */
  addTransient(): void {
    this.#isTransient = true;
  }

  get isTransient(): boolean {
    return this.#isTransient;
  }

  get isWide(): boolean {
    const named = this.#accountIds.size + this.#mentionedAccountIds.size;
    const isLarge = this.#accounts.size + named > MAX_ACCOUNTS || this.#emailChecks.size > MAX_ACCOUNTS;
    return this.#isWide || isLarge;
  }

  get accounts(): string[] {
    return [...this.#accounts];
  }

  /** Client ids of accounts that exist when the answer is made. */
  get accountIds(): string[] {
    return [...this.#accountIds];
  }

  /** All client ids, also those of accounts that may not exist. */
  get allAccountIds(): string[] {
    return [...new Set([...this.#accountIds, ...this.#mentionedAccountIds])];
  }

  get emailChecks(): string[] {
    return [...this.#emailChecks];
  }

  get sessions(): string[] {
    return [...this.#sessions];
  }
}

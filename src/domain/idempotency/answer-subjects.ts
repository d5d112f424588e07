/** A response with data of more accounts or email checks is wide: any erasure in the project erases it. */
const MAX_ACCOUNTS = 50;

/**
 * Accounts, sessions and email checks whose data a response contains, collected while the request runs. Erasing one of them
 * erases the stored response.
 */
export class AnswerSubjects {
  readonly #accounts = new Set<string>();
  readonly #accountIds = new Set<string>();
  readonly #mentionedAccountIds = new Set<string>();
  readonly #sessions = new Set<string>();
  readonly #emailChecks = new Set<string>();
  #isWide = false;
  #isTransient = false;
  #isUnrepeatable = false;

  /** Adds an account by its internal id. */
  addAccount(id: string): void {
    this.#accounts.add(id);
  }

  /** Adds an existing account by the client's id. */
  addAccountId(accountId: string): void {
    this.#accountIds.add(accountId);
  }

  /** Adds the client's id of an account that may not exist. */
  mentionAccountId(accountId: string): void {
    this.#mentionedAccountIds.add(accountId);
  }

  addSession(sessionId: string): void {
    this.#sessions.add(sessionId);
  }

  addEmailCheck(checkId: string): void {
    this.#emailChecks.add(checkId);
  }

  /** Marks that the response contains data of unknown accounts. */
  addUnknown(): void {
    this.#isWide = true;
  }

  /** Marks that the response must not be stored, so that a retry runs again. */
  addTransient(): void {
    this.#isTransient = true;
  }

  /**
   * Marks that the response must not be repeated: personal data that a reveal shows for an hour, links with secrets, people.
   */
  addUnrepeatable(): void {
    this.#isUnrepeatable = true;
  }

  get isUnrepeatable(): boolean {
    return this.#isUnrepeatable;
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

  /** Client ids of accounts that existed when the response was created. */
  get accountIds(): string[] {
    return [...this.#accountIds];
  }

  /** All client ids, including accounts that may not exist. */
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

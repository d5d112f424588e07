import type { Trigger } from '@vouchgraph/decisions';
import type { Expression } from '@vouchgraph/rules';

const BACKTEST_STATES = ['waiting', 'running', 'done', 'cancelled', 'failed'] as const;
export type BacktestState = (typeof BACKTEST_STATES)[number];

/** A condition evaluated on stored decisions, with the results so far. */
export type Backtest = BacktestCounts & {
  readonly backtestId: string;
  readonly expression: Expression;
  readonly trigger: Trigger;
  /** Decisions of [since, until). */
  readonly since: Date;
  readonly until: Date;
  readonly actor: string;
  readonly createdAt: Date;
  readonly state: BacktestState;
  readonly finishedAt: Date | null;
  /** Number of decisions to examine; null until they are counted. */
  readonly total: number | null;
  /** Matched accounts on each list, as of the end. */
  readonly overlap: Readonly<Record<string, number>>;
};

export type BacktestCounts = {
  /** Decisions of the trigger. */
  readonly examined: number;
  /** Accounts with a session of which a decision matched: as a live rule records them, each pair once. */
  readonly matched: number;
  /** Number of decisions whose facts leave the condition undetermined. */
  readonly skipped: number;
  /** Different accounts that matched. */
  readonly accounts: number;
  /** Ids of decisions, the first of each match, spread over all of them. */
  readonly sample: readonly string[];
};

/** Progress, 0 to 1. */
export function progressOf({
  state,
  total,
  examined,
}: Readonly<{ state: string; total: number | null; examined: number }>): number {
  if (state === 'done') return 1;
  return total ? Math.min(1, examined / total) : 0;
}

/** Days after the creation of a backtest for which its matches are stored. */
export const MATCH_DAYS = 30;

/** Maximum number of matching decisions shown. */
export const SAMPLE_SIZE = 20;

/** A decision by its id, with the internal id of its account and its session. */
type Tried = { readonly decisionId: string; readonly accountId: string; readonly sessionId: string };

/** Results of a backtest so far. */
export class Tally {
  #examined = 0;
  #excluded = 0;
  #skipped = 0;
  readonly #matches = new Set<string>();
  readonly #accounts = new Set<string>();
  #sample: string[] = [];
  /** Matching decisions since the last call of `takeMatches`. */
  #untaken: string[] = [];
  /** Only every n-th match is kept; doubled when too many are stored. */
  #stride = 1;

  add(outcome: boolean | null, { decisionId, accountId, sessionId }: Tried): void {
    this.#examined += 1;
    if (outcome === null) this.#skipped += 1;
    if (outcome !== true) return;
    const match = `${accountId} ${sessionId}`;
    // Every repeated request decides on the pair again, and a live rule records it once.
    if (this.#matches.has(match)) return;
    if (this.#matches.size % this.#stride === 0) this.#keep(decisionId);
    this.#untaken.push(decisionId);
    this.#matches.add(match);
    this.#accounts.add(accountId);
  }

  /** Counts a decision that was read and has another trigger. */
  exclude(): void {
    this.#excluded += 1;
  }

  #keep(decisionId: string): void {
    if (this.#sample.length === SAMPLE_SIZE) {
      this.#sample = this.#sample.filter((_, index) => index % 2 === 0);
      this.#stride *= 2;
    }
    this.#sample.push(decisionId);
  }

  /** Number of decisions that were read and have another trigger. */
  get excluded(): number {
    return this.#excluded;
  }

  /** The accounts that matched, by their internal ids. */
  get accountIds(): readonly string[] {
    return [...this.#accounts];
  }

  /** Ids of the decisions that matched since the last call: the first of each match, once. */
  takeMatches(): string[] {
    const taken = this.#untaken;
    this.#untaken = [];
    return taken;
  }

  counts(): BacktestCounts {
    return {
      examined: this.#examined,
      matched: this.#matches.size,
      skipped: this.#skipped,
      accounts: this.#accounts.size,
      sample: [...this.#sample],
    };
  }
}

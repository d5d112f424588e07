import type { Cluster, FalseRow, Measured, TrueRow } from './measure.ts';
import { TRUE_PAIR_KINDS } from './true-pairs.ts';

/** Precision of the found pairs, and recall of the true ones. */
export type Figures = { precision: number; recall: number; f1: number; recallOfAll: number };

/** Runs with different seeds as one. */
export function addUp(runs: readonly Measured[]): Measured {
  const sum = (pick: (run: Measured) => number) => runs.reduce((total, run) => total + pick(run), 0);
  return {
    accounts: sum(({ accounts }) => accounts),
    people: sum(({ people }) => people),
    truePairs: inOrder(
      addRows(
        runs.map(({ truePairs }) => truePairs),
        ({ kind }) => kind,
        addTrue,
      ),
    ),
    falsePairs: addRows(
      runs.map(({ falsePairs }) => falsePairs),
      ({ cause }) => cause,
      addFalse,
    ),
    wrongEvidence: addRows(
      runs.map(({ wrongEvidence }) => wrongEvidence),
      ([evidence]) => evidence,
      ([evidence, a], [, b]): [string, number] => [evidence, a + b],
    ).sort(([, a], [, b]) => b - a),
    identities: {
      count: sum(({ identities }) => identities.count),
      wrongPairs: sum(({ identities }) => identities.wrongPairs),
    },
    wrongClusters: runs.flatMap(({ wrongClusters }) => wrongClusters).sort(largestFirst),
  };
}

/**
 * Of links. Recall counts the true pairs with a shared attribute that can be found; `recallOfAll` counts all.
 * `without` excludes pairs of one ring or wrong links of customers of a kiosk.
 */
export function figuresOfLinks({ truePairs, falsePairs }: Measured, without?: 'rings' | 'kiosks'): Figures {
  const counted = falsePairs.filter(({ cause }) => !(without === 'kiosks' && cause === 'kiosk'));
  const wrong = counted.reduce((sum, { linked }) => sum + linked, 0);
  return figuresOf(truePairs, ({ linked }) => linked, wrong, without !== 'rings');
}

/** Of identities: accounts that bridging links connect, directly or through others. */
export function figuresOfIdentities({ truePairs, identities }: Measured): Figures {
  return figuresOf(truePairs, ({ joined }) => joined, identities.wrongPairs, true);
}

function figuresOf(
  truePairs: readonly TrueRow[],
  foundOf: (row: TrueRow) => number,
  wrong: number,
  withRings: boolean,
): Figures {
  const rows = truePairs.filter(({ isOfRing }) => withRings || !isOfRing);
  const linkable = rows.filter(({ isLinkable }) => isLinkable);
  const total = (of: readonly TrueRow[], pick: (row: TrueRow) => number) =>
    of.reduce((sum, row) => sum + pick(row), 0);
  const found = total(rows, foundOf);
  const precision = found / (found + wrong);
  const recall = total(linkable, foundOf) / total(linkable, ({ pairs }) => pairs);
  return {
    precision,
    recall,
    f1: (2 * precision * recall) / (precision + recall),
    recallOfAll: found / total(rows, ({ pairs }) => pairs),
  };
}

function addRows<Row>(
  runs: readonly Row[][],
  nameOf: (row: Row) => string,
  add: (a: Row, b: Row) => Row,
): Row[] {
  const rows = new Map<string, Row>();
  for (const row of runs.flat()) {
    const known = rows.get(nameOf(row));
    rows.set(nameOf(row), known === undefined ? row : add(known, row));
  }
  return [...rows.values()];
}

function inOrder(rows: readonly TrueRow[]): TrueRow[] {
  return TRUE_PAIR_KINDS.flatMap((kind) => rows.find((row) => row.kind === kind) ?? []);
}

function addTrue(a: TrueRow, b: TrueRow): TrueRow {
  return { ...a, pairs: a.pairs + b.pairs, linked: a.linked + b.linked, joined: a.joined + b.joined };
}

function addFalse(a: FalseRow, b: FalseRow): FalseRow {
  const exposed = a.exposed === null || b.exposed === null ? null : a.exposed + b.exposed;
  return { ...a, exposed, linked: a.linked + b.linked, bridged: a.bridged + b.bridged };
}

function largestFirst(a: Cluster, b: Cluster): number {
  return b.people - a.people || b.accounts - a.accounts;
}

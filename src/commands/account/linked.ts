import { counted, decisionOf, print, printTable, wordOf } from '@vouchgraph/terminal';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { notFound } from '../support/not-found.ts';
import { LINKED_ACCOUNTS } from './documents.ts';

type Evidence = {
  kind: string;
  weight: number;
  maskedValue: string | null;
  sharedBy: number;
  capped: boolean;
};
type Edge = {
  score: number;
  matchTypes: string[];
  firstSeen: string;
  lastSeen: string;
  evidence: Evidence[];
  node: { accountId: string; decision: string; accountScore: number };
};

const shownEdge = ({ score, matchTypes, firstSeen, lastSeen, evidence, node }: Edge) => ({
  account_id: node.accountId,
  decision: decisionOf(node.decision),
  account_score: node.accountScore,
  score,
  match_types: matchTypes.map(wordOf),
  evidence: evidence.map(({ kind, weight, maskedValue, sharedBy, capped }) => ({
    kind: wordOf(kind),
    weight,
    masked_value: maskedValue,
    shared_by: sharedBy,
    capped,
  })),
  first_seen: firstSeen,
  last_seen: lastSeen,
});

export type LinkedAccount = ReturnType<typeof shownEdge>;

/** The accounts with the strongest links to an account, for scripts. */
export async function readLinkedAccounts(api: Api, id: string, number: number): Promise<LinkedAccount[]> {
  const edges = await readEdges<Edge>(number, async (page) => {
    const variables = { id, ...page };
    const { account } = await api.run<{ account: { linkedAccounts: Connection<Edge> } | null }>(
      LINKED_ACCOUNTS,
      variables,
    );
    if (!account) throw notFound('account.not_found', id);
    return account.linkedAccounts;
  });
  return edges.map(shownEdge);
}

/** Prints linked accounts with the evidence that links them, and the number of further ones. */
export function printLinkedAccounts(accounts: readonly LinkedAccount[], total: number): void {
  if (accounts.length > 0) {
    print('', 'Linked accounts');
    printTable(
      ['  ACCOUNT', 'SCORE', 'DECISION', 'EVIDENCE'],
      accounts.map(({ account_id, score, decision, evidence }) => [
        `  ${account_id}`,
        score.toFixed(4),
        decision,
        evidence
          .filter(({ weight }) => weight > 0)
          .map(({ kind, weight }) => `${kind} ${weight}`)
          .join(', '),
      ]),
    );
  }
  const remaining = total - accounts.length;
  if (accounts.length > 0 && remaining > 0)
    print(`and ${counted(remaining, 'more account', 'more accounts')}: --links shows up to 1,500`);
}

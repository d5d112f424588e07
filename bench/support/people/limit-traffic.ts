import { newId } from '@vouchgraph/platform/ids';
import { insertRows } from '../bulk-insert.ts';
import { LINKS } from '../data-set.ts';
import type { ModelAccount } from '../linking/model-account.ts';
import type { BenchRequest } from '../load.ts';
import { insertSessions, type SessionMaker } from '../sessions.ts';
import { randomBelow } from '../statistics.ts';
import type { Workbench } from '../workbench.ts';
import type { Attempt } from './people-traffic.ts';
import type { RecordedWrite } from './recorded-writes.ts';
import type { ChangedRows } from './watch-work.ts';

/** A request to the reference: the rows that it writes. */
export type LimitBody = {
  session_id: string;
  request_id: string;
  account: { id: string };
  /** Internal ids of the accounts to link; those of existing links are updated. */
  partners: string[];
  /** Numbers of flags and of enqueued recalculations. */
  flags: number;
  identities: number;
  write: RecordedWrite;
};

/** What recorded authenticates wrote: some of them, and the rows of all by table. */
export type Recorded = {
  readonly writes: readonly RecordedWrite[];
  readonly rows: ChangedRows;
  readonly requests: number;
};

const IDS = {
  name: 'bench.reference_ids',
  text: 'select id, account_id from accounts where project_id = $1',
};

/** Links of each account, so that some can be updated. */
const LINKS_OF_ACCOUNT = 4;

/** Requests to the reference: writes that authenticates of the same traffic made, to other accounts. */
export async function createLimitTraffic(
  bench: Workbench,
  people: readonly ModelAccount[],
  makeSession: SessionMaker,
) {
  const rows = await bench.system.query<{ id: string; account_id: string }>(IDS, [bench.project.projectId]);
  const idOf = new Map(rows.map(({ id, account_id }) => [account_id, id]));
  const ids = people.map(({ id }) => idOf.get(id)!);
  const neighbor = (place: number, offset: number) => ids[(place + offset) % ids.length]!;
  await linkNeighbors(bench, ids, neighbor);
  let attempts: Attempt[] = [];
  let made = 0;

  function nextRequest(
    { writes, rows: changed, requests }: Recorded,
    knownShare: number,
    requested: Attempt[],
  ): { method: 'POST'; path: string; body: LimitBody } {
    const write = writes[randomBelow(writes.length)]!;
    const place = randomBelow(people.length);
    made += 1;
    const account = write.isNew ? { ...people[place]!, id: `reference ${made}` } : people[place]!;
    const session = makeSession(account.sessions[0]!, new Date(), true);
    requested.push({ account, isNew: write.isNew, isShared: write.isShared, session });
    const draw = (name: string, each = 1) => drawCount((changed[name] ?? 0) / each / requests);
    // Each link has two rows.
    const updated = write.isNew ? 0 : drawCount((changed['links updated'] ?? 0) / 2 / requests / knownShare);
    const partners = [
      ...Array.from({ length: Math.min(updated, LINKS_OF_ACCOUNT) }, (_, index) =>
        neighbor(place, index + 1),
      ),
      ...Array.from({ length: draw('links inserted', 2) }, () => ids[randomBelow(ids.length)]!),
    ];
    const body = {
      session_id: session.row.session_id,
      request_id: newId(),
      account: { id: account.id },
      partners: [...new Set(partners)],
      flags: draw('standing_flags inserted'),
      identities: draw('identity_recalculations inserted'),
      write,
    };
    return { method: 'POST', path: '/', body };
  }

  return {
    async next(count: number, recorded: Recorded): Promise<BenchRequest[]> {
      const requested: Attempt[] = [];
      const known = recorded.writes.filter(({ isNew }) => !isNew).length / recorded.writes.length;
      const requests = Array.from({ length: count }, () => nextRequest(recorded, known, requested));
      attempts = requested;
      await insertSessions(
        bench,
        attempts.map(({ session }) => session),
      );
      return requests;
    },

    check(index: number, body: string): string | null {
      const { account, session } = attempts[index]!;
      const answer = JSON.parse(body);
      if (answer.session_id !== session.row.session_id) return 'another session';
      if (answer.account_id !== account.id) return `not account ${account.id}`;
      return typeof answer.id === 'string' ? null : 'nothing was written';
    },

    attempts: (): readonly Attempt[] => attempts,
  };
}

/** A whole number whose mean is `mean`. */
function drawCount(mean: number): number {
  return Math.floor(mean) + (Math.random() < mean % 1 ? 1 : 0);
}

async function linkNeighbors(
  bench: Workbench,
  ids: readonly string[],
  neighbor: (place: number, offset: number) => string,
): Promise<void> {
  const now = new Date();
  const rows = ids.flatMap((id, place) =>
    Array.from({ length: LINKS_OF_ACCOUNT }, (_, index) => neighbor(place, index + 1)).flatMap((other) => [
      { account_id: id, linked_account_id: other, score: 0.5, kinds: 12, first_seen: now, last_seen: now },
      { account_id: other, linked_account_id: id, score: 0.5, kinds: 12, first_seen: now, last_seen: now },
    ]),
  );
  await insertRows(bench, LINKS, rows);
}

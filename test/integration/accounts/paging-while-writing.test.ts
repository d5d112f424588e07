import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const ACCOUNTS = `query ($first: Int, $after: String, $orderBy: AccountOrder, $filter: AccountFilter) {
  accounts(first: $first, after: $after, orderBy: $orderBy, filter: $filter) {
    edges { node { accountId lastSeen numSessions } } pageInfo { hasNextPage endCursor } } }`;
const LINKS = `query ($id: ID!, $first: Int, $after: String) { account(accountId: $id) { linkedAccounts(first: $first, after: $after) {
    edges { cursor score node { accountId } } pageInfo { hasNextPage endCursor } } } }`;
const SESSIONS = `query ($first: Int, $after: String, $orderBy: SessionOrder, $filter: SessionFilter) {
  sessions(first: $first, after: $after, orderBy: $orderBy, filter: $filter) {
    edges { node { sessionId } } pageInfo { hasNextPage endCursor } } }`;

/** All nodes of a connection, page by page. */
async function readAll(
  query: string,
  variables: Record<string, unknown>,
  connectionOf: (data: Body) => Body,
  afterPage: (nodes: Body[]) => Promise<unknown> = async () => {},
): Promise<Body[]> {
  const nodes: Body[] = [];
  let after: string | null = null;
  for (;;) {
    const { edges, pageInfo }: Body = connectionOf(await project.graphql(query, { ...variables, after }));
    nodes.push(...edges.map((edge: Body) => edge.node));
    if (!pageInfo.hasNextPage) return nodes;
    after = pageInfo.endCursor;
    await afterPage(edges.map((edge: Body) => edge.node));
  }
}
const idsOf = (nodes: Body[]): string[] => nodes.map((node) => node.accountId);

/** Creates and erases accounts, and authenticates known ones, until it is stopped. */
function writeUntilStopped(group: string, known: readonly string[]): { stop(): Promise<number> } {
  let stopped = false;
  const writing = (async () => {
    let written = 0;
    for (; !stopped; written += 1) {
      const passing = unique('passing');
      await project.authenticate({ id: passing, group });
      await project.authenticate({ id: known[(written * 37) % known.length]! });
      if (written % 2) await project.rest('DELETE', `/account/${passing}`);
    }
    return written;
  })();
  return {
    stop: () => {
      stopped = true;
      return writing;
    },
  };
}

describe('300 accounts in pages of 7', () => {
  const group = unique('many');
  const ids = Array.from({ length: 300 }, (_, index) => `${group}-${index}`);
  beforeAll(() => project.authenticateAll(ids.map((id) => ({ id, group }))));

  it.each(['ASC', 'DESC'])(
    'contain each existing account once while others write at the same time, %s',
    async (direction) => {
      const writers = [writeUntilStopped(group, ids), writeUntilStopped(group, ids)];
      const orderBy = { field: 'CREATED_AT', direction };
      const seen = idsOf(
        await readAll(ACCOUNTS, { first: 7, orderBy, filter: { group } }, (data) => data.accounts),
      );
      const written = await Promise.all(writers.map((writer) => writer.stop()));
      expect(Math.min(...written)).toBeGreaterThan(0);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => ids.includes(id)).sort()).toEqual([...ids].sort());
    },
  );

  it('continue when the last row of each page is erased', async () => {
    const erased: string[] = [];
    const seen = idsOf(
      await readAll(
        ACCOUNTS,
        { first: 7, filter: { group } },
        (data) => data.accounts,
        async (nodes) => {
          const { accountId } = nodes.at(-1);
          erased.push(accountId);
          await project.rest('DELETE', `/account/${accountId}`);
        },
      ),
    );
    expect(erased.length).toBeGreaterThan(40);
    expect(new Set(seen).size).toBe(seen.length);
    expect(ids.filter((id) => !seen.includes(id))).toEqual([]);
  });
});

describe('the order of accounts', () => {
  it('is total for every field and direction, with ties in a fixed order', async () => {
    const group = unique('ordered');
    const days = [3, 1, 2, 3, 1];
    for (const [index, day] of days.entries()) {
      for (let session = 0; session < day; session += 1) {
        const start_time = `2026-01-0${day}T0${session}:00:00Z`;
        await project.authenticate({ id: `${group}-${index}`, group }, { start_time });
      }
    }
    const read = async (field: string, direction: string) =>
      readAll(
        ACCOUNTS,
        { first: 2, orderBy: { field, direction }, filter: { group } },
        (data) => data.accounts,
      );
    const created = days.map((_, index) => `${group}-${index}`);
    expect(idsOf(await read('CREATED_AT', 'ASC'))).toEqual(created);
    for (const [field, key] of [
      ['LAST_SEEN', 'lastSeen'],
      ['NUM_SESSIONS', 'numSessions'],
    ] as const) {
      const up = await read(field, 'ASC');
      expect(idsOf(up).toSorted()).toEqual(created);
      const values = up.map((node) => node[key]);
      expect(values).toEqual(values.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(idsOf(await read(field, 'DESC'))).toEqual(idsOf(up).toReversed());
    }
  });

  it('is the same under several filters at once', async () => {
    const group = unique('filters');
    const email = `${group}@example.com`;
    await project.authenticate(
      { id: `${group}-1`, group, email, lists: [group] },
      { ip_address: '90.54.1.1' },
    );
    await project.authenticate({ id: `${group}-2`, group, email, phone: '+447911123456' });
    await project.authenticate({ id: `${group}-3`, group, email: `x${email}`, lists: [group] });
    const find = async (filter: Body) =>
      idsOf(await readAll(ACCOUNTS, { first: 1, filter }, (data) => data.accounts));
    expect(await find({ email })).toEqual([`${group}-2`, `${group}-1`]);
    expect(await find({ email, list: group })).toEqual([`${group}-1`]);
    expect(await find({ email, phone: '+44 7911 123456', group })).toEqual([`${group}-2`]);
    expect(await find({ list: group, countryCode: 'FR' })).toEqual([`${group}-1`]);
    expect(await find({ group: 'no such group' })).toEqual([]);
    expect(await find({ email: ' ', group })).toEqual([]);
  });

  it('filters by the last seen time, from an inclusive to an exclusive limit', async () => {
    const group = unique('seen');
    for (const day of [1, 2, 3]) {
      await project.authenticate(
        { id: `${group}-${day}`, group },
        { start_time: `2026-01-0${day}T00:00:00.000Z` },
      );
    }
    const filter = {
      group,
      lastSeenAfter: '2026-01-02T00:00:00.000Z',
      lastSeenBefore: '2026-01-03T00:00:00.000Z',
    };
    expect(idsOf(await readAll(ACCOUNTS, { filter }, (data) => data.accounts))).toEqual([`${group}-2`]);
  });
});

describe('pages of links and sessions', () => {
  it('contain each linked account once while the ring grows and the account of the cursor is erased', async () => {
    const phone = '+14155552671';
    const ids = Array.from({ length: 12 }, () => unique('ring'));
    for (const id of ids) await project.authenticate({ id, phone });
    const erased: string[] = [];
    const variables = { id: ids[0], first: 3 };
    const seen = idsOf(
      await readAll(
        LINKS,
        variables,
        (data) => data.account.linkedAccounts,
        async (nodes) => {
          if (erased.length < 2) {
            erased.push(nodes.at(-1).accountId);
            await project.rest('DELETE', `/account/${erased.at(-1)}`);
            await project.authenticate({ id: unique('late'), phone });
          }
        },
      ),
    );
    expect(erased).toHaveLength(2);
    expect(new Set(seen).size).toBe(seen.length);
    expect(ids.slice(1).filter((id) => !seen.includes(id))).toEqual([]);
  });

  it('reject the cursor of the links of another account, and sizes over 100', async () => {
    const username = unique('cursor');
    const ids = Array.from({ length: 3 }, () => unique('three'));
    for (const id of ids) await project.authenticate({ id, username });
    const { linkedAccounts } = (await project.graphql(LINKS, { id: ids[0], first: 1 })).account;
    const after = linkedAccounts.edges[0].cursor;
    expect((await project.graphql(LINKS, { id: ids[0], after })).account.linkedAccounts.edges).toHaveLength(
      1,
    );
    for (const variables of [
      { id: ids[1], after },
      { id: ids[0], after: `${after}x` },
      { id: ids[0], first: 101 },
    ]) {
      const { body } = await project.rawGraphql(LINKS, variables);
      expect(body.errors[0].extensions.code).toBe('input.invalid');
    }
  });

  it('contain each session once in both directions, including sessions with equal times', async () => {
    const start_time = '2025-03-01T10:00:00.000Z';
    const sessionIds = await Promise.all(Array.from({ length: 9 }, () => project.session({ start_time })));
    const read = async (direction: string) => {
      const filter = { startedAfter: start_time, startedBefore: '2025-03-01T10:00:00.001Z' };
      const nodes = await readAll(
        SESSIONS,
        { first: 2, orderBy: { field: 'START_TIME', direction }, filter },
        (data) => data.sessions,
      );
      return nodes.map((node) => node.sessionId);
    };
    expect(await read('ASC')).toEqual(sessionIds.toSorted());
    expect(await read('DESC')).toEqual(sessionIds.toSorted().toReversed());
  });
});

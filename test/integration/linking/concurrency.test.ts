import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

let gateways: Gateway[];
/** The same project through two gateways on one database. */
let clients: TestProject[];
let system: pg.Client;

beforeAll(async () => {
  const masterKey = generateMasterKey();
  const first = await startGateway({ masterKey });
  const second = await startGateway({ masterKey, database: first.database });
  const project = await first.project();
  gateways = [second, first];
  clients = [project, projectClient(second.baseUrl, project.projectId, project.key)];
  system = await connectAs(first.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  for (const gateway of gateways) await gateway.close();
});

const AT_ONCE = 8;
const ROUNDS = 25;

/** In odd rounds the requests alternate between two gateways, otherwise all use one. */
const clientOf = (round: number, index: number) => clients[round % 2 ? index % 2 : 0]!;

async function linkedIds(id: string): Promise<string[]> {
  const { body } = await clients[0]!.rest('GET', `/account/${id}/accounts-linked`);
  return body.accounts_linked.map((linked: { account_id: string }) => linked.account_id).sort();
}

async function expectAllLinked(ids: readonly string[]): Promise<void> {
  const found = await Promise.all(ids.map(linkedIds));
  expect(found).toEqual(ids.map((id) => ids.filter((other) => other !== id).sort()));
}

const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();
const named = (name: string, count = AT_ONCE) =>
  Array.from({ length: count }, (_, index) => `${unique(name)}-${index}`);

type Round = {
  size?: number;
  account?(index: number): Record<string, unknown>;
  facts?(index: number): Record<string, unknown>;
};

/** Accounts authenticate concurrently; afterwards each is linked to all others. */
async function playRound(round: number, { size, account, facts }: Round): Promise<void> {
  const ids = named('at-once', size);
  const sessions = await Promise.all(ids.map((_, index) => clients[0]!.session(facts?.(index))));
  const answers = await Promise.all(
    ids.map((id, index) =>
      clientOf(round, index).rest('POST', '/session/authenticate', {
        session_id: sessions[index],
        account: { id, ...account?.(index) },
      }),
    ),
  );
  expect(statusesOf(answers)).toEqual([200]);
  await expectAllLinked(ids);
}

/** Rows that violate invariants between the tables. */
const CONTRADICTIONS = {
  'a link without its equal counterpart': `select 1 from links a where not exists (
      select 1 from links b where b.project_id = a.project_id and b.account_id = a.linked_account_id
        and b.linked_account_id = a.account_id and (b.score, b.kinds, b.first_seen, b.last_seen)
          = (a.score, a.kinds, a.first_seen, a.last_seen))`,
  'a link of an account that is gone': `select 1 from links l where not exists (
      select 1 from accounts a where a.project_id = l.project_id and a.id = l.account_id)`,
  'an identifier of an account that is gone': `select 1 from identifiers i where not exists (
      select 1 from accounts a where a.project_id = i.project_id and a.id = i.account_id)`,
  'blocking keys that are not those of the account': `select 1 from accounts a
    full join (
      select project_id, account_id as id, account_group,
        string_agg(set_byte('\\x00', 0, kind) || value_hash, '' order by kind, value_hash) as keys
      from blocking_keys group by 1, 2, 3
    ) b using (project_id, id, account_group)
    where coalesce(a.blocking_keys, '') <> coalesce(b.keys, '')`,
  'a binding of an account that is gone': `select 1 from account_sessions b where not exists (
      select 1 from accounts a where a.project_id = b.project_id and a.id = b.account_id)`,
  'a binding to a session that is gone': `select 1 from account_sessions b where not exists (
      select 1 from sessions s where s.project_id = b.project_id and s.session_id = b.session_id)`,
  'a count of sessions that is not theirs': `select 1 from accounts a where a.num_sessions <> (
      select count(*) from account_sessions b where b.project_id = a.project_id and b.account_id = a.id)`,
};

describe('accounts that authenticate concurrently', () => {
  afterEach(async () => {
    for (const [what, sql] of Object.entries(CONTRADICTIONS)) {
      expect((await system.query(sql)).rowCount, what).toBe(0);
    }
  });

  it('are linked by a phone in different formats', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const number = `415555${1000 + round}`;
      const formats = [`+1${number}`, `+1 (${number.slice(0, 3)}) ${number.slice(3)}`];
      await playRound(round, { account: (index) => ({ phone: formats[index % 2] }) });
    }
  });

  it('are linked by email, username and browser', async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = unique('same').replaceAll('-', '');
      await playRound(round, { account: () => ({ email: `${name}@example.com` }) });
      await playRound(round, { account: (index) => ({ username: index % 2 ? name : name.toUpperCase() }) });
      await playRound(round, { facts: () => ({ browser_id: name }) });
    }
  });

  it('are linked by device and network together, up to the sharing limit', async () => {
    for (let round = 0; round < 12; round += 1) {
      const facts = { device_id: unique('device'), ip_address: `9.${round}.77.7` };
      await playRound(round, { size: 2 + (round % 6), facts: () => facts });
    }
  });

  it('are linked when each pair shares another identifier', async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = unique('mixed').replaceAll('-', '');
      const [email, phone] = [`${name}@example.com`, `+1212555${2000 + round}`];
      // Each account has two of these four: consecutive accounts share one, and the fifth kind joins the rest.
      const fields = [{ email }, { phone }, { username: name }, {}];
      await playRound(round, {
        account: (index) => ({ ...fields[index % 4], ...fields[(index + 1) % 4] }),
        facts: () => ({ browser_id: name }),
      });
    }
  });

  it('with the same id are one account, with every session counted once', async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = unique('one');
      const sessions = await Promise.all(named('session').map(() => clients[0]!.session()));
      const answers = await Promise.all(
        [...sessions, ...sessions].map((session_id, index) =>
          clientOf(round, index).rest('POST', '/session/authenticate', { session_id, account: { id } }),
        ),
      );
      expect(statusesOf(answers)).toEqual([200]);
      expect((await clients[0]!.rest('GET', `/account/${id}`)).body.num_sessions).toBe(AT_ONCE);
      const { body } = await clients[0]!.rest('GET', `/account/${id}/sessions`);
      expect(body.sessions.toSorted()).toEqual(sessions.toSorted());
    }
  });

  it('keep correct links while other requests change and erase accounts', async () => {
    for (let round = 0; round < 12; round += 1) {
      const phone = `+1212555${4000 + round}`;
      const ids = named('churn', 6);
      for (const id of ids) await clients[0]!.authenticate({ id });
      const answers = await Promise.all([
        ...ids.map((id, index) => clientOf(round, index).rest('PUT', `/account/${id}`, { phone })),
        clientOf(round, 1).rest('DELETE', `/account/${ids[0]}`),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      await expectAllLinked(ids.slice(1));
    }
  });

  it('stay consistent when one account is authenticated, changed, moved and erased concurrently', async () => {
    for (let round = 0; round < 12; round += 1) {
      const phone = `+1212555${6000 + round}`;
      const [id, other, mover] = [unique('torn'), unique('other'), unique('mover')];
      await clients[0]!.authenticate({ id, phone });
      await clients[0]!.authenticate({ id: mover, group: 'elsewhere', phone });
      const sessions = await Promise.all(named('session', 3).map(() => clients[0]!.session()));
      const authenticate = (index: number, account: Record<string, unknown>) =>
        clientOf(round, index).rest('POST', '/session/authenticate', {
          session_id: sessions[index],
          account,
        });
      const answers = await Promise.all([
        authenticate(0, { id }),
        authenticate(1, { id: other, phone }),
        authenticate(2, { id, username: unique('name') }),
        clientOf(round, 0).rest('PUT', `/account/${id}`, { phone }),
        clientOf(round, 1).rest('DELETE', `/account/${id}`),
        clientOf(round, 0).rest('PUT', `/account/${mover}`, { group: '' }),
      ]);
      expect(statusesOf(answers).filter((status) => status !== 400)).toEqual([200]);
      const holdsPhone = (await clients[0]!.rest('GET', `/account/${id}`)).body.account?.phone === phone;
      await expectAllLinked([...(holdsPhone ? [id] : []), other, mover]);
    }
  });

  it('keep a session or receive an error, when its other account is erased concurrently', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [id, erased] = [unique('keeper'), unique('erased')];
      const { session_id } = await clients[0]!.authenticate({ id: erased });
      const [bound] = await Promise.all([
        clientOf(round, 0).rest('POST', '/session/authenticate', { session_id, account: { id } }),
        clientOf(round, 1).rest('DELETE', `/account/${erased}`),
      ]);
      expect([200, 400]).toContain(bound.status);
      const session = await clients[0]!.rest('GET', `/session/${session_id}`);
      expect(session.body).toMatchObject(
        bound.status === 200 ? { account_ids: [id] } : { message: 'Session ID not found' },
      );
    }
  });
});

import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { openForCommandLine, openProjectForCommandLine } from '../../support/command-project.ts';
import { createTestDatabase } from '../../support/database.ts';
import {
  type Answer,
  type Gateway,
  projectClient,
  startGateway,
  startOwnGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { killInside } from '../../support/killed-gateway.ts';
import { createRule } from '../../support/rules.ts';
import { connectAs, expectBlocked } from '../../support/sql.ts';
import { tripsOf } from '../../support/trips.ts';

/* Changes that arrive together are one transaction, with the effect of one after another. */
const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startOwnGateway({ masterKey, worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

type Requested = { session_id: string; account: { id: string; [field: string]: unknown } };

/** Bodies of authenticates, each with a session of its own. */
async function requestsOf(
  accounts: readonly Requested['account'][],
  of: TestProject = project,
): Promise<Requested[]> {
  const sessions = await Promise.all(
    accounts.map((_, index) => of.session({ ip_address: `90.54.${index}.1` })),
  );
  return accounts.map((account, index) => ({ session_id: sessions[index]!, account }));
}

const sendAll = (requests: readonly Requested[], of: TestProject = project): Promise<Answer[]> =>
  Promise.all(requests.map((body) => of.rest('POST', '/session/authenticate', body)));

const newAccount = () => ({ id: unique('account') });

const others = (count: number) => Array.from({ length: count }, newAccount);

/** Work while PostgreSQL refuses to insert an account, with an error of this SQLSTATE. */
async function withRefused(code: string, work: (accountId: string) => Promise<void>): Promise<void> {
  const owner = await connectAs(gateway.database, 'owner');
  const poison = unique('poison');
  await owner.query(`create function refuse_account() returns trigger language plpgsql as $$
      begin raise exception 'refused' using errcode = '${code}'; end $$;
    create trigger refuse_account before insert on accounts for each row when (new.account_id = '${poison}')
      execute function refuse_account()`);
  try {
    await work(poison);
  } finally {
    await owner.query('drop trigger refuse_account on accounts; drop function refuse_account()');
    await owner.end();
  }
}

/** What `vouchgraph links check` finds in a project. */
async function checkLinks({ database }: Gateway, projectId: string) {
  const config = readConfig({ DATABASE_URL: database.ownerUrl, MASTER_KEY: masterKey });
  const storage = await openForCommandLine(config, database.ownerUrl, 4);
  try {
    const command = await openProjectForCommandLine(storage, projectId);
    return await command.rebuilding.check(command.viewer, () => {});
  } finally {
    await storage.close();
  }
}

const NO_DIFFERENCE = { missing: [], surplus: [], different: [], counters: [], keys: [], identities: 0 };

describe('authenticates that arrive together', () => {
  it('are few transactions', async () => {
    const requests = await requestsOf(Array.from({ length: 24 }, () => ({ id: unique('together') })));
    const trips = await tripsOf(gateway, async () => {
      for (const { status } of await sendAll(requests)) expect(status).toBe(200);
    });
    const writes = trips.flat().filter((name) => name === 'account.write');
    expect(writes.length).toBeLessThan(requests.length / 2);
    for (const { account, session_id } of requests) {
      const { body } = await project.rest('GET', `/account/${account.id}`);
      expect(body).toMatchObject({ account: { id: account.id }, num_sessions: 1, last_session: session_id });
    }
  });

  it('link accounts that share identifiers, exact and near ones, as one after another', async () => {
    const of = await gateway.project();
    const person = { first_name: 'Ada', last_name: 'Lovelace', date_of_birth: '1984-05-06' };
    const accounts = [
      ...Array.from({ length: 6 }, (_, index) => ({ id: `phone-${index}`, phone: '+14155552671' })),
      ...Array.from({ length: 6 }, (_, index) => ({
        ...{ id: `near-${index}`, ...person },
        email: `ada.lovelace${'e'.repeat(index)}@example.com`,
      })),
      ...Array.from({ length: 8 }, (_, index) => ({ id: `alone-${index}`, username: unique('alone') })),
    ];
    const requests = await requestsOf(accounts, of);
    for (const { status } of await sendAll(requests, of)) expect(status).toBe(200);
    // Known accounts, which share the identifiers already.
    for (const { status } of await sendAll(await requestsOf(accounts, of), of)) expect(status).toBe(200);
    const { body } = await of.rest('GET', '/account/phone-0/accounts-linked');
    expect(body.accounts_linked).toHaveLength(5);
    expect(await checkLinks(gateway, of.projectId)).toMatchObject({ accounts: 20, ...NO_DIFFERENCE });
  });

  it('compute identifiers from the stored fields of their turn', async () => {
    const of = await gateway.project();
    const accounts = Array.from({ length: 6 }, (_, index) => ({
      ...{ id: `countries-${index}`, phone: `0151 2345 67${index}0` },
      expected_countries: ['AT'],
    }));
    const created = await sendAll(await requestsOf(accounts, of), of);
    expect(created.map(({ status }) => status)).toEqual(accounts.map(() => 200));
    // The second change of an account is read while the first one runs: a phone without a plus has the country of the first.
    const changes = accounts.flatMap(({ id }, index) => [
      { id, expected_countries: ['DE'] },
      { id, phone: `0151 2345 68${index}0` },
    ]);
    for (const { status } of await sendAll(await requestsOf(changes, of), of)) expect(status).toBe(200);
    expect(await checkLinks(gateway, of.projectId)).toMatchObject({ accounts: 6, ...NO_DIFFERENCE });
  });

  it('count the accounts of a domain as one after another', async () => {
    const domain = `${unique('domain')}.com`;
    const accounts = Array.from({ length: 5 }, (_, index) => ({
      id: unique('of-domain'),
      email: `a${index}@${domain}`,
    }));
    const answers = await sendAll(await requestsOf(accounts));
    const counts = answers.map(({ text }) => Number(/"num_account_from_domain":(\d+)/.exec(text)![1]));
    expect(counts.toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  it('are refused one by one', async () => {
    const good = Array.from({ length: 6 }, () => ({ id: unique('good') }));
    const requests = await requestsOf(good);
    const unknown = { session_id: '00000000-0000-4000-8000-000000000001', account: { id: unique('bad') } };
    const answers = await sendAll([...requests.slice(0, 3), unknown, ...requests.slice(3)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 200, 200, 200]);
    expect((await project.rest('GET', `/account/${unknown.account.id}`)).status).toBe(400);
  });

  it('of one batch have events of one time', async () => {
    const of = await gateway.project();
    for (const { status } of await sendAll(await requestsOf(Array.from({ length: 24 }, newAccount), of), of))
      expect(status).toBe(200);
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      const { rows } = await system.query(
        'select write_id, count(distinct created_at)::int as times from outbox_events where project_id = $1 group by write_id',
        [of.projectId],
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter(({ times }) => times !== 1)).toEqual([]);
    } finally {
      await system.end();
    }
  });

  it('apply a new rule with its list also beside a request that names the list', async () => {
    const of = await gateway.project();
    await of.authenticate(newAccount());
    const name = unique('list');
    expect((await of.rest('POST', `/list/${name}`, {})).status).toBe(200);
    await createRule(of, { expression: 'account.metadata.group = "ruled"', actions: [{ addToList: name }] });
    const [held, ...requests] = await requestsOf(
      Array.from({ length: 13 }, (_, index) => ({
        ...newAccount(),
        ...(index % 2 === 0 ? { lists: [name] } : { metadata: { group: 'ruled' } }),
      })),
      of,
    );
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      // While one change waits, the others are a batch of a process that has not read the rule.
      await system.query('begin');
      const locked = await system.query('select from sessions where session_id = $1 for update', [
        held!.session_id,
      ]);
      expect(locked.rowCount).toBe(1);
      const first = of.rest('POST', '/session/authenticate', held);
      await expectBlocked(system);
      for (const { status } of await sendAll(requests, of)) expect(status).toBe(200);
      await system.query('rollback');
      // Its own wait for the lock may have ended before.
      await first;
    } finally {
      await system.end();
    }
    for (const { account } of requests) {
      const query = 'query ($id: ID!) { account(accountId: $id) { lists { name } } }';
      expect((await of.graphql(query, { id: account.id })).account.lists).toEqual([{ name }]);
    }
  });

  it.each([
    ['a fault', 'P0001', 500],
    ['text that PostgreSQL cannot store', '22021', 400],
  ])('are repeated alone when a statement fails for one of them: %s', async (_, code, status) => {
    await withRefused(code, async (poison) => {
      const requests = await requestsOf([...others(5), { id: poison }, ...others(5)]);
      const answers = await sendAll(requests);
      expect(answers.map((answer) => answer.status)).toEqual(
        requests.map(({ account: { id } }) => (id === poison ? status : 200)),
      );
      expect((await project.rest('GET', `/account/${poison}`)).status).toBe(400);
    });
  });

  it('are not repeated when the server has no room', async () => {
    await withRefused('53300', async (poison) => {
      const requests = await requestsOf([...others(3), { id: poison }, ...others(7)]);
      let answers: Answer[] = [];
      const trips = await tripsOf(gateway, async () => {
        answers = await sendAll(requests);
      });
      expect(answers[3]!.status).toBe(503);
      const writes = trips.flat().filter((name) => name === 'account.write');
      expect(writes.length).toBeLessThanOrEqual(requests.length);
    });
  });

  it('mark the idempotency key of each committed request', async () => {
    const requests = await requestsOf(Array.from({ length: 8 }, () => ({ id: unique('keyed') })));
    const unknown = { session_id: '00000000-0000-4000-8000-000000000002', account: { id: unique('bad') } };
    const keyed = [...requests, unknown].map((body) => ({ body, key: { 'idempotency-key': unique('key') } }));
    const sendKeyed = () =>
      Promise.all(keyed.map(({ body, key }) => project.rest('POST', '/session/authenticate', body, key)));
    let first: Answer[] = [];
    const trips = await tripsOf(gateway, async () => {
      first = await sendKeyed();
    });
    expect(trips.flat().filter((name) => name === 'idempotency.mark_applied')).toHaveLength(requests.length);
    const again = await sendKeyed();
    expect(again.map(({ status, body }) => ({ status, body }))).toEqual(
      first.map(({ status, body }) => ({ status, body })),
    );
  });

  it('are complete or absent after a gateway is killed in their transaction', {
    timeout: 240_000,
  }, async () => {
    const database = await createTestDatabase();
    const own = await startGateway({ database, masterKey });
    try {
      const of = await own.project();
      const accounts = Array.from({ length: 12 }, () => ({ id: unique('killed') }));
      for (const { status } of await sendAll(await requestsOf(accounts, of), of)) expect(status).toBe(200);
      const sessionsOf = async ({ id }: { id: string }): Promise<number> =>
        (await of.rest('GET', `/account/${id}`)).body.num_sessions;
      const requests = await requestsOf(accounts, of);
      const sent: Promise<Answer | null>[] = [];
      await killInside({
        ...{ database, masterKey },
        change: { table: 'accounts', when: `new.account_id = '${accounts[5]!.id}'` },
        async begin(baseUrl) {
          const victim = projectClient(baseUrl, of.projectId, of.key);
          for (const body of requests)
            sent.push(victim.rest('POST', '/session/authenticate', body).catch(() => null));
        },
      });
      for (const [index, answer] of (await Promise.all(sent)).entries()) {
        if (answer === null) continue;
        expect(answer.status).toBe(200);
        expect(await sessionsOf(accounts[index]!)).toBe(2);
      }
      expect(await sessionsOf(accounts[5]!)).toBe(1);
      for (const { status } of await sendAll(requests, of)) expect(status).toBe(200);
      expect(await Promise.all(accounts.map(sessionsOf))).toEqual(accounts.map(() => 2));
      expect(await checkLinks(own, of.projectId)).toMatchObject({ accounts: 12, ...NO_DIFFERENCE });
    } finally {
      await own.close();
      await database.drop();
    }
  });
});

import type { AuthenticateAccount } from '@vouchgraph/decisions/internals/account/account-input';
import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountService } from '../../../src/domain/accounts/account-service.ts';
import { recalculateLinks } from '../../../src/domain/linking/recalculation-worker.ts';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import type { Project } from '../../../src/domain/projects/project.ts';
import { bindSessionOfCheck } from '../../../src/domain/verification/result/bind-check-service.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

/* What batches of an import remember of each other, and what they leave to the recalculation. */

const masterKey = generateMasterKey();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ masterKey, recalculatesLinks: false });
});
afterAll(() => gateway.close());

type Import = { owner: Project; store(accounts: readonly AuthenticateAccount[]): Promise<void> };

/** An import into the project. Accounts of one call are stored in batches. */
async function openImport({ projectId }: TestProject): Promise<Import> {
  const { database } = gateway.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock: systemClock });
  const owner = (await access.findProjectById(projectId))!;
  const accounts = createAccountService({
    clock: systemClock,
    bindSessionOfCheck,
    erasures: [],
    mailExchangers: null,
  });
  const actor = { kind: 'key', role: 'operator', actor: 'command line', limitKey: '' } as const;
  const write = accounts.openImport({ project: owner, ...actor }, newId(), { batches: 2 });
  return {
    owner,
    async store(them) {
      await Promise.all(them.map((account) => write(account)));
    },
  };
}

const LINKS = {
  name: 'test.links',
  text: `select a.account_id as a, b.account_id as b, l.score, l.kinds, l.bridges from links l
    join accounts a on a.project_id = l.project_id and a.id = l.account_id
    join accounts b on b.project_id = l.project_id and b.id = l.linked_account_id
    where l.project_id = $1 order by 1, 2`,
};
const linksOf = (projectId: string) => gateway.app.database.system.query(LINKS, [projectId]);

/** Pending identifiers, and those without colleague-0. */
const WAITING = {
  name: 'test.waiting',
  text: `select count(*)::int as all, count(*) filter (where not exists (
      select 1 from identifiers i join accounts a on a.project_id = i.project_id and a.id = i.account_id
      where i.project_id = r.project_id and i.kind = r.kind and i.value_hash = r.value_hash
        and a.account_id = 'colleague-0'))::int as others
    from link_recalculations r where project_id = $1`,
};

describe('identifiers with additional accounts', () => {
  const COMPANIES = 16;
  /** Colleagues with the same name and role mailbox: up to three are linked by both, four are not. */
  const colleagues = Array.from({ length: COMPANIES * 8 }, (_, index) => ({
    id: `colleague-${index}`,
    email: `info@company-${index % COMPANIES}.example`,
    firstName: 'Ada',
    lastName: `Lovelace${'abcdefghijklmnop'[index % COMPANIES]!.repeat(6)}`,
    ...(index % 5 === 0 ? { phone: `+1415555${2600 + (index % 40)}` } : {}),
  }));

  it('are recalculated in batches, with the same links as for accounts stored one by one', async () => {
    const [together, apart] = [await gateway.project(), await gateway.project()];
    const batches = await openImport(together);
    await batches.store(colleagues);
    const [pending] = await gateway.app.database.system.query(
      {
        name: 'test.pending',
        text: 'select count(distinct (kind, value_hash))::int as count from link_recalculations where project_id = $1',
      },
      [together.projectId],
    );
    expect(pending.count).toBeGreaterThanOrEqual(2 * COMPANIES);
    gateway.takeStatements();
    await recalculateLinks(batches.owner, systemClock);
    const commits = gateway.takeStatements().filter((name) => name === 'commit');
    expect(commits.length).toBeLessThan(pending.count / 2);

    const single = await openImport(apart);
    for (const account of colleagues) await single.store([account]);
    await recalculateLinks(single.owner, systemClock);
    const links = await linksOf(together.projectId);
    expect(links).toEqual(await linksOf(apart.projectId));
    expect(links.length).toBeGreaterThan(0);
  });

  it('are recalculated one by one while another transaction locks one of their accounts', async () => {
    const project = await gateway.project();
    const { owner, store } = await openImport(project);
    await store(colleagues);
    const held = await gateway.app.database.system.connect();
    try {
      await held.query('begin');
      const lock = owner.cipher.blindIndex('account lock', 'colleague-0').readBigInt64BE();
      await held.query('select pg_advisory_xact_lock($1)', [String(lock)]);
      const stop = new AbortController();
      const settling = recalculateLinks(owner, systemClock, { signal: stop.signal });
      const waiting = async () => (await gateway.app.database.system.query(WAITING, [project.projectId]))[0]!;
      await expect.poll(waiting).toMatchObject({ others: 0 });
      expect((await waiting()).all).toBeGreaterThan(0);
      stop.abort();
      await settling;
    } finally {
      await held.query('rollback');
      held.release();
    }
    await recalculateLinks(owner, systemClock);
    expect(await gateway.app.database.system.query(WAITING, [project.projectId])).toEqual([
      { all: 0, others: 0 },
    ]);
  });

  it('are recalculated while a change has the lock of one of them', async () => {
    const project = await gateway.project();
    const { owner, store } = await openImport(project);
    await store(colleagues);
    // The identifier that is processed last: the identifier of the last row can have an earlier row too.
    const [newest] = await gateway.app.database.system.query<{ value_hash: Buffer }>(
      {
        name: 'test.last_in_turn',
        text: `select value_hash from link_recalculations where project_id = $1 group by kind, value_hash, account_group
          order by min(created_at) desc, min(recalculation_id::text) desc limit 1`,
      },
      [project.projectId],
    );
    const countOthers = async () => {
      const [row] = await gateway.app.database.system.query(
        {
          name: 'test.other_marks',
          text: 'select count(*)::int as others from link_recalculations where project_id = $1 and value_hash <> $2',
        },
        [project.projectId, newest!.value_hash],
      );
      return row.others as number;
    };
    expect(await countOthers()).toBeGreaterThan(32);
    const held = await gateway.app.database.system.connect();
    const stop = new AbortController();
    let settling = Promise.resolve();
    try {
      await held.query('begin');
      await held.query('select pg_advisory_xact_lock($1)', [String(newest!.value_hash.readBigInt64BE())]);
      settling = recalculateLinks(owner, systemClock, { signal: stop.signal });
      // Identifiers of its batch can wait with it.
      await expect.poll(countOthers).toBeLessThan(16);
    } finally {
      stop.abort();
      await held.query('rollback');
      held.release();
    }
    await settling;
  });
});

describe('batches of one import', () => {
  it('use the current state of accounts that the gateway changed', async () => {
    const project = await gateway.project();
    const { store } = await openImport(project);
    const mary = { firstName: 'Mary', lastName: 'Walker' };
    await store([
      { id: 'moved', email: 'annika.walker77@few-mail.example', ...mary },
      { id: 'stayed', email: 'bertram.walker77@few-mail.example', ...mary },
    ]);
    const changed = await project.rest('PUT', '/account/moved', { email: 'quite.another@other.example' });
    expect(changed.status).toBe(200);
    await store([
      { id: 'near moved', email: 'annika.walkers77@few-mail.example', ...mary },
      { id: 'near stayed', email: 'bertram.walkers77@few-mail.example', ...mary },
      { id: 'near the new one', email: 'quite.anohter@other.example', ...mary },
    ]);
    const linked = (await linksOf(project.projectId)).map(({ a, b }) => `${a}, ${b}`);
    expect(linked).toContain('moved, near the new one');
    expect(linked).toContain('near stayed, stayed');
    expect(linked).not.toContain('moved, near moved');
  });

  it('increase the count of an email domain by stored accounts only', async () => {
    const project = await gateway.project();
    const { owner, store } = await openImport(project);
    const people = (wave: number) =>
      Array.from({ length: 5 }, (_, index) => ({
        id: `wave-${wave}-${index}`,
        email: `person${wave}x${index * 1111}@counted.example.com`,
      }));
    await store(people(1));
    const tooLarge = {
      id: 'refused',
      email: 'refused@counted.example.com',
      metadata: { text: 'x'.repeat(70_000) },
    };
    await expect(store([tooLarge])).rejects.toThrow('metadata');
    await store(people(2));
    const rows = await gateway.app.database.system.query<{ event_id: string; payload: Buffer }>(
      {
        name: 'test.events',
        text: `select event_id, payload from outbox_events where project_id = $1 and type = 'account.updated' order by write_id, place`,
      },
      [project.projectId],
    );
    const counts = rows.map(
      ({ event_id, payload }) =>
        owner.cipher.decryptJson<{ emailFacts: { numAccountFromDomain: number } }>(
          'outbox_events',
          event_id,
          payload,
        ).emailFacts.numAccountFromDomain,
    );
    expect(counts.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('contain known accounts whose identifiers depend on stored fields, and accounts with existing lists', async () => {
    const project = await gateway.project();
    const { store } = await openImport(project);
    const ids = Array.from({ length: 20 }, (_, index) => `known-${index}`);
    await store(ids.map((id, index) => ({ id, phone: `+1415555${2600 + index}`, firstName: 'Ada' })));
    await project.graphql('mutation { createList(input: { name: "imported" }) { list { name } } }');
    gateway.takeStatements();
    const changed = ids.map((id, index) => ({
      id,
      lastName: `Lovelace${'abcdefghijklmnopqrst'[index]!.repeat(6)}`,
      lists: ['imported'],
    }));
    await store(changed);
    // A change of its own acquires the lock of its account before it reads the fields, and again with all others.
    const statements = gateway.takeStatements();
    const countOf = (wanted: string) => statements.filter((name) => name === wanted).length;
    expect(countOf('account.lock')).toBe(countOf('identifier.lock'));
    expect(countOf('account.lock')).toBeGreaterThan(0);
    for (const { id, lastName } of changed) {
      const { account } = await project.graphql(
        `{ account(accountId: "${id}") { firstName lastName phone lists { name } } }`,
      );
      expect(account).toMatchObject({ firstName: 'Ada', lastName, lists: [{ name: 'imported' }] });
    }
  });

  it('create a list that an account names, and refuse one account without an effect on the others', async () => {
    const project = await gateway.project();
    const { owner, store } = await openImport(project);
    const named = ['one', 'two', 'three'].map((id) => ({ id, username: id, lists: ['created'] }));
    await store(named);
    const members = await gateway.app.database.system.query(
      {
        name: 'test.members',
        text: `select a.account_id from list_members m join lists l using (project_id, list_id)
          join accounts a on a.project_id = m.project_id and a.id = m.account_id
          where m.project_id = $1 and l.name = 'created' order by 1`,
      },
      [owner.projectId],
    );
    expect(members.map(({ account_id }) => account_id)).toEqual(['one', 'three', 'two']);
    const tooLarge = { id: 'refused', metadata: { text: 'x'.repeat(70_000) } };
    const outcomes = await Promise.allSettled([
      store([{ id: 'before', username: 'before' }]),
      store([tooLarge]),
      store([{ id: 'after', username: 'after' }]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { parseEmail } from '../../../src/domain/email/email-address.ts';
import { CONTACT_KINDS, IDENTIFIER_KINDS } from '../../../src/domain/identifiers/identifier-kinds.ts';
import { nameKey } from '../../../src/domain/identifiers/person-name.ts';
import { usernameKey } from '../../../src/domain/identifiers/username.ts';
import { MATCH_KEY_VERSION } from '../../../src/domain/linking/account-identifiers.ts';
import { nearEmailBlocks } from '../../../src/domain/linking/email-blocks.ts';
import { generateMasterKey } from '../../../src/platform/crypto.ts';
import {
  openForCommandLine,
  openProjectForCommandLine,
  type ProjectForCommandLine,
} from '../../support/command-project.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/*
 * Accounts with the match keys of version 1, which had no placeholders and no role mailboxes, stored no first names, and
 * kept the digits of a phone number that no numbering plan assigns.
 */

const masterKey = generateMasterKey();
let gateway: Gateway;
let sql: pg.Client;
let storage: Awaited<ReturnType<typeof openForCommandLine>>;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, recalculatesLinks: false });
  sql = await connectAs(gateway.database, 'vouchgraph_system');
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  storage = await openForCommandLine(config, gateway.database.ownerUrl, 8);
});
afterAll(async () => {
  await sql.end();
  await storage.close();
  await gateway.close();
});

type Fields = { email?: string; phone?: string; username?: string; first_name?: string; last_name?: string };

const CONTACT_NUMBERS = CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);

/** Identifiers of fields by version 1. The tests use phones whose digits it kept, and valid ones with a plus. */
function formerKeys({ email = '', phone = '', username = '', first_name = '', last_name = '' }: Fields) {
  const parsed = email === '' ? null : parseEmail(email);
  const isValidPhone = phone.startsWith('+1');
  return [
    ['email', parsed?.canonical ?? ''],
    ['phone', isValidPhone ? phone : phone.replace(/\D/g, '')],
    ['username', username === '' ? '' : usernameKey(username)],
    ['name', nameKey(first_name, last_name)],
    ...(email === ''
      ? []
      : nearEmailBlocks(parseEmail(email).canonical).map((block) => ['email_block', block] as const)),
    ['email_domain', parsed?.registrableDomain ?? ''],
  ].filter(([, value]) => value !== '') as [keyof typeof IDENTIFIER_KINDS, string][];
}

/** Writes the keys of version 1 of accounts, with the links by them. */
async function makeFormer(
  { viewer, accounts, settle }: ProjectForCommandLine,
  fieldsOf: ReadonlyMap<string, Fields>,
): Promise<void> {
  const { cipher, projectId } = viewer.project;
  for (const [id, fields] of fieldsOf) {
    const keys = formerKeys(fields);
    await sql.query(
      `with old as (
         update accounts set match_key_version = 1 where project_id = $1 and account_id = $2
         returning id, account_group, created_at
       ), gone as (
         delete from identifiers i using old
         where i.project_id = $1 and i.account_id = old.id and i.kind = any($3::smallint[])
           and (i.kind, i.value_hash) not in (select * from unnest($4::smallint[], $5::bytea[]))
       )
       insert into identifiers (project_id, account_id, kind, value_hash, account_group, first_seen, last_seen, uses)
       select distinct $1::uuid, old.id, k.kind, k.value_hash, old.account_group, old.created_at, old.created_at, 1
       from old, unnest($4::smallint[], $5::bytea[]) as k (kind, value_hash)
       on conflict do nothing`,
      [
        projectId,
        id,
        CONTACT_NUMBERS,
        keys.map(([kind]) => IDENTIFIER_KINDS[kind]),
        keys.map(([kind, value]) => cipher.blindIndex(kind, value)),
      ],
    );
  }
  for (const id of fieldsOf.keys()) await accounts.relink(viewer, id);
  await settle();
  await sql.query('delete from outbox_events where project_id = $1', [projectId]);
}

async function leftIn({ projectId }: TestProject): Promise<{ stale: number; earlier: number }> {
  const { rows } = await sql.query(
    `select count(*) filter (where match_key_version < $2)::int as stale,
       count(*) filter (where holds_earlier_keys)::int as earlier
     from accounts where project_id = $1`,
    [projectId, MATCH_KEY_VERSION],
  );
  return rows[0];
}

async function linkedTo(project: TestProject, id: string): Promise<string[]> {
  await gateway.app.recalculateLinks(project.projectId);
  const { body } = await project.rest('GET', `/account/${id}/accounts-linked`);
  return body.accounts_linked.map((link: Body) => link.account_id).sort();
}

/** Link events that were emitted, of each pair in its order; each event is emitted to both accounts or once. */
async function linkEvents(project: TestProject): Promise<string[]> {
  await gateway.app.settleEvents();
  const { events } = await project.graphql(
    `{ events(first: 100, types: [ACCOUNT_LINKED, ACCOUNT_UNLINKED]) { edges { node { type data } } } }`,
  );
  return events.edges
    .map(({ node }: Body) =>
      [node.type, ...[node.data.account_id, node.data.linked_account_id].sort()].join(' '),
    )
    .sort();
}

const RIGHT = { missing: [], surplus: [], different: [], counters: [], identities: 0 };
const checkOf = ({ rebuilding, viewer }: ProjectForCommandLine) => rebuilding.check(viewer, () => {});

it('mailboxes, placeholders and phones of version 1 are rewritten, with events of ended and new links', async () => {
  const project = await gateway.project();
  const command = await openProjectForCommandLine(storage, project.projectId);
  const shared = { email: 'the.lovelaces@acme-widgets.com' };
  const accounts: Record<string, Fields> = {
    role1: { email: 'info@acme-widgets.com', first_name: 'Ada', last_name: 'Lovelace' },
    role2: { email: 'Info@acme-widgets.com' },
    role3: { email: 'info+eu@acme-widgets.com', first_name: 'Ada', last_name: 'Lovelace' },
    mail1: { ...shared, first_name: 'Ada' },
    mail2: { ...shared, first_name: 'Byron' },
    mail3: { ...shared, first_name: 'Clara' },
    mail4: { ...shared, first_name: 'Dora' },
    mail5: { ...shared },
    user1: { username: 'N/A' },
    user2: { username: 'n/a' },
    none1: { email: 'none@none.com', first_name: 'Grace', last_name: 'Hopper' },
    none2: { email: 'none@none.com', first_name: 'Grace', last_name: 'Hopper' },
    phone1: { phone: '+44 7700 900301' },
    phone2: { phone: '+44 (0)7700 900301' },
    zero1: { phone: '0000000000' },
    zero2: { phone: '000-000-0000' },
    same1: { email: 'emil@acme-widgets.com', first_name: 'Emil' },
    same2: { email: 'Emil@acme-widgets.com', first_name: 'Emil' },
  };
  for (const [id, fields] of Object.entries(accounts)) await project.authenticate({ id, ...fields });
  await makeFormer(command, new Map(Object.entries(accounts)));
  const mails = ['mail1', 'mail2', 'mail3', 'mail4', 'mail5'];
  expect(await linkedTo(project, 'role1')).toEqual(['role2', 'role3']);
  // Keys of version 1 detect no shared mailbox; first names are compared in clear text nevertheless.
  expect(await linkedTo(project, 'mail5')).toEqual(mails.slice(0, 4));
  expect(await linkedTo(project, 'mail1')).toEqual(['mail5']);
  expect(await linkedTo(project, 'none1')).toEqual(['none2']);
  expect(await linkedTo(project, 'user1')).toEqual(['user2']);
  expect(await linkedTo(project, 'zero1')).toEqual(['zero2']);
  expect(await linkedTo(project, 'phone1')).toEqual([]);
  expect(await checkOf(command)).toMatchObject(RIGHT);

  await gateway.app.rewriteMatchKeys();
  expect(await leftIn(project)).toEqual({ stale: 0, earlier: 0 });
  expect(await checkOf(command)).toMatchObject({ ...RIGHT, keys: [], accounts: 18 });
  expect(await linkedTo(project, 'role1')).toEqual(['role3']);
  for (const id of ['role2', ...mails, 'user1', 'none1', 'zero1']) {
    expect({ id, linked: await linkedTo(project, id) }).toEqual({ id, linked: [] });
  }
  expect(await linkedTo(project, 'phone1')).toEqual(['phone2']);
  expect(await linkedTo(project, 'same1')).toEqual(['same2']);
  const ended = [
    'role1 role2',
    'role2 role3',
    ...mails.slice(0, 4).map((one) => `${one} mail5`),
    'user1 user2',
    'none1 none2',
    'zero1 zero2',
  ].map((pair) => `ACCOUNT_UNLINKED ${pair}`);
  expect(await linkEvents(project)).toEqual(['ACCOUNT_LINKED phone1 phone2', ...ended].sort());
});

it('an email that becomes a role mailbox keeps its first time', async () => {
  const project = await gateway.project();
  const command = await openProjectForCommandLine(storage, project.projectId);
  const account = { id: 'a', email: 'info@acme-widgets.com' };
  await project.authenticate(account);
  await makeFormer(command, new Map([['a', account]]));
  const known = { first: '2026-02-01T00:00:00.000Z', last: '2026-03-01T00:00:00.000Z', uses: 7 };
  await sql.query(
    `update identifiers set first_seen = $3, last_seen = $4, uses = $5 where project_id = $1 and kind = $2`,
    [project.projectId, IDENTIFIER_KINDS.email, known.first, known.last, known.uses],
  );
  await gateway.app.rewriteMatchKeys();
  const { rows } = await sql.query(
    'select first_seen, last_seen, uses from identifiers where project_id = $1 and kind = $2',
    [project.projectId, IDENTIFIER_KINDS.role_email],
  );
  expect(rows).toEqual([
    { first_seen: new Date(known.first), last_seen: new Date(known.last), uses: known.uses },
  ]);
});

it('a mailbox with keys of both versions is shown once', async () => {
  const project = await gateway.project();
  const command = await openProjectForCommandLine(storage, project.projectId);
  const fields = { email: 'sales@acme-widgets.com' };
  for (const id of ['a', 'b']) await project.authenticate({ id, ...fields });
  await makeFormer(command, new Map(['a', 'b'].map((id) => [id, fields])));
  for (const id of ['a', 'b']) await command.accounts.rekey(command.viewer, id, 'add');
  const { account } = await project.graphql(
    '{ account(accountId: "a") { linkedAccounts { edges { score matchTypes evidence { kind weight supportsBecause } } } } }',
  );
  expect(account.linkedAccounts.edges).toEqual([
    { score: 1, matchTypes: ['EMAIL'], evidence: [{ kind: 'EMAIL', weight: 1, supportsBecause: null }] },
  ]);
  await gateway.app.rewriteMatchKeys();
});

it('accounts are found by their contacts before, during and after the rewrite', async () => {
  const project = await gateway.project();
  const command = await openProjectForCommandLine(storage, project.projectId);
  const fields = { email: 'sales@acme-widgets.com', phone: '0000000000', username: 'n/a' };
  for (const id of ['a', 'b']) await project.authenticate({ id, ...fields });
  const expectFound = async () => {
    for (const [name, value] of Object.entries(fields)) {
      const { accounts } = await project.graphql(
        'query ($filter: AccountFilter) { accounts(filter: $filter) { edges { node { accountId } } } }',
        { filter: { [name]: value } },
      );
      const ids = accounts.edges.map(({ node }: Body) => node.accountId).sort();
      expect({ name, ids }).toEqual({ name, ids: ['a', 'b'] });
    }
  };
  await makeFormer(
    command,
    new Map([
      ['a', fields],
      ['b', fields],
    ]),
  );
  await expectFound();
  await command.accounts.rekey(command.viewer, 'a', 'add');
  await expectFound();
  await gateway.app.rewriteMatchKeys();
  await expectFound();
});

it('identifiers of kinds that a later version stores are ignored', async () => {
  const project = await gateway.project();
  const command = await openProjectForCommandLine(storage, project.projectId);
  const account = { email: 'ada@acme-widgets.com' };
  for (const id of ['a', 'b']) await project.authenticate({ id, ...account });
  await sql.query(
    `insert into identifiers (project_id, account_id, kind, value_hash, account_group, first_seen, last_seen)
     select project_id, account_id, 9999, value_hash, account_group, first_seen, last_seen
     from identifiers where project_id = $1 and kind = $2`,
    [project.projectId, IDENTIFIER_KINDS.email],
  );
  await project.authenticate({ id: 'a', ...account });
  expect((await project.rest('PUT', '/account/b', { group: 'eu' })).status).toBe(200);
  expect((await project.rest('PUT', '/account/b', { group: '' })).status).toBe(200);
  expect(await linkedTo(project, 'a')).toEqual(['b']);
  expect(await checkOf(command)).toMatchObject({ ...RIGHT, keys: [] });
  expect((await project.rest('DELETE', '/account/b')).status).toBe(200);
  expect(await linkedTo(project, 'a')).toEqual([]);
});

type Step =
  | { kind: 'add' | 'settle' | 'delete'; account: number }
  | { kind: 'authenticate' | 'update'; account: number; fields: Fields; group?: string };

const maybe = <T>(...values: T[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: values.length });
const contacts: fc.Arbitrary<Fields> = fc.record({
  email: maybe(
    'bob@acme-widgets.com',
    'bob@acme-widgets.com',
    'Bob+1@acme-widgets.com',
    'info@acme-widgets.com',
    'none@none.com',
    '',
  ),
  phone: maybe('+44 7700 900302', '+44 (0)7700 900302', '0000000000', '+14155552671', ''),
  username: maybe('n/a', 'N/A', 'ada', ''),
  first_name: maybe('Ada', 'Byron', 'Clara', 'Dora', 'test', ''),
  last_name: maybe('Lovelace', 'test', ''),
});
const ACCOUNTS = 9;
const account = fc.integer({ min: 0, max: ACCOUNTS - 1 });
const request: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('authenticate' as const), account, fields: contacts }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      account,
      fields: contacts,
      group: fc.option(fc.constantFrom('', 'eu'), { nil: undefined, freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), account }) },
);
const stepsOf = (kind: 'add' | 'settle') =>
  fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.record({ kind: fc.constant(kind), account }) },
      { weight: 3, arbitrary: request },
    ),
    { minLength: 4, maxLength: 24 },
  );

it('requests at any moment of the rewrite leave links that equal a recomputation', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(contacts, { minLength: ACCOUNTS, maxLength: ACCOUNTS }),
      stepsOf('add'),
      stepsOf('settle'),
      fc.boolean(),
      async (first, adding, settling, isParallel) => {
        const project = await gateway.project();
        const command = await openProjectForCommandLine(storage, project.projectId);
        const idOf = (number: number) => `a${number}`;
        for (const [number, fields] of first.entries())
          await project.authenticate({ id: idOf(number), ...fields });
        await makeFormer(command, new Map(first.map((fields, number) => [idOf(number), fields])));

        const run = async (step: Step): Promise<void> => {
          const id = idOf(step.account);
          if (!('fields' in step)) {
            if (step.kind === 'delete') await project.rest('DELETE', `/account/${id}`);
            else await command.accounts.rekey(command.viewer, id, step.kind);
          } else if (step.kind === 'authenticate') {
            await project.authenticate({ id, ...step.fields });
          } else {
            const group = step.group === undefined ? {} : { group: step.group };
            await project.rest('PUT', `/account/${id}`, { ...step.fields, ...group });
          }
        };
        const expectConsistent = async () => {
          await gateway.app.recalculateLinks(project.projectId);
          expect(await checkOf(command)).toMatchObject(RIGHT);
        };
        const runAll = async (steps: readonly Step[]) => {
          if (!isParallel) {
            for (const step of steps) {
              await run(step);
              await expectConsistent();
            }
            return;
          }
          const ofAccounts = [...Map.groupBy(steps, (step) => step.account).values()];
          await Promise.all(
            ofAccounts.map(async (own) => {
              for (const step of own) await run(step);
            }),
          );
          await expectConsistent();
        };
        await runAll(adding);
        for (let number = 0; number < ACCOUNTS; number++)
          await command.accounts.rekey(command.viewer, idOf(number), 'add');
        await expectConsistent();
        await runAll(settling);
        await gateway.app.rewriteMatchKeys();
        expect(await leftIn(project)).toEqual({ stale: 0, earlier: 0 });
        await gateway.app.recalculateLinks(project.projectId);
        expect(await checkOf(command)).toMatchObject({ ...RIGHT, keys: [] });
      },
    ),
    {
      numRuns: Number(process.env.MODEL_RUNS ?? 12),
      seed: Number(process.env.MODEL_SEED ?? 20261124),
      endOnFailure: true,
    },
  );
}, 600_000);

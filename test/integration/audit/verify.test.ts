import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { auditEntries, auditHeadOf } from '../../support/audit.ts';
import {
  type Body,
  type Gateway,
  startOwnGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { connectAsTamperer } from '../../support/sql.ts';
import { enroll, playedVerification } from '../../support/verification.ts';

const masterKey = generateMasterKey();
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
let tamperer: pg.Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-audit-verify-'));
  gateway = await startOwnGateway({ clock, masterKey, worksInBackground: false });
  tamperer = await connectAsTamperer(gateway.database);
});
afterAll(async () => {
  await tamperer.end();
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  project = await gateway.project();
});

const audit = (...args: string[]) =>
  runCommand(['audit', ...args], { DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });

/** Writes the head of a project into a new file. */
async function exportHead(of = project): Promise<string> {
  const file = path.join(folder, `${unique('head')}.json`);
  expect(await audit('head', of.projectId, '--out', file)).toMatchObject({ code: 0, output: '' });
  return file;
}

async function verify(head?: string): Promise<Body> {
  const options = head === undefined ? [] : ['--head', head];
  const { code, output, errors } = await audit('verify', project.projectId, '--json', ...options);
  expect(errors).toBe('');
  const report = JSON.parse(output);
  expect(code).toBe(report.valid ? 0 : 1);
  return report;
}

/** Adds `count` - 1 entries, the first behind that of the key, to the chain. */
async function entries(count: number): Promise<void> {
  for (let index = 2; index <= count; index += 1)
    await project.graphql(
      'mutation ($name: String!) { createList(input: { name: $name, description: "" }) { requestId } }',
      { name: unique('list') },
    );
  await gateway.app.chainAuditEntries();
}
const tamper = (sql: string) => tamperer.query(sql, [project.projectId]);
/** SQL: the id of the entry at a position. */
const at = (position: number) =>
  `(select c.audit_id from audit_chain c where c.project_id = $1 and c.position = ${position})`;

/** Computes the chain of the project again, as somebody who knows the code can. */
async function chainAgain(): Promise<void> {
  await tamper(
    `with gone as (delete from audit_chain where project_id = $1 returning project_id, audit_id, position)
     insert into audit_unchained (project_id, audit_id)
     select g.project_id, g.audit_id from gone g join audit_log using (project_id, audit_id) order by g.position`,
  );
  await gateway.app.chainAuditEntries();
}

describe('audit verify', () => {
  it('accepts a log without changes, with its current and an earlier head', async () => {
    await entries(4);
    const early = await exportHead();
    await entries(4);
    const head = await exportHead();
    for (const file of [undefined, early, head])
      expect(await verify(file)).toEqual({
        valid: true,
        entries: 7,
        erased_values: 0,
        problem_count: 0,
        problems: [],
      });
    const { code, output } = await audit('verify', project.projectId, '--head', head);
    expect(code).toBe(0);
    expect(output).toContain('The audit log is complete and unchanged.');
  });

  it.each<[string, string, Body]>([
    [
      'a changed target',
      `update audit_log set target = 'list:other' where project_id = $1 and audit_id = ${at(3)}`,
      { kind: 'changed', position: 3, parts: ['entry'] },
    ],
    [
      'a changed actor',
      `update audit_log set actor = 'system' where project_id = $1 and audit_id = ${at(2)}`,
      { kind: 'changed', position: 2, parts: ['entry'] },
    ],
    [
      'a changed role and value',
      `update audit_log set role = 'read', after = '{"effect":"block"}' where project_id = $1 and audit_id = ${at(2)}`,
      { kind: 'changed', position: 2, parts: ['entry', 'after'] },
    ],
    [
      'a value without its salt',
      `update audit_log set after_salt = null where project_id = $1 and audit_id = ${at(5)}`,
      { kind: 'changed', position: 5, parts: ['after'] },
    ],
    [
      'a removed value whose salt remains',
      `update audit_log set address = null where project_id = $1 and audit_id = ${at(5)}`,
      { kind: 'changed', position: 5, parts: ['address'] },
    ],
    [
      'a removed entry',
      `delete from audit_log where project_id = $1 and audit_id = ${at(4)}`,
      { kind: 'removed', position: 4 },
    ],
    [
      'an inserted entry',
      `insert into audit_log (project_id, audit_id, actor, action, target)
       values ($1, '0198c0de-0000-7000-8000-000000000001', 'system', 'list.create', 'list:made')`,
      { kind: 'inserted', audit_id: '0198c0de-0000-7000-8000-000000000001' },
    ],
  ])('reports %s', async (_name, sql, problem) => {
    await entries(5);
    await tamper(sql);
    const { valid, problems } = await verify();
    expect({ valid, problems }).toEqual({ valid: false, problems: [expect.objectContaining(problem)] });
  });

  it('reports removed links and entries', async () => {
    await entries(6);
    await tamper(`delete from audit_log where project_id = $1 and audit_id in (${at(3)}, ${at(4)})`);
    await tamper('delete from audit_chain where project_id = $1 and position in (3, 4)');
    expect((await verify()).problems).toEqual([{ kind: 'links_removed', position: 3, through: 4 }]);
  });

  it('reports exchanged positions', async () => {
    await entries(6);
    await tamper(`update audit_chain set position = -position where project_id = $1 and position in (3, 4)`);
    await tamper(`update audit_chain set position = 7 + position where project_id = $1 and position < 0`);
    const { problems } = await verify();
    expect(problems.map(({ kind, position }: Body) => [kind, position])).toEqual([
      ['reordered', 3],
      ['reordered', 4],
      ['reordered', 5],
    ]);
  });

  it('reports entries that are exchanged between links', async () => {
    await entries(6);
    const [third, fourth] = (
      await tamper(
        'select audit_id from audit_chain where project_id = $1 and position in (3, 4) order by position',
      )
    ).rows.map(({ audit_id }) => audit_id);
    const swap = (position: number, id: string) =>
      tamper(`update audit_chain set audit_id = '${id}' where project_id = $1 and position = ${position}`);
    await swap(3, '00000000-0000-7000-8000-000000000000');
    await swap(4, third);
    await swap(3, fourth);
    expect((await verify()).problems.map(({ kind, position }: Body) => [kind, position])).toEqual([
      ['changed', 3],
      ['changed', 4],
    ]);
  });

  it('reports the end that was cut off before the head', async () => {
    await entries(6);
    const head = await exportHead();
    await tamper(`delete from audit_log where project_id = $1 and audit_id in (${at(5)}, ${at(6)})`);
    await tamper('delete from audit_chain where project_id = $1 and position > 4');
    expect((await verify()).valid).toBe(true);
    expect((await verify(head)).problems).toEqual([{ kind: 'cut_off', position: 5, through: 6 }]);
    // Later entries do not hide it.
    await entries(4);
    expect((await verify(head)).problems).toEqual([{ kind: 'rewritten', position: 6 }]);
    const { code, output } = await audit('verify', project.projectId, '--head', head);
    expect(code).toBe(1);
    expect(output).toMatch(/position 6: the hash differs from the head/);
  });

  it('reports a chain that was computed again after a change', async () => {
    await entries(5);
    const head = await exportHead();
    await tamper(`update audit_log set actor = 'somebody' where project_id = $1 and audit_id = ${at(2)}`);
    await chainAgain();
    expect((await verify()).valid).toBe(true);
    expect((await verify(head)).problems).toEqual([{ kind: 'rewritten', position: 5 }]);
  });

  it('rejects a head that another key signed, that was edited, or that is of another project', async () => {
    await entries(3);
    const other = await gateway.project();
    await gateway.app.chainAuditEntries();
    const [own, foreign] = [await auditHeadOf(project), await auditHeadOf(other)];
    const fileOf = async (head: Body) => {
      const { projectId, position, hash, at: time, publicKey, signature } = head;
      const file = path.join(folder, `${unique('head')}.json`);
      const written = { project_id: projectId, position, hash, at: time, public_key: publicKey, signature };
      await writeFile(file, JSON.stringify(written));
      return file;
    };
    const problemsOf = async (head: Body) => (await verify(await fileOf(head))).problems;
    expect(await problemsOf(own)).toEqual([]);
    expect(await problemsOf(foreign)).toEqual([{ kind: 'head', problem: 'other_project' }]);
    expect(await problemsOf({ ...foreign, projectId: project.projectId })).toEqual([
      { kind: 'head', problem: 'other_key' },
    ]);
    expect(await problemsOf({ ...own, position: 2 })).toEqual([
      { kind: 'head', problem: 'invalid_signature' },
    ]);
    expect(await problemsOf({ ...own, signature: 'x' })).toEqual([
      { kind: 'head', problem: 'invalid_signature' },
    ]);
    const broken = path.join(folder, 'broken.json');
    await writeFile(broken, '{');
    for (const file of [broken, path.join(folder, 'none.json')])
      expect(await audit('verify', project.projectId, '--head', file)).toMatchObject({
        code: 1,
        errors: expect.stringMatching(/^vouchgraph: .*\n$/),
      });
  });

  it('adds entries that were written without a gateway', async () => {
    await entries(2);
    await gateway.app.projects.createKey(project.projectId, 'read');
    expect(await verify()).toMatchObject({ valid: true, entries: 3 });
  });
});

describe('an erasure of values', () => {
  const reasons = async () => (await auditEntries(project)).flatMap(({ reason }) => reason ?? []).toSorted();
  const block = (ids: string[], reason: string) =>
    project.graphql(
      `mutation ($ids: [ID!]!, $reason: String) {
        addAccountsToList(input: { list: "block", accountIds: $ids, reason: $reason }) { requestId } }`,
      { ids, reason },
    );
  const erase = (id: string) => project.rest('DELETE', `/account/${id}`);
  /** Number of entries that contain a value. */
  const stored = async (column: 'reason' | 'address') => {
    const { rows } = await tamper(`select 1 from audit_log where project_id = $1 and ${column} is not null`);
    return rows.length;
  };

  it('erases reasons with the account that they are about, and the chain remains valid', async () => {
    const [one, two, other] = [unique('one'), unique('two'), unique('other')];
    for (const id of [one, two, other]) await project.authenticate({ id });
    await block([one, two], 'both');
    await block([other], 'other');
    await gateway.app.chainAuditEntries();
    const head = await exportHead();
    expect(await reasons()).toEqual(['both', 'other']);
    expect((await erase(one)).status).toBe(200);
    expect(await reasons()).toEqual(['other']);
    expect(await verify(head)).toMatchObject({ valid: true, erased_values: 1 });
    expect((await erase(two)).status).toBe(200);
    expect(await verify(head)).toMatchObject({ valid: true, erased_values: 1 });
    const { rows } = await tamper('select subject from audit_subjects where project_id = $1');
    expect(rows).toHaveLength(1);
  });

  it('erases the reason of a pending membership with the id, before the entry is chained', async () => {
    const id = unique('pending');
    await project.graphql(
      'mutation ($id: ID!) { blockAccount(input: { accountId: $id, reason: "in advance" }) { requestId } }',
      { id },
    );
    expect(await reasons()).toEqual(['in advance']);
    expect((await erase(id)).status).toBe(400);
    expect(await reasons()).toEqual([]);
    expect(await verify()).toMatchObject({ valid: true, erased_values: 1 });
  });

  it('erases the reason of a review with the account of the verification', async () => {
    const check = await playedVerification(gateway, project, { simulate: 'success' });
    await project.graphql(
      'mutation ($id: ID!) { approveVerification(input: { id: $id, reason: "called" }) { requestId } }',
      { id: globalIdOf('Verification', check) },
    );
    const id = unique('reviewed');
    expect((await enroll(project, check, id)).status).toBe(200);
    expect(await reasons()).toEqual(['called']);
    expect((await erase(id)).status).toBe(200);
    expect(await reasons()).toEqual([]);
    expect((await verify()).valid).toBe(true);
  });

  // The commands of docs/operating.md.
  it('erases addresses of an actor, or the values of one entry, by command', async () => {
    const id = unique('erased');
    await project.authenticate({ id });
    await block([id], 'typed by mistake');
    clock.advance(1000);
    const entry = (await auditEntries(project)).find(({ action }) => action === 'LIST_ADD_ACCOUNTS')!;
    const head = await exportHead();
    const run = async (...args: string[]) =>
      JSON.parse((await audit('erase', project.projectId, '--json', ...args)).output);
    expect(await run('--actor', entry.actor, '--until', '2020-01-01')).toEqual({ entries: 0 });
    expect(await run('--actor', entry.actor)).toEqual({ entries: 1 });
    expect(await auditEntries(project)).toMatchObject([
      {
        action: 'AUDIT_ERASE',
        target: `actor:${entry.actor}`,
        actorKind: 'COMMAND_LINE',
        after: { entries: 1 },
      },
      ...[{}, {}],
    ]);
    const erased = async () => (await auditEntries(project)).find(({ auditId }) => auditId === entry.auditId);
    expect(await erased()).toMatchObject({ address: null, reason: 'typed by mistake' });
    expect(await run('--entry', entry.auditId)).toEqual({ entries: 1 });
    expect(await erased()).toMatchObject({ address: null, reason: null, before: null, after: null });
    expect(await verify(head)).toMatchObject({ valid: true, erased_values: 4 });
    for (const args of [[], ['--entry', entry.auditId, '--actor', 'a'], ['--entry', 'x']])
      expect((await audit('erase', project.projectId, ...args)).code).toBe(2);
  });

  it('erases addresses and reasons after a year', async () => {
    const id = unique('old');
    await project.authenticate({ id });
    await block([id], 'old');
    await gateway.app.chainAuditEntries();
    const head = await exportHead();
    clock.advance(364 * 86_400_000);
    await gateway.app.purge();
    expect([await stored('reason'), await stored('address')]).toEqual([1, 1]);
    clock.advance(2 * 86_400_000);
    await gateway.app.purge();
    expect([await stored('reason'), await stored('address')]).toEqual([0, 0]);
    expect(await verify(head)).toMatchObject({ valid: true, erased_values: 2 });
  });
});

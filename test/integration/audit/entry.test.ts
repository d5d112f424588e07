import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditEntries } from '../../support/audit.ts';
import {
  type Body,
  type Gateway,
  startOwnGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { createRule } from '../../support/rules.ts';
import { runCommand } from '../../support/run-command.ts';
import { openSocket, PROTOCOL } from '../../support/websocket.ts';

const ADDRESS = '198.51.100.7';
const masterKey = generateMasterKey();
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-audit-entry-'));
  gateway = await startOwnGateway({ clock, masterKey, settings: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  project = await gateway.project();
});

const from = (address: string) => ({ 'x-forwarded-for': address });
const audit = async (...args: string[]) => {
  const { code, output, errors } = await runCommand(['audit', ...args], {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
  });
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  return output;
};

const ADD = `mutation ($ids: [ID!]!, $reason: String) {
  addAccountsToList(input: { list: "block", accountIds: $ids, reason: $reason }) { requestId } }`;
const add = async (id: string, reason: string | null, address = ADDRESS, by = project) => {
  const { body } = await by.rawGraphql(ADD, { ids: [id], reason }, from(address));
  expect(body.errors).toBeUndefined();
  return body.data.addAccountsToList.requestId as string;
};
const blocked = async (reason: string | null, address = ADDRESS) => {
  const id = unique('blocked');
  await project.authenticate({ id });
  return { id, requestId: await add(id, reason, address) };
};
const added = (entries: Body[]) => entries.filter(({ action }) => action === 'LIST_ADD_ACCOUNTS');

describe('an audit entry', () => {
  it('contains role, address, request and reason of a key', async () => {
    const { requestId } = await blocked('asked by the bank');
    expect(added(await auditEntries(project))).toMatchObject([
      { actorKind: 'KEY', role: 'operator', address: ADDRESS, requestId, reason: 'asked by the bank' },
    ]);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const id = unique('other');
    await project.authenticate({ id });
    clock.advance(1000);
    await add(id, null, '2001:DB8:0::7', project.withKey(key));
    expect(added(await auditEntries(project))[0]).toMatchObject({
      role: 'server',
      address: '2001:db8::7',
      reason: null,
    });
  });

  it('contains neither role nor address of a rule and a command', async () => {
    await createRule(project, {
      name: 'everybody',
      expression: 'session.bot >= 0',
      actions: [{ addToList: 'main_account' }],
    });
    await project.authenticate({ id: unique('ruled') });
    const entries = await auditEntries(project);
    const of = (action: string) => entries.find((entry) => entry.action === action);
    expect(of('LIST_ADD_ACCOUNTS')).toMatchObject({
      ...{ actorKind: 'RULE', actor: 'rule:everybody', role: null, address: null },
      requestId: expect.any(String),
    });
    expect(of('RULE_CREATE')).toMatchObject({ actorKind: 'KEY', role: 'operator', address: '127.0.0.1' });
    expect(of('KEY_CREATE')).toMatchObject({ actorKind: 'COMMAND_LINE', role: null, address: null });
  });

  it('contains the address of a client of a WebSocket', async () => {
    const id = unique('socket');
    await project.authenticate({ id });
    const opened: { close(): void }[] = [];
    const url = `${gateway.baseUrl.replace('http', 'ws')}/graphql`;
    const socket = await openSocket(opened, url, [PROTOCOL], { headers: from(ADDRESS) });
    await socket.acknowledged(project.key);
    socket.send({
      id: '1',
      type: 'subscribe',
      payload: { query: ADD, variables: { ids: [id], reason: 'by socket' } },
    });
    expect(await socket.receive()).toMatchObject({ type: 'next' });
    for (const each of opened) each.close();
    expect(added(await auditEntries(project))).toMatchObject([{ address: ADDRESS, reason: 'by socket' }]);
  });

  it('contains the reasons of every verb of an account', async () => {
    const id = unique('verbs');
    await project.authenticate({ id });
    for (const [verb, reason] of [
      ['blockAccount', 'first'],
      ['allowAccount', 'second'],
      ['clearAccount', 'third'],
    ] as const) {
      clock.advance(1000);
      await project.graphql(
        `mutation ($id: ID!, $reason: String) { ${verb}(input: { accountId: $id, reason: $reason }) { requestId } }`,
        { id, reason },
      );
    }
    const entries = await auditEntries(project, { accountId: id });
    expect(entries.map(({ action, reason }) => [action, reason]).toReversed()).toEqual([
      ['LIST_ADD_ACCOUNTS', 'first'],
      ['LIST_ADD_ACCOUNTS', 'second'],
      ['LIST_REMOVE_ACCOUNTS', 'third'],
    ]);
  });
});

describe('a filter', () => {
  it('selects by role, address, request, kind of the actor and prefix of the action', async () => {
    const one = await blocked('one');
    clock.advance(1000);
    const two = await blocked('two', '203.0.113.9');
    clock.advance(1000);
    const reasons = async (filter: Body) =>
      (await auditEntries(project, { filter })).map(({ reason }) => reason);
    expect(await reasons({ address: ADDRESS })).toEqual(['one']);
    expect(await reasons({ address: '::ffff:203.0.113.9' })).toEqual(['two']);
    expect(await reasons({ address: 'no address' })).toEqual([]);
    expect(await reasons({ requestId: one.requestId })).toEqual(['one']);
    expect(await reasons({ actorRole: 'operator' })).toEqual(['two', 'one']);
    expect(await reasons({ actorRole: 'server' })).toEqual([]);
    expect(await reasons({ actorKind: 'KEY', actionPrefix: 'list.' })).toEqual(['two', 'one']);
    expect(await reasons({ actorKind: 'COMMAND_LINE' })).toEqual([null]);
    for (const actorKind of ['PERSON', 'RULE', 'SYSTEM']) expect(await reasons({ actorKind })).toEqual([]);
    expect(await reasons({ address: ADDRESS, requestId: two.requestId })).toEqual([]);
    const other = await gateway.project();
    expect(await auditEntries(other, { filter: { address: ADDRESS } })).toEqual([]);
  });

  it('selects in the commands list and export', async () => {
    const { id, requestId } = await blocked('shown');
    await blocked('hidden', '203.0.113.9');
    const list = async (...args: string[]) =>
      JSON.parse(await audit('list', project.projectId, '--json', ...args)).map(({ reason }: Body) => reason);
    expect(await list('--address', ADDRESS)).toEqual(['shown']);
    expect(await list('--request', requestId)).toEqual(['shown']);
    expect(await list('--account', id)).toEqual(['shown']);
    expect(await list('--actor-kind', 'command_line')).toEqual([null]);
    expect(await list('--role', 'operator', '--action', 'list.')).toHaveLength(2);
    const file = path.join(folder, `${requestId}.ndjson`);
    // The clock of the gateway is ahead of that of the command.
    await audit('export', project.projectId, '--address', ADDRESS, '--until', '2100-01-01', '--out', file);
    expect(
      (await readFile(file, 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      {
        role: 'operator',
        address: ADDRESS,
        request_id: requestId,
        action: 'list.add_accounts',
        reason: 'shown',
      },
    ]);
  });
});

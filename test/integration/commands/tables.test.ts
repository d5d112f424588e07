import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import { type Body, unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

/** The lines of a table as objects, whose values begin below the names of their columns. */
function rowsOf(table: string, columns: readonly string[]): Record<string, string>[] {
  const [header = '', ...lines] = table.trimEnd().split('\n');
  expect(header.split(/ {2,}/)).toEqual(columns);
  const starts = columns.map((column) => header.indexOf(column));
  return lines.map((line) =>
    Object.fromEntries(
      columns.map((column, index) => {
        const start = starts[index]!;
        expect(line.slice(Math.max(0, start - 2), start).trim()).toBe('');
        return [column, line.slice(start, starts[index + 1]).trimEnd()];
      }),
    ),
  );
}

const text = async (...args: string[]) => {
  const { code, output, errors } = await runCommand(args, world.environment);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  return output;
};

it('webhook list aligns endpoints with addresses of different lengths', async () => {
  const ids: string[] = [];
  for (const address of ['https://a.example/h', 'https://receiver.shop.example/hooks/vouchgraph'])
    ids.push((await world.local.json('webhook', 'add', address, '--types', 'rule.triggered')).id);
  await world.local.json('webhook', 'pause', ids[1]!);
  const rows = rowsOf(await text('webhook', 'list', world.project.projectId), [
    'ID',
    'STATE',
    'FAILING SINCE',
    'URL',
    'EVENTS',
  ]);
  expect(rows).toHaveLength(2);
  expect(rows).toContainEqual({
    ID: ids[0],
    STATE: 'enabled',
    'FAILING SINCE': '',
    URL: 'https://a.example/h',
    EVENTS: 'rule.triggered',
  });
  expect(rows).toContainEqual(expect.objectContaining({ ID: ids[1], STATE: 'paused' }));
});

it('key list and project list have columns', async () => {
  const { projectId } = world.project;
  const key = await world.local.json('key', 'create', '--role', 'read', '--label', 'page');
  const keys = rowsOf(await text('key', 'list', projectId), ['ID', 'PREFIX', 'ROLE', 'STATE', 'LABEL']);
  expect(keys).toContainEqual({
    ID: key.key_id,
    PREFIX: key.prefix,
    ROLE: 'read',
    STATE: 'never used',
    LABEL: 'page',
  });
  const projects = rowsOf(await text('project', 'list'), ['ID', 'ENVIRONMENT', 'NAME']);
  expect(projects).toContainEqual(expect.objectContaining({ ID: projectId, ENVIRONMENT: 'sandbox' }));
});

it('operations list has columns', async () => {
  const document = 'query Name { project { name } }';
  const hash = createHash('sha256').update(document).digest('hex');
  const file = path.join(world.folder, 'operations.json');
  await writeFile(file, JSON.stringify({ [hash]: document }));
  await text('operations', 'register', world.project.projectId, file);
  const rows = rowsOf(await text('operations', 'list', world.project.projectId), [
    'SHA256',
    'REGISTERED',
    'OPERATIONS',
  ]);
  expect(rows).toEqual([{ SHA256: hash, REGISTERED: expect.stringMatching(/Z$/), OPERATIONS: 'Name' }]);
});

it('a cell of a table is one line, in its column', async () => {
  const list = unique('list');
  const forged = `${unique('x')}\nforged\t\u200f\u061c\u2028\u0085\u202e`;
  const long = unique('long').padEnd(256, 'x');
  for (const id of [forged, long]) await world.project.authenticate({ id });
  await world.local.json('list', 'create', list);
  const shown = await text('list', 'add', world.project.projectId, list, forged, long);
  expect(rowsOf(shown, ['ACCOUNT', 'OUTCOME'])).toEqual([
    {
      ACCOUNT: forged.replace(/[^ -~]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`),
      OUTCOME: 'added',
    },
    { ACCOUNT: `${long.slice(0, 63)}…`, OUTCOME: 'added' },
  ]);
  const { members } = await world.local.json('list', 'show', list);
  expect(members.map(({ account_id }: Body) => account_id).toSorted()).toEqual([forged, long].toSorted());
});

it('a text is one line for a value with line ends', async () => {
  const id = `${unique('x')}\nforged\u2029`;
  const { projectId } = world.project;
  const name = id.replace('\n', '\\u000a').replace('\u2029', '\\u2029');
  expect(await text('account', 'block', projectId, id)).toBe(
    `${name} does not exist yet. When it is created, it is added to the list block.\n`,
  );
  await world.project.authenticate({ id, first_name: 'Eve\nforged' });
  const page = await text('account', 'show', projectId, id);
  expect(page).toMatch(/^x-\S+\\u000aforged\\u2029: Fake, score /);
  expect(page).toMatch(/^ {2}name {6}Eve\\u000aforged$/m);
});

it('webhook tail prints the time of the retry', async () => {
  const receiver = await startReceiver();
  receiver.answer({ status: 503, text: '' });
  const { id } = await world.local.json(
    ...(['webhook', 'add', receiver.url('/'), '--types', 'account.authenticated'] as const),
  );
  const tail = world.local.start('webhook', 'tail', '--endpoint', id);
  await until('the command waits', async () => tail.errors().includes('Waiting for deliveries'));
  await world.project.authenticate({ id: unique('retry') });
  await until('the attempt', async () => tail.output().includes(receiver.url('/')));
  tail.signal('SIGINT');
  expect(await tail.exited).toBe(0);
  const table = tail.output().slice(tail.output().indexOf('TIME'));
  const columns = ['TIME', 'RESULT', 'DURATION', 'EVENT', 'DELIVERY', 'STATE', 'ENDPOINT'];
  expect(rowsOf(table, columns)[0]).toMatchObject({
    EVENT: 'account.authenticated',
    STATE: expect.stringMatching(/^retry at \d{4}-\S+Z$/),
    ENDPOINT: receiver.url('/'),
  });
  await receiver.close();
});

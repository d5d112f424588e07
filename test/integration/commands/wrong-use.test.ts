import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snippetsOf } from '../../support/documents.ts';
import { runCommand } from '../../support/run-command.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

const NOBODY = '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11';

let world: CommandWorld;
let readKey: string;
beforeAll(async () => {
  world = await openCommandWorld();
  readKey = (await world.gateway.app.projects.createKey(world.project.projectId, 'read')).key;
});
afterAll(() => world.close());

/** The error that a command prints with --json. */
async function jsonErrorOf(args: readonly string[], environment: Record<string, string>) {
  const { code, output, errors } = await runCommand([...args, '--json'], environment);
  expect(output).toBe('');
  expectClean(errors);
  return { exit: code, ...JSON.parse(errors).error };
}

/** The same error, which the command also prints as one line without --json, with the same exit code. */
async function errorOf(args: readonly string[], environment: Record<string, string>) {
  const error = await jsonErrorOf(args, environment);
  const { code, errors } = await runCommand(args, environment);
  expect(code).toBe(error.exit);
  expect(errors).toContain(error.message);
  expectClean(errors);
  return error;
}

/** No stack and no key. */
function expectClean(errors: string): void {
  expect(errors).not.toMatch(/\n {4}at /);
  expect(errors).not.toContain('vg_test_');
}

describe('an invalid command', () => {
  it.each([
    [['list', 'show'], { exit: 2, code: 'usage.invalid', field: 'list' }],
    [['list', 'show', 'PROJECT', 'block', 'x'], { exit: 2, code: 'usage.invalid' }],
    [['list', 'show', 'shop', 'block'], { exit: 2, code: 'usage.invalid', field: 'project' }],
    [['audit', 'list', 'PROJECT', '--action', 'lost'], { exit: 2, code: 'usage.invalid', field: 'action' }],
    [['email', 'import', 'PROJECT'], { exit: 2, code: 'usage.invalid', field: 'file' }],
    [['email', 'import', 'PROJECT', 'x.csv', '--project', 'PROJECT'], { exit: 2, field: 'project' }],
    [['email', 'imports', 'show', 'PROJECT', NOBODY], { exit: 1, code: 'email.import_not_found' }],
    [['list', 'show', 'PROJECT'], { exit: 2, code: 'usage.invalid', field: 'list' }],
    [
      ['list', 'create', 'PROJECT', 'x', '--effect', 'never'],
      { exit: 2, code: 'usage.invalid', field: 'effect' },
    ],
    [['list', 'add', 'PROJECT', 'block'], { exit: 2, code: 'usage.invalid', field: 'account' }],
    [
      ['account', 'list', 'PROJECT', '--country', 'Germany'],
      { exit: 2, code: 'usage.invalid', field: 'country' },
    ],
    [
      ['list', 'add', 'PROJECT', 'block', '--file', '/dev/null'],
      { exit: 1, code: 'input.invalid', message: '--file: contains no account', field: 'file' },
    ],
    [['list', 'flatten'], { exit: 2, code: 'usage.invalid' }],
    [['lst'], { exit: 2, code: 'usage.invalid', message: "unknown command 'lst' (did you mean list?)" }],
    [['rule', 'test', 'PROJECT', '--session', NOBODY], { exit: 2, code: 'usage.invalid', field: 'rule' }],
    [['rule', 'create', 'PROJECT', '--name', 'x'], { exit: 2, code: 'usage.invalid', field: 'trigger' }],
    [['rule', 'ls', 'PROJECT', '--state', 'gone'], { exit: 2, code: 'usage.invalid', field: 'state' }],
    [['webhook', 'resend', 'PROJECT'], { exit: 2, code: 'usage.invalid', field: 'delivery' }],
    [['list', 'ls', 'PROJECT', '--key', 'x'], { exit: 2, code: 'usage.invalid', field: 'key' }],
    [
      ['list', 'show', 'PROJECT', 'block', '--url', 'https://id.example.com'],
      {
        exit: 2,
        code: 'usage.invalid',
        field: 'project',
        message:
          "too many arguments for 'show'. Expected 1 argument but got 2: omit PROJECT_ID, because the key of --url belongs to one project",
      },
    ],
    [
      ['email', 'domains', 'add', 'PROJECT', 'foo.example'],
      {
        exit: 2,
        code: 'usage.invalid',
        message:
          "too many arguments for 'add'. Expected 1 argument but got 2: other values follow an option: --disposable, --trusted",
      },
    ],
    [
      ['project', 'settings', 'fakeFrom=0.8', '--url', 'https://id.example.com'],
      {
        exit: 2,
        message:
          "too many arguments for 'settings'. Expected 0 arguments but got 1: omit PROJECT_ID, because the key of --url belongs to one project; other values follow an option: --set",
      },
    ],
    [['list', 'ls', '--url', 'nowhere'], { exit: 2, code: 'usage.invalid', field: 'url' }],
    [['list', 'ls', '--url', 'https://user@example.com'], { exit: 2, code: 'usage.invalid', field: 'url' }],
    [['list', 'ls', '--url', 'http://:secret@127.0.0.1:9'], { exit: 2, code: 'usage.invalid', field: 'url' }],
    [['list', 'ls', '--url', 'http://127.0.0.1:9'], { exit: 2, code: 'usage.invalid', field: 'key' }],
    ...[
      'key create',
      'key revoke KEY',
      'links rebuild',
      'import accounts a.csv',
      'stats rebuild',
      'calibrate',
    ]
      .concat('migrate', 'doctor', 'project create shop', 'project list', 'feed list', 'email data list')
      .map((command) => {
        const [, name] = /^(.*?)( KEY| a.csv| shop)?$/.exec(command)!;
        const message = `unknown option '--url': ${name} works on the local database only`;
        const expected = { exit: 2, code: 'usage.invalid', field: 'url', message };
        return [[...command.split(' '), '--url', 'https://id.example.com'], expected] as const;
      }),
    [['serve', '--port', '70000'], { exit: 2, code: 'usage.invalid', field: 'port' }],
    [['list', 'ls', NOBODY], { exit: 1, code: 'project.not_found' }],
    [['list', 'show', 'PROJECT', 'nothing'], { exit: 1, code: 'list.not_found', field: 'list' }],
    [['rule', 'show', 'PROJECT', NOBODY], { exit: 1, code: 'rule.not_found', field: 'rule' }],
    [
      ['list', 'move', 'PROJECT', 'watch', 'block', 'mallory'],
      { exit: 1, code: 'list.not_found', message: 'List not found: "watch"', field: 'list' },
    ],
    [
      ['list', 'move', 'PROJECT', 'block', 'watch', 'mallory'],
      { exit: 1, code: 'list.not_found', message: 'Target list not found: "watch"', field: 'target' },
    ],
    [
      ['list', 'add', 'PROJECT', 'watch', 'x'],
      { exit: 1, message: 'List not found: "watch"', field: 'list' },
    ],
    [['list', 'remove', 'PROJECT', 'watch', 'x'], { exit: 1, message: 'List not found: "watch"' }],
    [['list', 'update', 'PROJECT', 'watch', '-e', 'none'], { exit: 1, message: 'List not found: "watch"' }],
    [['list', 'delete', 'PROJECT', 'watch'], { exit: 1, message: 'List not found: "watch"' }],
    [
      ['account', 'label', 'PROJECT', 'nobody', 'fraud'],
      { exit: 1, code: 'account.not_found', message: 'Account not found: "nobody"', field: 'account' },
    ],
    [
      ['account', 'clear', 'PROJECT', 'nobody', '--keep-off'],
      {
        exit: 1,
        message: 'Account not found: "nobody"; --keep-off requires an account',
        field: 'account',
      },
    ],
    [['account', 'export', 'PROJECT', 'nobody'], { exit: 1, message: 'Account not found: "nobody"' }],
    [
      ['account', 'label', 'PROJECT', 'nobody', 'theft'],
      { exit: 2, message: 'outcome: must be fraud, legitimate or chargeback', field: 'outcome' },
    ],
    [
      [...'rule create PROJECT -n x -t any_session -e account.has_phone -a ban=block'.split(' ')],
      {
        exit: 1,
        code: 'graphql.invalid',
        message:
          '--action: ban is not an action: use add_to_list, remove_from_list, raise_flag, emit_event, decide, require_verification',
        field: 'action.0.ban',
      },
    ],
    [['account', 'show', 'PROJECT', 'nobody'], { exit: 1, code: 'account.not_found', field: 'account' }],
    [
      ['account', 'show', 'PROJECT', 'nobody', '--links', '-1'],
      { exit: 2, code: 'usage.invalid', field: 'links' },
    ],
    [
      ['verification', 'show', 'PROJECT', NOBODY],
      {
        exit: 1,
        code: 'verification.session_not_found',
        message: `Verification not found: "${NOBODY}"`,
        field: 'verification',
      },
    ],
    [
      ['verification', 'approve', 'PROJECT', NOBODY, '--reason', 'x'],
      { exit: 1, code: 'verification.session_not_found', field: 'verification' },
    ],
    [['verification', 'clear', 'PROJECT', NOBODY], { exit: 1, code: 'verification.session_not_found' }],
    [['verification', 'show', 'PROJECT', 'x'], { exit: 2, code: 'usage.invalid', field: 'verification' }],
    [
      ['verification', 'reject', 'PROJECT', 'x', '--reason', 'y'],
      { exit: 2, code: 'usage.invalid', field: 'verification' },
    ],
    [['verification', 'reject', 'PROJECT', NOBODY], { exit: 2, code: 'usage.invalid', field: 'reason' }],
    [['verification', 'list', 'PROJECT', '--kind', 'x'], { exit: 2, code: 'usage.invalid', field: 'kind' }],
    [
      ['verification', 'list', 'PROJECT', '--review', 'none', '--state', 'failed'],
      { exit: 2, code: 'usage.invalid', field: 'review' },
    ],
    [['stats', 'PROJECT', '--by', 'week'], { exit: 2, code: 'usage.invalid', field: 'by' }],
    [
      ['stats', 'PROJECT', '--days', '7', '--since', '2026-01-01'],
      { exit: 2, code: 'usage.invalid', field: 'days' },
    ],
    [['stats', 'PROJECT', '--since', '2100-01-01'], { exit: 2, code: 'input.invalid', field: 'since' }],
    [['stats', 'PROJECT', '--since', '2020-01-01'], { exit: 2, code: 'input.invalid', field: 'since' }],
    [['stats', NOBODY], { exit: 1, code: 'project.not_found' }],
    [
      ['webhook', 'pause', 'PROJECT', NOBODY],
      {
        exit: 1,
        code: 'webhook.endpoint_not_found',
        message: `Webhook endpoint not found: "${NOBODY}"`,
        field: 'endpoint',
      },
    ],
    [
      ['webhook', 'pause', 'PROJECT', 'x'],
      { exit: 1, message: 'Webhook endpoint not found: "x"', field: 'endpoint' },
    ],
    [
      ['webhook', 'resend', 'PROJECT', '--endpoint', NOBODY, '--since', '2026-01-01'],
      { exit: 1, message: `Webhook endpoint not found: "${NOBODY}"`, field: 'endpoint' },
    ],
    [
      ['webhook', 'resend', 'PROJECT', NOBODY],
      { exit: 1, message: `Webhook delivery not found: "${NOBODY}"`, field: 'delivery' },
    ],
    [['webhook', 'add', 'PROJECT', 'nowhere'], { exit: 2, code: 'input.invalid', field: 'address' }],
    [
      ['list', 'add', 'PROJECT', 'block', 'x', '--expires', '2020-01-01'],
      { exit: 2, code: 'input.invalid', message: '--expires: must be later than now', field: 'expires' },
    ],
    [
      ['account', 'allow', 'PROJECT', 'x', '--expires', '2020-01-01'],
      { exit: 2, message: '--expires: must be later than now', field: 'expires' },
    ],
    [
      ['key', 'create', 'PROJECT', '--expires', '2020-01-01'],
      { exit: 2, message: '--expires: must be later than now', field: 'expires' },
    ],
    [
      ['list', 'add', 'PROJECT', 'block', '..'],
      { exit: 2, message: 'account.0: must not be . or ..', field: 'account.0' },
    ],
    [
      ['rule', 'enable', 'PROJECT', NOBODY],
      { exit: 1, message: `Rule not found: "${NOBODY}"`, field: 'rule' },
    ],
    [
      ['rule', 'test', 'PROJECT', '--expression', 'session.bot > 0', '--session', NOBODY],
      { exit: 1, message: `Session not found: "${NOBODY}"`, field: 'session' },
    ],
    [
      ['rule', 'test', 'PROJECT', '--expression', 'sesion.bot > 0', '--session', NOBODY],
      { exit: 1, code: 'rule.expression_invalid', field: 'expression' },
    ],
    [
      ['email', 'imports', 'erase', 'PROJECT', NOBODY],
      { exit: 1, message: `Email import not found: "${NOBODY}"`, field: 'import' },
    ],
    [
      ['webhook', 'test', 'PROJECT', NOBODY, '--type', 'a.b'],
      { exit: 2, code: 'usage.invalid', field: 'type' },
    ],
    [
      ['project', 'settings', 'PROJECT', '--set', 'fakeFrom=high'],
      { exit: 2, code: 'input.invalid', field: 'fake_from' },
    ],
    [['project', 'settings', 'PROJECT', '--set', 'fakeFrom=2'], { exit: 2, code: 'input.invalid' }],
    [
      ['project', 'settings', 'PROJECT', '--set', 'faceMatching=loose'],
      { exit: 2, code: 'input.invalid', message: 'faceMatching: must be one of standard, strict' },
    ],
    [
      ['project', 'settings', 'PROJECT', '--set', 'fakeFrom=0.9', 'trustedDomains=a.example.com'],
      { exit: 2, code: 'usage.invalid', field: 'set' },
    ],
    [
      ['project', 'settings', 'PROJECT', '--set', 'color=red'],
      { exit: 2, code: 'usage.invalid', field: 'set' },
    ],
    [['import', 'accounts', 'PROJECT', 'accounts.txt'], { exit: 2, code: 'usage.invalid', field: 'format' }],
    [['email', 'erase', 'PROJECT', 'a@example.com'], { exit: 2, code: 'usage.invalid', field: 'yes' }],
    [['email', 'domains', 'add', 'PROJECT'], { exit: 2, code: 'usage.invalid', field: 'disposable' }],
    [
      ['email', 'import', 'PROJECT', 'addresses.csv', '--result', 'addresses.csv'],
      { exit: 2, code: 'usage.invalid', field: 'result' },
    ],
    [
      ['email', 'data', 'add', 'leak', '/nowhere', '-k', 'breaches', '-f', 'hashes', '--as-of', 'today'],
      { exit: 2, code: 'input.invalid', field: 'as_of' },
    ],
    [
      ['feed', 'add', '/nowhere', '-n', 'own', '-k', 'vpn', '-f', 'cidr', '--as-of', 'today'],
      { exit: 2, code: 'input.invalid', field: 'as_of' },
    ],
    [
      ['list', 'create', 'PROJECT', ''],
      { exit: 2, code: 'input.invalid', message: 'list: must not be empty', field: 'list' },
    ],
    [['feed', 'add', '/nowhere', '-n', 'own', '-k', 'vpn', '-f', 'cidr'], { exit: 1, code: 'feed.invalid' }],
    [['feed', 'remove', 'nothing'], { exit: 1, code: 'feed.invalid' }],
    [['email', 'import', 'PROJECT', '/nowhere.csv'], { exit: 1, code: 'command.failed' }],
    [['email', 'import', 'PROJECT', '/'], { exit: 1, code: 'command.failed' }],
    [
      ['operations', 'register', 'PROJECT', 'package.json'],
      { exit: 1, code: 'input.invalid', field: 'file' },
    ],
    [['key', 'revoke', 'PROJECT', NOBODY], { exit: 1, message: `Key not found: "${NOBODY}"`, field: 'key' }],
    [['rule', 'create', 'PROJECT', '--file', '/nowhere.json'], { exit: 1, code: 'command.failed' }],
  ] as const)('is rejected: %j', async (args, expected) => {
    const all = args.map((arg) => (arg === 'PROJECT' ? world.project.projectId : arg));
    // A row takes one process. The tests below compare both forms of an error.
    expect(await jsonErrorOf(all, world.environment)).toMatchObject(expected);
  });

  it('reports errors in the file of a rule', async () => {
    const file = path.join(world.folder, 'rule.json');
    const create = () =>
      errorOf(['rule', 'create', world.project.projectId, '--file', file], world.environment);
    await writeFile(file, '{');
    expect(await create()).toMatchObject({ exit: 1, code: 'input.invalid', field: 'file' });
    await writeFile(file, '{"name": "x", "trigger": "any_session", "condition": "session.bot > 0"}');
    expect((await create()).message).toContain('unknown key "condition"');
    await writeFile(file, '{"name": "x", "trigger": "any_session", "expression": "sesion.bot > 0"}');
    expect(await create()).toMatchObject({ code: 'rule.expression_invalid', field: 'expression' });
    await writeFile(
      file,
      JSON.stringify({ name: 'x'.repeat(300), trigger: 'any_session', expression: 'session.bot > 0' }),
    );
    expect(await create()).toMatchObject({ exit: 1, code: 'input.invalid', field: 'file.name' });
  });
});

it('prints unprintable characters of an error as escapes', async () => {
  const name = 'no\u202ebody\u009b\u2028\u200f';
  const args = ['account', 'show', world.project.projectId, name];
  const escaped = 'no\\u202ebody\\u009b\\u2028\\u200f';
  expect((await runCommand(args, world.environment)).errors).toBe(
    `vouchgraph: Account not found: "${escaped}"\n`,
  );
  const { errors } = await runCommand([...args, '--json'], world.environment);
  expect(errors).toContain(escaped);
  expect(JSON.parse(errors).error.message).toBe(`Account not found: "${name}"`);
});

it('prints the error of docs/command-line.md', async () => {
  const documented = snippetsOf('docs/command-line.md').find(({ language }) => language === 'json')!;
  const { code, errors } = await runCommand(
    ['list', 'show', world.project.projectId, 'mules', '--json'],
    world.environment,
  );
  expect({ code, error: JSON.parse(errors) }).toEqual({ code: 1, error: JSON.parse(documented.text) });
});

it('names VOUCHGRAPH_URL where it selects the gateway', async () => {
  const at = (url: string) => ({ VOUCHGRAPH_URL: url });
  const url = 'https://id.example.com';
  expect(await jsonErrorOf(['email', 'domains', 'add', 'foo.example'], at(url))).toMatchObject({
    exit: 2,
    message:
      "too many arguments for 'add'. Expected 0 arguments but got 1: omit PROJECT_ID, because the key of VOUCHGRAPH_URL belongs to one project; other values follow an option: --disposable, --trusted",
    field: 'project',
  });
  expect((await jsonErrorOf(['list', 'ls'], at('nowhere'))).message).toMatch(
    /^VOUCHGRAPH_URL must be an http/,
  );
  expect((await jsonErrorOf(['list', 'ls'], at(url))).message).toMatch(/^VOUCHGRAPH_URL requires an API key/);
});

it.each([
  [['--json', 'lst'], "unknown command 'lst' (did you mean list?)"],
  [['list', '--json', 'shw'], "unknown command 'shw' (did you mean show?)"],
  [['--json', 'list', 'shw'], "unknown command 'shw' (did you mean show?)"],
  [['email', '--json', 'domains', 'ad'], "unknown command 'ad' (did you mean add?)"],
  [['--json', 'list', 'ls', '--unknown'], "unknown option '--unknown'"],
])('reports the unknown command or option of %j, not --json', async (args, message) => {
  const { code, output, errors } = await runCommand(args, world.environment);
  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(JSON.parse(errors).error).toMatchObject({ code: 'usage.invalid', message });
});

it('accepts --json before the name of a command', async () => {
  const ls = ['list', 'ls', world.project.projectId];
  const expected = await runCommand([...ls, '--json'], world.environment);
  expect(expected.code).toBe(0);
  for (const args of [['--json', ...ls], ls.toSpliced(1, 0, '--json')])
    expect(await runCommand(args, world.environment)).toEqual(expected);
});

it('prints one line with the nearest command for an unknown one', async () => {
  const { code, output, errors } = await runCommand(['list', 'shw'], world.environment);
  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(errors).toBe("vouchgraph: unknown command 'shw' (did you mean show?). See vouchgraph list --help\n");
});

describe('a gateway that cannot be called', () => {
  const list = ['list', 'ls'];
  const at = (url: string, key = world.project.key) => ({ VOUCHGRAPH_URL: url, VOUCHGRAPH_API_KEY: key });

  it('rejects an unknown key and a role without permission', async () => {
    const { baseUrl } = world.gateway;
    const { projects } = world.gateway.app;
    const revoked = await projects.createKey(world.project.projectId, 'operator');
    await projects.revokeKey(world.project.projectId, revoked.keyId);
    expect(await errorOf(list, at(baseUrl, revoked.key))).toMatchObject({
      exit: 1,
      code: 'auth.unauthenticated',
    });
    expect(await errorOf(['list', 'create', 'x'], at(baseUrl, readKey))).toMatchObject({
      exit: 1,
      code: 'auth.forbidden',
    });
    expect(await errorOf(list, at(baseUrl, 'two words'))).toMatchObject({ exit: 2, field: 'key' });
  });

  it('reads the key from a file before the environment', async () => {
    const file = path.join(world.folder, 'key');
    await writeFile(file, `${world.project.key}\n`);
    const environment = at(world.gateway.baseUrl, 'unknown');
    expect((await runCommand([...list, '--key-file', file], environment)).code).toBe(0);
    const missing = await errorOf([...list, '--key-file', `${file}.none`], environment);
    expect(missing).toMatchObject({ exit: 1, code: 'command.failed' });
  });

  it('is reported when it is unreachable, has no TLS, or is another server', async () => {
    const other = createServer((request, response) => {
      const [status, body] = ANSWERS[request.url ?? ''] ?? [200, 'hello'];
      response.writeHead(status, status === 301 ? { location: 'https://example.com/' } : {}).end(body);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}`;
    expect(await errorOf(list, at(base))).toMatchObject({ exit: 1, code: 'gateway.invalid_answer' });
    expect(await errorOf(list, at(`${base}/moved`))).toMatchObject({ code: 'gateway.invalid_answer' });
    for (const path of ['null', 'no-errors', 'text', 'empty']) {
      expect(await errorOf(list, at(`${base}/${path}`))).toMatchObject({
        exit: 1,
        code: 'gateway.invalid_answer',
      });
      expect(await errorOf(['email', 'imports', 'list'], at(`${base}/${path}`))).toMatchObject({
        exit: 1,
        code: 'gateway.invalid_answer',
      });
    }
    expect(await errorOf(list, at(`${base}/proxy`))).toMatchObject({ code: 'gateway.unreachable' });
    expect(await errorOf(list, at(`${base}/older/`))).toMatchObject({ code: 'gateway.unsupported' });
    expect(await errorOf(list, at(`https://127.0.0.1:${port}`))).toMatchObject({
      code: 'gateway.tls_failed',
    });
    await new Promise((resolve) => other.close(resolve));
    expect(await errorOf(list, at(base))).toMatchObject({ exit: 1, code: 'gateway.unreachable' });
  });
});

const ANSWERS: Readonly<Record<string, [number, string]>> = {
  '/moved/graphql': [301, ''],
  '/null/graphql': [200, '{"data":null}'],
  '/no-errors/graphql': [200, '{"errors":[]}'],
  '/text/graphql': [200, '{"errors":["x"]}'],
  '/empty/graphql': [200, '{"data":{}}'],
  '/null/email/imports?limit=100': [200, 'null'],
  '/no-errors/email/imports?limit=100': [200, '{"imports":[null]}'],
  '/empty/email/imports?limit=100': [200, '{}'],
  '/proxy/graphql': [502, '<h1>Bad gateway</h1>'],
  '/older/graphql': [
    400,
    JSON.stringify({
      errors: [
        { message: 'Cannot query field "lists" on type "Query".', extensions: { code: 'graphql.invalid' } },
      ],
    }),
  ],
};

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { connectAs } from '../../support/sql.ts';

const masterKey = generateMasterKey();
const LINES = 2500;
let gateway: Gateway;
let project: TestProject;
let system: pg.Client;
let folder: string;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  system = await connectAs(gateway.database, 'vouchgraph_system');
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-audit-'));
  project = await gateway.project();
  await gateway.project();
  // More than two pages, many entries of the same time.
  await system.query(
    `insert into audit_log (project_id, audit_id, at, actor, action, target, before, after)
     select $1, gen_random_uuid(), timestamptz '2026-01-01T00:00:00Z' + make_interval(mins => n / 100), 'tester',
       case n % 5 when 0 then 'list.create' else 'rule.update' end, 'made:' || n, null, jsonb_build_object('n', n)
     from generate_series(1, ${LINES}) as n`,
    [project.projectId],
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await system.end();
  await gateway.close();
});

async function audit(...args: string[]) {
  const ended = await runCommand(['audit', ...args], {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
  });
  return { ...ended, output: ended.output + ended.errors };
}

const parse = (text: string): Body[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('vouchgraph audit export', () => {
  it('writes every entry of the project once, the oldest first', async () => {
    const { code, output } = await audit('export', project.projectId);
    expect(code).toBe(0);
    const lines = parse(output);
    expect(lines).toHaveLength(LINES + 1);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(LINES + 1);
    const times = lines.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    const made = lines.filter(({ actor }) => actor === 'tester').map(({ after }) => after.n);
    expect(made.sort((a, b) => a - b)).toEqual(Array.from({ length: LINES }, (_, index) => index + 1));
    expect(lines.at(-1)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/Z$/),
      actor: 'command line',
      role: null,
      address: null,
      action: 'key.create',
      target: `key:${project.keyId}`,
      request_id: null,
      before: null,
      after: expect.objectContaining({ role: 'operator' }),
      reason: null,
    });
  });

  it('writes the requested entries to a file, which receives its name when it is complete', async () => {
    const out = path.join(folder, 'audit.ndjson');
    const span = ['--since', '2026-01-01T00:05:00Z', '--until', '2026-01-01T00:10:00Z'];
    const { code, output } = await audit(
      'export',
      project.projectId,
      ...span,
      '--action',
      'list.',
      '--out',
      out,
    );
    expect({ code, output }).toEqual({ code: 0, output: '' });
    const lines = parse(await readFile(out, 'utf8'));
    expect(lines.map(({ after }) => after.n).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, index) => 500 + index * 5),
    );
    expect(await readdir(folder)).toEqual(['audit.ndjson']);
  });

  it('reports in one line a failed write or an unknown project', async () => {
    const nowhere = await audit(
      'export',
      project.projectId,
      '--out',
      path.join(folder, 'none', 'audit.ndjson'),
    );
    expect(nowhere).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^vouchgraph: .* cannot be written: ENOENT\n$/),
    });
    const nobody = await audit('export', '00000000-0000-7000-8000-000000000000');
    expect(nobody).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^vouchgraph: Project not found: .*\n$/),
    });
  });
});

describe('vouchgraph audit list', () => {
  it('prints the newest entries as a table, and as JSON', async () => {
    const { output } = await audit('list', project.projectId, '-n', '3');
    const rows = output.trimEnd().split('\n');
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatch(/^TIME {22}ACTOR {9}ACTION {6,}TARGET$/);
    expect(rows[1]).toMatch(new RegExp(`^\\S+Z  command line  key\\.create +key:${project.keyId}$`));
    expect(rows[2]).toMatch(/^2026-01-01T00:25:00\.000Z {2}tester {8}list\.create {2}made:2500$/);
    const json = JSON.parse((await audit('list', project.projectId, '--json')).output);
    expect(json).toHaveLength(20);
    expect(json[1]).toMatchObject({ action: 'list.create', target: 'made:2500', after: { n: 2500 } });
  });
});

import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
});
afterAll(() => gateway.close());

async function command(...args: string[]) {
  const ended = await runCommand(args, { DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  return { ...ended, output: ended.output + ended.errors };
}

const keysOf = () => gateway.app.projects.keysOf(project.projectId);

describe('vouchgraph key create --expires', () => {
  it.each(['2020-01-01T00:00:00Z', new Date().toISOString()])(
    'rejects %s, which is not in the future',
    async (expires) => {
      const before = await keysOf();
      const { code, output, errors } = await command(
        'key',
        'create',
        project.projectId,
        '--expires',
        expires,
      );
      expect({ code, output, errors }).toEqual({
        code: 2,
        output: 'vouchgraph: --expires: must be later than now\n',
        errors: 'vouchgraph: --expires: must be later than now\n',
      });
      expect(await keysOf()).toEqual(before);
    },
  );

  it.each(['tomorrow', '', '2027-02-30', '2027-13-01T00:00:00Z'])(
    'rejects %j, which is not a timestamp',
    async (expires) => {
      const { code, errors } = await command('key', 'create', project.projectId, '--expires', expires);
      expect(code).toBe(2);
      expect(errors).toContain(
        `vouchgraph: option '--expires <timestamp>' argument '${expires}' is invalid.`,
      );
      expect(errors).toContain('It must be an ISO 8601 timestamp such as 2027-01-31T00:00:00Z');
    },
  );

  it('creates a key that is valid until then', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { code, output } = await command(
      'key',
      'create',
      project.projectId,
      '--expires',
      expires,
      '--json',
    );
    expect(code).toBe(0);
    const { key, key_id } = JSON.parse(output);
    expect((await project.withKey(key).rest('GET', '/list')).status).toBe(200);
    const stored = (await keysOf()).find((row) => row.key_id === key_id);
    expect(stored?.expires_at?.toISOString()).toBe(expires);
  });
});

describe('vouchgraph project create', () => {
  it('prints for production how to allow origins, with a working command', async () => {
    const { code, output } = await command(
      'project',
      'create',
      unique('shop'),
      '--environment',
      'production',
    );
    expect(code).toBe(0);
    const args = /^npx vouchgraph (project settings .*allowedOrigins=\S+)$/m.exec(
      output.replaceAll(/^ +/gm, ''),
    );
    expect(args).not.toBeNull();
    const set = await command(...args![1]!.split(' '));
    expect(set.code).toBe(0);
    expect(set.output).toMatch(/^allowedOrigins +https:\/\/shop\.example$/m);
    expect(output).toMatch(/redirect_url/);
  });

  it('prints nothing about origins for a sandbox, where every origin is allowed', async () => {
    const { output } = await command('project', 'create', unique('shop'));
    expect(output).not.toContain('allowedOrigins');
  });

  it('prints one JSON object with --json', async () => {
    const { output } = await command('project', 'create', 'shop', '--environment', 'production', '--json');
    expect(JSON.parse(output)).toEqual({
      project_id: expect.any(String),
      name: 'shop',
      environment: 'production',
    });
  });
});

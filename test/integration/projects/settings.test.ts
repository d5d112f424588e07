import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { snakeKeys } from '@vouchgraph/terminal/internals/json-names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyRole } from '../../../src/domain/projects/api-key.ts';
import { until } from '../../acceptance/gateway-process.ts';
import {
  type Answer,
  type Body,
  type Gateway,
  projectClient,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';

const SETTINGS =
  'suspiciousFrom fakeFrom thresholdsVersion verificationSuspiciousFrom verificationFakeFrom seenFaceDays faceMatching plainVerificationLinks twoValuedDecision allowedOrigins browserTokenOperations introspection disposableDomains trustedDomains';
const UPDATE = `mutation ($input: UpdateProjectSettingsInput!) {
  updateProjectSettings(input: $input) { requestId settings { ${SETTINGS} } } }`;
const DEFAULTS = {
  suspiciousFrom: 0.4,
  fakeFrom: 0.7,
  thresholdsVersion: 1,
  verificationSuspiciousFrom: 0.4,
  verificationFakeFrom: 0.7,
  seenFaceDays: 30,
  faceMatching: 'STRICT',
  plainVerificationLinks: true,
  twoValuedDecision: true,
  allowedOrigins: [],
  browserTokenOperations: 'ANY',
  introspection: false,
  disposableDomains: [],
  trustedDomains: [],
};

const masterKey = generateMasterKey();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
});
afterAll(() => gateway.close());

const tryUpdate = (project: TestProject, input: Body): Promise<Answer> =>
  project.rawGraphql(UPDATE, { input });
const update = async (project: TestProject, input: Body): Promise<Body> =>
  (await project.graphql(UPDATE, { input })).updateProjectSettings;
const settingsOf = async (project: TestProject): Promise<Body> =>
  (await project.graphql(`{ project { settings { ${SETTINGS} } } }`)).project.settings;
const linesOf = async (project: TestProject): Promise<Body[]> =>
  (
    await project.graphql(
      `{ auditLog(first: 100, filter: { actions: [SETTINGS_UPDATE, SETTINGS_UPDATE_EMAIL_DOMAINS] }) {
        edges { node { actor action target requestId before after } } } }`,
    )
  ).auditLog.edges.map((edge: Body) => edge.node);

/** The last of three accounts of one phone: its score is 0.504. */
async function ringOfThree(project: TestProject): Promise<string> {
  const group = unique('ring');
  for (const name of ['a', 'b', 'c'])
    await project.authenticate({ id: `${group}-${name}`, phone: '+14155552671', group });
  return `${group}-c`;
}
const decisionOf = async (project: TestProject, id: string): Promise<string> =>
  (await project.graphql('query ($id: ID!) { account(accountId: $id) { decision } }', { id })).account
    .decision;

describe('a threshold of 0', () => {
  it.each([
    [{ fakeFrom: 0, suspiciousFrom: 0 }, 'fakeFrom: 0 decides every account FAKE'],
    [{ suspiciousFrom: 0 }, 'suspiciousFrom: 0 decides every account at least SUSPICIOUS'],
    [
      { verificationFakeFrom: 0, verificationSuspiciousFrom: 0 },
      'verificationFakeFrom: 0 decides every verification FAKE',
    ],
    [
      { verificationSuspiciousFrom: 0 },
      'verificationSuspiciousFrom: 0 decides every verification at least SUSPICIOUS',
    ],
  ])('is rejected until it is confirmed: %j', async (input, message) => {
    const project = await gateway.project();
    for (const confirm of [undefined, null, false]) {
      const { body } = await tryUpdate(project, { ...input, confirm });
      expect(body.errors[0].message).toContain(`${message}. If this is intended, send confirm: true`);
      expect(body.errors[0].extensions.code).toBe('input.invalid');
    }
    expect(await settingsOf(project)).toEqual(DEFAULTS);
    expect((await update(project, { ...input, confirm: true })).settings).toMatchObject(input);
    // A stored 0 needs no further confirmation.
    expect((await update(project, { ...input, introspection: true })).settings).toMatchObject(input);
    const [line] = await linesOf(project);
    expect(line!.after).not.toHaveProperty('confirm');
  });

  it('is confirmed by --yes on the command line', async () => {
    const project = await gateway.project();
    const set = ['project', 'settings', project.projectId, '--set', 'suspiciousFrom=0', 'fakeFrom=0'];
    const environment = { DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey };
    const refused = await runCommand(set, environment);
    expect([refused.code, refused.errors]).toEqual([expect.any(Number), expect.stringContaining('--yes')]);
    expect((await settingsOf(project)).fakeFrom).toBe(0.7);
    expect(await runCommand([...set, '--yes'], environment)).toMatchObject({ code: 0 });
    // A gateway reads settings that another process changed within a second.
    await until('the changed threshold', async () => (await settingsOf(project)).fakeFrom === 0);
  });
});

describe('settings', () => {
  it('have default values at first, and only the specified ones change', async () => {
    const project = await gateway.project();
    expect(await settingsOf(project)).toEqual(DEFAULTS);
    const { settings, requestId } = await update(project, { introspection: true, fakeFrom: null });
    expect(settings).toEqual({ ...DEFAULTS, introspection: true });
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await settingsOf(project)).toEqual(settings);
    const second = await update(project, { suspiciousFrom: 0.5, twoValuedDecision: false });
    expect(second.settings).toEqual({
      ...settings,
      suspiciousFrom: 0.5,
      twoValuedDecision: false,
      thresholdsVersion: 2,
    });
    expect(await settingsOf(await gateway.project())).toEqual(DEFAULTS);
  });

  it('of verifications are consistent among themselves, and do not change the version of the thresholds of accounts', async () => {
    const project = await gateway.project();
    const changes = {
      verificationSuspiciousFrom: 0.5,
      verificationFakeFrom: 0.6,
      seenFaceDays: 90,
      plainVerificationLinks: false,
    };
    const { settings } = await update(project, changes);
    expect(settings).toEqual({ ...DEFAULTS, ...changes });
    for (const wrong of [
      { verificationFakeFrom: 0.4 },
      { verificationSuspiciousFrom: 1.1 },
      { seenFaceDays: 0 },
      { seenFaceDays: 3651 },
    ])
      await expect(update(project, wrong)).rejects.toThrow();
    expect(await settingsOf(project)).toEqual(settings);
  });

  it('of faces are STRICT or STANDARD, and are written to the audit log', async () => {
    const project = await gateway.project();
    const { settings } = await update(project, { faceMatching: 'STANDARD' });
    expect(settings).toEqual({ ...DEFAULTS, faceMatching: 'STANDARD' });
    const before = { faceMatching: 'strict' };
    const after = { faceMatching: 'standard' };
    expect(await linesOf(project)).toMatchObject([{ action: 'SETTINGS_UPDATE', before, after }]);
    expect((await tryUpdate(project, { faceMatching: 'LOOSE' })).body.errors).toHaveLength(1);
    expect((await update(project, { faceMatching: null })).settings).toEqual(settings);
    expect((await update(project, { faceMatching: 'STRICT' })).settings).toEqual(DEFAULTS);
  });

  it('increment the version of the thresholds only when one of them changes', async () => {
    const project = await gateway.project();
    const versionAfter = async (input: Body) => (await update(project, input)).settings.thresholdsVersion;
    expect(await versionAfter({ suspiciousFrom: 0.3, fakeFrom: 0.6 })).toBe(2);
    expect(await versionAfter({ suspiciousFrom: 0.3, fakeFrom: 0.6 })).toBe(2);
    expect(await versionAfter({ introspection: true })).toBe(2);
    expect(await versionAfter({ fakeFrom: 0.6, suspiciousFrom: 0.6 })).toBe(3);
    expect(await versionAfter({ suspiciousFrom: 0, fakeFrom: 1, confirm: true })).toBe(4);
  });

  it('add an audit entry with the differences, and none without a difference', async () => {
    const project = await gateway.project();
    const { requestId } = await update(project, { fakeFrom: 0.8, introspection: false });
    await update(project, { fakeFrom: 0.8 });
    await update(project, {});
    const line = {
      actor: expect.stringMatching(/^vg_test_.{8}…/),
      action: 'SETTINGS_UPDATE',
      target: `project:${project.projectId}`,
      requestId,
      before: { fakeFrom: 0.7, thresholdsVersion: 1 },
      after: { fakeFrom: 0.8, thresholdsVersion: 2 },
    };
    expect(await linesOf(project)).toEqual([line]);
  });

  it.each(['server', 'read'] satisfies KeyRole[])('cannot be changed by the role %s', async (role) => {
    const project = await gateway.project();
    const { key } = await gateway.app.projects.createKey(project.projectId, role);
    const answer = await tryUpdate(project.withKey(key), { fakeFrom: 0.9 });
    expect(answer.body.errors[0].extensions.code).toBe('auth.forbidden');
    expect(await settingsOf(project.withKey(key))).toEqual(DEFAULTS);
  });

  const many = Array.from({ length: 101 }, (_, index) => `https://shop${index}.example`);
  it.each([
    [{ suspiciousFrom: -0.01 }, ['suspiciousFrom']],
    [{ fakeFrom: 1.01 }, ['fakeFrom']],
    [{ suspiciousFrom: 0.8 }, ['suspiciousFrom']],
    [{ fakeFrom: 0.3 }, ['fakeFrom']],
    [{ suspiciousFrom: 0.6, fakeFrom: 0.5 }, ['fakeFrom']],
    [{ allowedOrigins: ['https://shop.example', 'https://shop.example/pay'] }, ['allowedOrigins', 1]],
    [{ allowedOrigins: ['http://shop.example'] }, ['allowedOrigins', 0]],
    [{ allowedOrigins: ['*'] }, ['allowedOrigins', 0]],
    [{ allowedOrigins: many }, ['allowedOrigins']],
  ])('are not changed by %.80j', async (wrong, inputPath) => {
    const project = await gateway.project();
    const { errors } = (await tryUpdate(project, { introspection: true, ...wrong })).body;
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions).toMatchObject({ code: 'input.invalid', inputPath: ['input', ...inputPath] });
    expect(errors[0].message).toContain(String(inputPath[0]));
    expect(await settingsOf(project)).toEqual(DEFAULTS);
    expect(await linesOf(project)).toEqual([]);
  });

  it.each([[{ fakeFrom: '0.8' }], [{ unknown: 1 }], [{ thresholdsVersion: 9 }], [{ introspection: 'yes' }]])(
    'are not changed by %j, which is invalid input',
    async (wrong) => {
      const project = await gateway.project();
      expect((await tryUpdate(project, wrong)).body.errors[0].extensions.kind).toBe('invalid_input');
      expect(await settingsOf(project)).toEqual(DEFAULTS);
    },
  );
});

/** Decisions as REST spells them. */
const WORDS = { REAL: 'Real', SUSPICIOUS: 'Suspicious', FAKE: 'Fake' } as const;

describe('a change applies immediately', () => {
  it('to the next authenticate, update and read of an account', async () => {
    const project = await gateway.project();
    await update(project, { twoValuedDecision: false });
    const id = await ringOfThree(project);
    for (const [input, decision] of [
      [{ suspiciousFrom: 0.6 }, 'REAL'],
      [{ suspiciousFrom: 0.1, fakeFrom: 0.5 }, 'FAKE'],
      [{ suspiciousFrom: 0.5, fakeFrom: 0.51 }, 'SUSPICIOUS'],
    ] as const) {
      await update(project, input);
      expect(await decisionOf(project, id)).toBe(decision);
      const word = WORDS[decision];
      expect((await project.rest('GET', `/account/${id}`)).body.decision).toBe(word);
      expect((await project.rest('PUT', `/account/${id}`, {})).body.decision).toBe(word);
      expect(await project.authenticate({ id })).toMatchObject({ account_score: 0.504, decision: word });
    }
  });

  it('to later fields of the same document', async () => {
    const project = await gateway.project();
    const id = await ringOfThree(project);
    const data = await project.graphql(
      `mutation ($id: ID!) { before: updateAccount(input: { accountId: $id }) { account { decision } }
        updateProjectSettings(input: { suspiciousFrom: 0, fakeFrom: 0.1, confirm: true }) { settings { thresholdsVersion } }
        after: updateAccount(input: { accountId: $id }) { account { decision } } }`,
      { id },
    );
    expect(data.before.account.decision).toBe('SUSPICIOUS');
    expect(data.after.account.decision).toBe('FAKE');
  });

  it('to the three values of REST', async () => {
    const project = await gateway.project();
    const id = await ringOfThree(project);
    const shown = async () => (await project.rest('GET', `/account/${id}`)).body.decision;
    expect(await shown()).toBe('Real');
    await update(project, { twoValuedDecision: false });
    expect(await shown()).toBe('Suspicious');
    await update(project, { twoValuedDecision: true });
    expect(await shown()).toBe('Real');
  });

  it('to the origins of pages, stored as browsers send them', async () => {
    const project = await gateway.project({ environment: 'production' });
    const TOKEN =
      'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "nobody" }) { token } }';
    const { token } = (await project.graphql(TOKEN)).createBrowserToken;
    const headers = { authorization: `Bearer ${token}`, origin: 'https://shop.example' };
    const allowed = async () =>
      (await send(`${gateway.baseUrl}/account/nobody`, 'GET', undefined, headers)).headers.get(
        'access-control-allow-origin',
      );
    expect(await allowed()).toBeNull();
    const { settings } = await update(project, {
      allowedOrigins: ['HTTPS://Shop.example:443', 'https://shop.example', 'http://localhost:3000'],
    });
    expect(settings.allowedOrigins).toEqual(['https://shop.example', 'http://localhost:3000']);
    expect(await allowed()).toBe('https://shop.example');
    await update(project, { allowedOrigins: [] });
    expect(await allowed()).toBeNull();
  });

  it('to introspection', async () => {
    const project = await gateway.project({ environment: 'production' });
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const introspect = async () =>
      (await project.withKey(key).rawGraphql('{ __schema { types { name } } }')).body;
    expect((await introspect()).errors[0].message).toMatch(/introspection/i);
    await update(project, { introspection: true });
    expect((await introspect()).data.__schema.types.length).toBeGreaterThan(10);
  });

  it('and soon in another gateway', async () => {
    const other = await startGateway({ masterKey, database: gateway.database });
    const project = await gateway.project();
    const there = projectClient(other.baseUrl, project.projectId, project.key);
    expect(await settingsOf(there)).toEqual(DEFAULTS);
    const { settings } = await update(project, { fakeFrom: 0.9 });
    await expect.poll(() => settingsOf(there)).toEqual(settings);
    // A change starts from the stored settings, not from cached ones.
    const [here, elsewhere] = await Promise.all([
      update(project, { introspection: true }),
      update(there, { twoValuedDecision: false }),
    ]);
    const both = { ...settings, introspection: true, twoValuedDecision: false };
    expect([here.settings, elsewhere.settings]).toContainEqual(both);
    await expect.poll(() => settingsOf(project)).toEqual(both);
    await other.close();
  });
});

describe('concurrent changes', () => {
  it('of different settings are all stored', async () => {
    const project = await gateway.project();
    const wanted = {
      suspiciousFrom: 0.2,
      fakeFrom: 0.9,
      twoValuedDecision: false,
      allowedOrigins: ['https://shop.example'],
      introspection: true,
    };
    await Promise.all(Object.entries(wanted).map(([name, value]) => update(project, { [name]: value })));
    expect(await settingsOf(project)).toEqual({ ...DEFAULTS, ...wanted, thresholdsVersion: 3 });
    expect(await linesOf(project)).toHaveLength(5);
  });

  it('are applied one after another, and versions are counted without a gap', async () => {
    const project = await gateway.project();
    const changes = Array.from({ length: 20 }, (_, index) =>
      index % 2 ? { fakeFrom: 0.75 + index / 100 } : { allowedOrigins: [`https://shop${index}.example`] },
    );
    const answers = await Promise.all(changes.map((input) => update(project, input)));
    const settings = await settingsOf(project);
    expect(settings.thresholdsVersion).toBe(11);
    const versions = answers.map((answer) => answer.settings.thresholdsVersion);
    expect([...new Set(versions)].filter((version) => version > 1).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 2),
    );
    const lines = await linesOf(project);
    expect(lines).toHaveLength(20);
    for (const name of ['fakeFrom', 'allowedOrigins', 'thresholdsVersion'] as const) {
      // Each value was added and removed once, except the first and the last one.
      const of = (side: 'before' | 'after') =>
        lines.filter((line) => name in line[side]).map((line) => JSON.stringify(line[side][name]));
      expect([...of('before'), JSON.stringify(settings[name])].sort()).toEqual(
        [...of('after'), JSON.stringify(DEFAULTS[name])].sort(),
      );
    }
  });
});

describe('vouchgraph project settings', { timeout: 240_000 }, () => {
  async function command(...args: string[]) {
    const ended = await runCommand(['project', 'settings', ...args], {
      DATABASE_URL: gateway.database.ownerUrl,
      MASTER_KEY: masterKey,
    });
    return { ...ended, output: ended.output + ended.errors };
  }

  it('shows the settings, and changes the specified ones', async () => {
    const project = await gateway.project();
    const shown = await command(project.projectId);
    expect(shown.output.split('\n')).toContain('suspiciousFrom              0.4');
    const changed = await command(
      ...[project.projectId, '--json', '--set', 'fake_from=0.8', 'introspection=true'],
      ...['--set', 'allowedOrigins=https://a.example, https://b.example'],
    );
    const settings = {
      ...DEFAULTS,
      fakeFrom: 0.8,
      introspection: true,
      allowedOrigins: ['https://a.example', 'https://b.example'],
      thresholdsVersion: 2,
    };
    const printed = { ...settings, faceMatching: 'strict', browserTokenOperations: 'any' };
    expect(JSON.parse(changed.output)).toEqual(snakeKeys(printed));
    await expect.poll(() => settingsOf(project)).toEqual(settings);
    expect(await linesOf(project)).toMatchObject([{ actor: 'command line', requestId: expect.any(String) }]);
  });

  it('changes how faces are matched', async () => {
    const project = await gateway.project();
    expect((await command(project.projectId)).output.split('\n')).toContain(
      'faceMatching                strict',
    );
    const changed = await command(project.projectId, '--json', '--set', 'faceMatching=standard');
    expect(JSON.parse(changed.output).face_matching).toBe('standard');
    const wrong = await command(project.projectId, '--set', 'faceMatching=loose');
    expect(wrong.output).toContain('faceMatching: must be one of standard, strict');
  });

  it('rejects an invalid setting with one line, and changes nothing', async () => {
    const project = await gateway.project();
    for (const wrong of [
      'fakeFrom',
      'fakeFrom=',
      'fakeFrom=2',
      'introspection=yes',
      'toString=1',
      'faceMatching=STRICT',
    ]) {
      const { code, output, errors } = await command(project.projectId, '--set', 'introspection=true', wrong);
      expect(code).toBe(2);
      expect(errors).toMatch(/^vouchgraph: .*\n$/);
      expect(output).toBe(errors);
    }
    expect(await settingsOf(project)).toEqual(DEFAULTS);
  });
});

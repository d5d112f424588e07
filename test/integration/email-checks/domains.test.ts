import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';

const UPDATE = `mutation ($input: UpdateEmailDomainsInput!) {
  updateEmailDomains(input: $input) { requestId settings { disposableDomains trustedDomains } } }`;

const masterKey = generateMasterKey();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
});
afterAll(() => gateway.close());

const tryUpdate = (project: TestProject, input: Body): Promise<Answer> =>
  project.rawGraphql(UPDATE, { input });
const update = async (project: TestProject, input: Body): Promise<Body> =>
  (await project.graphql(UPDATE, { input })).updateEmailDomains;
const domainsOf = async (project: TestProject): Promise<Body> =>
  (await project.graphql('{ project { settings { disposableDomains trustedDomains } } }')).project.settings;
const NONE = { disposableDomains: [], trustedDomains: [] };

const linesOf = async (project: TestProject): Promise<Body[]> =>
  (
    await project.graphql(
      `{ auditLog(first: 100, filter: { actions: [SETTINGS_UPDATE, SETTINGS_UPDATE_EMAIL_DOMAINS] }) {
        edges { node { actor action target requestId before after } } } }`,
    )
  ).auditLog.edges.map((edge: Body) => edge.node);

describe('the mail domains of a project', () => {
  it('are added and removed one by one, in ASCII and in order, each change with its audit entry', async () => {
    const project = await gateway.project();
    expect(await domainsOf(project)).toEqual(NONE);
    const { requestId, settings } = await update(project, {
      addDisposable: ['Trash.Example.COM', 'Bücher.de'],
      addTrusted: ['partner.com'],
    });
    const both = {
      disposableDomains: ['trash.example.com', 'xn--bcher-kva.de'],
      trustedDomains: ['partner.com'],
    };
    expect(settings).toEqual(both);
    expect(await domainsOf(project)).toEqual(both);
    const moved = await update(project, { removeTrusted: ['PARTNER.com'], addDisposable: ['partner.com'] });
    expect(moved.settings.disposableDomains).toEqual(['partner.com', ...both.disposableDomains]);
    await update(project, { addDisposable: ['partner.com'], removeTrusted: ['unknown.com'] });
    await update(project, {});
    const line = { action: 'SETTINGS_UPDATE_EMAIL_DOMAINS', target: `project:${project.projectId}` };
    expect(await linesOf(project)).toEqual([
      {
        ...line,
        actor: expect.stringMatching(/^vg_test_/),
        requestId: moved.requestId,
        before: { disposableDomains: [], trustedDomains: ['partner.com'] },
        after: { disposableDomains: ['partner.com'], trustedDomains: [] },
      },
      expect.objectContaining({ ...line, requestId, after: both, before: NONE }),
    ]);
    expect(await domainsOf(await gateway.project())).toEqual(NONE);
  });

  it('keep all changes of concurrent callers', async () => {
    const project = await gateway.project();
    await update(project, { addDisposable: ['old.com'] });
    const names = Array.from({ length: 12 }, (_, index) => `d${index + 10}.com`);
    await Promise.all([
      ...names.map((name, index) =>
        update(project, index % 2 ? { addDisposable: [name] } : { addTrusted: [name] }),
      ),
      update(project, { removeDisposable: ['old.com'] }),
      project.graphql('mutation { updateProjectSettings(input: { fakeFrom: 0.9 }) { requestId } }'),
    ]);
    expect(await domainsOf(project)).toEqual({
      disposableDomains: names.filter((_, index) => index % 2),
      trustedDomains: names.filter((_, index) => index % 2 === 0),
    });
    expect(await linesOf(project)).toHaveLength(15);
  });

  const many = Array.from({ length: 1001 }, (_, index) => `d${index}.com`);
  it.each([
    [
      { addDisposable: ['fine.com', 'not a domain'] },
      ['addDisposable', 1],
      'must be a domain such as mail.example.com',
    ],
    [{ addTrusted: ['co.uk'] }, ['addTrusted', 0], 'must not be a public suffix'],
    [{ addTrusted: ['a@fine.com'] }, ['addTrusted', 0], 'must be a domain such as'],
    [
      { addTrusted: ['x.com'], addDisposable: ['x.com'] },
      ['addTrusted', 0],
      'must not also be in addDisposable',
    ],
    [{ addTrusted: ['both.com'] }, ['addTrusted', 0], 'must not also be in disposableDomains'],
    [{ addTrusted: many }, ['addTrusted'], 'must have at most 1000 entries'],
    [{ addDisposable: many.slice(0, 1000) }, ['addDisposable'], 'must have at most 1000 entries'],
  ])('are not changed by %.60j', async (wrong, inputPath, text) => {
    const project = await gateway.project();
    await update(project, { addDisposable: ['both.com'] });
    const { errors } = (await tryUpdate(project, { ...wrong, removeDisposable: ['gone.com'] })).body;
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions).toMatchObject({ code: 'input.invalid', inputPath: ['input', ...inputPath] });
    expect(errors[0].message).toContain(`${inputPath.join('.')}: ${text}`);
    expect(await domainsOf(project)).toEqual({ ...NONE, disposableDomains: ['both.com'] });
  });

  it.each(['server', 'read'] as const)('cannot be changed by the role %s', async (role) => {
    const project = await gateway.project();
    const { key } = await gateway.app.projects.createKey(project.projectId, role);
    const answer = await tryUpdate(project.withKey(key), { addTrusted: ['x.com'] });
    expect(answer.body.errors[0].extensions.code).toBe('auth.forbidden');
    expect(await domainsOf(project)).toEqual(NONE);
  });
});

describe('a change of the domains applies immediately', () => {
  const emailOf = async (project: TestProject, id: string) =>
    (await project.rest('GET', `/account/${id}`)).body.email;

  it('in the email block of accounts, and in later fields of the same document', async () => {
    const project = await gateway.project();
    const [own, listed] = [unique('own'), unique('listed')];
    await project.authenticate({ id: own, email: 'mara@mail.throwaway-by-us.com' });
    await project.authenticate({ id: listed, email: 'mara@mailinator.com' });
    expect(await emailOf(project, own)).toMatchObject({
      disposable: false,
      risk_signals: [],
      email_score: 0,
    });
    expect(await emailOf(project, listed)).toMatchObject({ disposable: true });
    await update(project, { addDisposable: ['throwaway-by-us.com'], addTrusted: ['mailinator.com'] });
    expect(await emailOf(project, own)).toMatchObject({
      disposable: true,
      domain_type: 'personal',
      risk_signals: ['disposable_email'],
      email_score: 0.7,
    });
    const trusted = await emailOf(project, listed);
    expect(trusted).toMatchObject({ disposable: false, trust_signals: ['trusted_domain'] });
    expect(trusted.email_score).toBeLessThan(0);
    const data = await project.graphql(
      `mutation ($id: ID!) {
        updateEmailDomains(input: { removeDisposable: ["throwaway-by-us.com"] }) { requestId }
        updateAccount(input: { accountId: $id }) { account { emailFacts { disposable } } } }`,
      { id: own },
    );
    expect(data.updateAccount.account.emailFacts.disposable).toBe(false);
  });

  it('to authenticates and to checks of addresses, by the longest matching entry', async () => {
    const project = await gateway.project();
    await update(project, { addDisposable: ['branch.com'], addTrusted: ['head.branch.com'] });
    const check = async (email: string) =>
      (await project.rest('POST', '/email?wait=5', { email })).body.result.data.result;
    expect((await check('mara@any.branch.com')).risk_signals).toContain('disposable_email');
    expect((await check('mara@deep.head.branch.com')).trust_signals).toContain('trusted_domain');
    const answer = await project.authenticate({ id: unique('branch'), email: 'mara@branch.com' });
    expect(answer.account.email).toMatchObject({ disposable: true });
    const other = await gateway.project();
    const elsewhere = await other.authenticate({ id: unique('branch'), email: 'mara@branch.com' });
    expect(elsewhere.account.email).toMatchObject({ disposable: false });
  });

  it('and soon in another gateway', async () => {
    const second = await startGateway({ masterKey, database: gateway.database });
    const project = await gateway.project();
    const there = projectClient(second.baseUrl, project.projectId, project.key);
    const id = unique('soon');
    await there.authenticate({ id, email: 'mara@soon-elsewhere.com' });
    await update(project, { addDisposable: ['soon-elsewhere.com'] });
    await expect.poll(async () => (await emailOf(there, id)).disposable).toBe(true);
    await second.close();
  });
});

describe('vouchgraph email domains', { timeout: 240_000 }, () => {
  async function command(...args: string[]) {
    const ended = await runCommand(['email', 'domains', ...args], {
      DATABASE_URL: gateway.database.ownerUrl,
      MASTER_KEY: masterKey,
    });
    return { ...ended, output: ended.output + ended.errors };
  }

  it('lists, adds and removes domains', async () => {
    const project = await gateway.project();
    const { projectId } = project;
    expect((await command('list', projectId)).output).toBe('No domains yet.\n');
    const added = await command('add', projectId, '--disposable', 'B.com', 'a.com', '--trusted', 'c.com');
    expect(added).toMatchObject({
      code: 0,
      output: '2 disposable and 1 trusted domains.\nTakes effect within a second.\n',
    });
    expect((await command('list', projectId)).output).toBe(
      'disposable  a.com\ndisposable  b.com\ntrusted     c.com\n',
    );
    expect((await command('list', projectId, '--trusted')).output).toBe('trusted     c.com\n');
    const removed = await command('remove', projectId, '--json', '--disposable', 'a.com', 'unknown.com');
    const left = { disposable: ['b.com'], trusted: ['c.com'] };
    expect(JSON.parse(removed.output)).toEqual(left);
    expect(JSON.parse((await command('list', projectId, '--json')).output)).toEqual(left);
    expect(await linesOf(project)).toMatchObject([
      { actor: 'command line', before: { disposableDomains: ['a.com'] } },
      { actor: 'command line', requestId: expect.any(String) },
    ]);
  });

  it('rejects an invalid domain with one line and changes nothing', async () => {
    const project = await gateway.project();
    for (const args of [
      ['--disposable', 'fine.com', 'co.uk'],
      ['--disposable', 'fine.com', '--trusted', 'fine.com'],
      [],
    ]) {
      const { code, output, errors } = await command('add', project.projectId, ...args);
      expect(code).toBe(2);
      expect(errors).toMatch(/^vouchgraph: .*\n$/);
      expect(output).toBe(errors);
    }
    expect(await domainsOf(project)).toEqual(NONE);
  });
});

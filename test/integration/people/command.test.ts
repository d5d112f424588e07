import type { AddressInfo } from 'node:net';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEntries } from '../../support/audit.ts';
import { type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { openBrowser, PASSWORD } from '../../support/people.ts';
import { runCommand } from '../../support/run-command.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startOwnGateway({ masterKey });
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** Runs `vouchgraph user`, as docs/people.md does; PORT is that of the gateway, so that links lead to it. */
async function user(...args: string[]) {
  const environment = {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
    PORT: new URL(gateway.baseUrl).port,
  };
  return runCommand(['user', ...args], environment);
}
const json = async (...args: string[]) => JSON.parse((await user(...args, '--json')).output);
const secretOf = (link: string) => new URL(link).hash.slice(1);
const enter = async (link: string) => {
  const browser = openBrowser(gateway.baseUrl);
  const entered = { secret: secretOf(link), name: 'Ada Lovelace', password: PASSWORD };
  const { status } = await browser.auth('POST', '/accept-invitation', entered);
  return { browser, status };
};
const ME = '{ me { name role } }';

describe('vouchgraph user', () => {
  it('invites, changes, disables and resets a person', async () => {
    const { projectId } = project;
    const email = `${unique('ada')}@example.com`;
    const printed = await user(
      'invite',
      projectId,
      email.toUpperCase(),
      '--name',
      'Ada',
      '--role',
      'analyst',
    );
    expect(printed.code).toBe(0);
    expect(printed.output).toMatch(
      /by this link, once, within a day:\n\n {2}http:\/\/localhost:\d+\/console\/invitation#[\w-]{43}\n/,
    );
    const { link } = await json('invite', projectId, email, '--name', 'Ada', '--role', 'analyst');
    const { browser, status } = await enter(link);
    expect(status).toBe(200);
    expect((await browser.graphql(ME)).body.data.me).toEqual({ name: 'Ada Lovelace', role: 'ANALYST' });
    expect(await json('list')).toMatchObject([
      { email, name: 'Ada Lovelace', disabled_at: null, roles: [{ project_id: projectId, role: 'analyst' }] },
    ]);
    expect(await json('invite', projectId, email, '--name', 'Ada', '--role', 'viewer')).toMatchObject({
      link: null,
    });
    expect((await browser.graphql(ME)).body.data.me.role).toBe('VIEWER');
    expect(await json('role', projectId, email, 'admin')).toMatchObject({ role: 'admin' });
    expect((await browser.graphql(ME)).body.data.me.role).toBe('ADMIN');
    expect((await user('role', projectId, email, 'none')).output).toContain('has no role');
    expect((await browser.graphql(ME)).status).toBe(403);
    await user('role', projectId, email, 'viewer');
    expect(await json('disable', email)).toEqual({ email, disabled: true });
    expect((await browser.graphql(ME)).status).toBe(401);
    expect((await user('list')).output).toMatch(/disabled/);
    await user('enable', email);
    const reset = await json('reset', email);
    expect((await enter(reset.link)).status).toBe(200);
  });

  it('records every change in the audit log of the project, without the email', async () => {
    const { projectId } = project;
    const email = `${unique('ada')}@example.com`;
    const { link } = await json('invite', projectId, email, '--name', 'Ada', '--role', 'analyst');
    const { browser } = await enter(link);
    const target = `person:${(await browser.graphql('{ me { personId } }')).body.data.me.personId}`;
    await user('role', projectId, email, 'admin');
    await user('disable', email);
    await user('disable', email);
    await user('enable', email);
    await user('reset', email);
    await user('role', projectId, email, 'none');
    const all = (await auditEntries(project)).reverse();
    const { after } = all.find((entry) => entry.action === 'PERSON_ENTER' && entry.target === target)!;
    const entries = all.filter((entry) =>
      [target, `invitation:${after.invitationId}`].includes(entry.target),
    );
    const line = 'command line';
    expect(entries.map((entry) => [entry.action, entry.actor, entry.before, entry.after?.role])).toEqual([
      ['PERSON_INVITE', line, null, 'analyst'],
      ['PERSON_ENTER', target, null, 'analyst'],
      ['PERSON_SET_ROLE', line, { role: 'analyst' }, 'admin'],
      ['PERSON_DISABLE', line, { role: 'admin' }, undefined],
      ['PERSON_ENABLE', line, { role: 'admin' }, undefined],
      ['PERSON_RESET', line, { role: 'admin' }, undefined],
      ['PERSON_REMOVE', line, { role: 'admin' }, undefined],
    ]);
    expect(entries.slice(1).map((entry) => entry.target)).toEqual(Array(6).fill(target));
    expect(JSON.stringify(entries)).not.toContain(email);
  });

  it('exports the data of a person, and erases the person', async () => {
    const { projectId } = project;
    const email = `${unique('ada')}@example.com`;
    const { link } = await json('invite', projectId, email, '--name', 'Ada', '--role', 'admin');
    const { browser } = await enter(link);
    const invited = await browser.graphql(
      'mutation { invitePerson(input: { email: "bob@example.com", name: "Bob", role: VIEWER }) { requestId } }',
    );
    expect(invited.body.errors).toBeUndefined();
    const exported = JSON.parse((await user('export', email)).output);
    expect(exported).toMatchObject({
      email,
      roles: [{ projectId, role: 'admin' }],
      auditEntries: [{ address: '127.0.0.1' }, {}],
    });
    // Without a terminal nobody can confirm it.
    expect((await user('delete', email)).code).toBe(2);
    expect(await json('delete', email, '--yes')).toEqual({ email, deleted: true });
    expect((await browser.graphql(ME)).status).toBe(401);
    expect((await user('export', email)).errors).toContain('No person with this email');
    const entries = await auditEntries(project);
    const target = `person:${exported.personId}`;
    expect(entries.filter(({ actor }) => actor === target).map(({ address }) => address)).toEqual([
      null,
      null,
    ]);
    expect(entries.find((entry) => entry.action === 'PERSON_DELETE')).toMatchObject({
      action: 'PERSON_DELETE',
      actor: 'command line',
      target,
    });
    // The email can be invited again.
    expect((await json('invite', projectId, email, '--name', 'Ada')).link).not.toBeNull();
  });

  it.each([
    ['role', 'nobody@example.com', 'admin'],
    ['disable', 'nobody@example.com'],
    ['reset', 'nobody@example.com'],
    ['export', 'nobody@example.com'],
    ['delete', 'nobody@example.com', '--yes'],
  ])('%s fails for an unknown person', async (...args) => {
    const { code, errors } = await user(...args);
    expect(code).toBe(1);
    expect(errors).toContain('No person with this email');
  });

  it('rejects an email and a role that are none', async () => {
    const { projectId } = project;
    expect((await user('invite', projectId, 'ada', '--name', 'Ada')).errors).toContain(
      'email: must be an email',
    );
    expect((await user('invite', projectId, 'a@example.com', '--name', 'Ada', '--role', 'king')).code).toBe(
      2,
    );
    expect((await user('invite', projectId, 'a@example.com')).code).toBe(2);
  });
});

describe('the link of the first administrator', () => {
  it('enters the sandbox projects once, with an email of their choice', async () => {
    const own = await startOwnGateway();
    try {
      const first = await own.project();
      const replaced = await own.app.firstAdministratorLink();
      const link = await own.app.firstAdministratorLink();
      const accept = (secret: string) => {
        const browser = openBrowser(own.baseUrl);
        const entered = { secret, email: 'first@example.com', name: 'First', password: PASSWORD };
        return browser
          .auth('POST', '/accept-invitation', entered)
          .then(({ status }) => ({ status, browser }));
      };
      expect((await accept(secretOf(replaced!))).status).toBe(404);
      const { status, browser } = await accept(secretOf(link!));
      expect(status).toBe(200);
      const { body } = await browser.graphql('{ me { email role project { projectId } } }');
      expect(body.data.me).toEqual({
        email: 'first@example.com',
        role: 'ADMIN',
        project: { projectId: first.projectId },
      });
      expect(await own.app.firstAdministratorLink()).toBeNull();
    } finally {
      await own.close();
    }
  });

  it('is refused once a production project exists, also when it was made before', async () => {
    const own = await startOwnGateway();
    try {
      await own.project();
      const secret = secretOf((await own.app.firstAdministratorLink())!);
      const browser = openBrowser(own.baseUrl);
      expect((await browser.auth('POST', '/invitation', { secret })).status).toBe(200);
      await own.project({ environment: 'production' });
      const entered = { secret, email: 'first@example.com', name: 'First', password: PASSWORD };
      expect((await browser.auth('POST', '/invitation', { secret })).status).toBe(404);
      expect((await browser.auth('POST', '/accept-invitation', entered)).status).toBe(404);
    } finally {
      await own.close();
    }
  });

  it('does not exist beside a production project, with a public URL or behind a proxy', async () => {
    const all: Record<string, string>[] = [
      { PUBLIC_URL: 'https://id.example.com' },
      { TRUSTED_PROXIES: '127.0.0.1' },
      {},
    ];
    for (const settings of all) {
      const own = await startOwnGateway({ settings });
      try {
        await own.project();
        if (Object.keys(settings).length === 0) await own.project({ environment: 'production' });
        expect(await own.app.firstAdministratorLink()).toBeNull();
      } finally {
        await own.close();
      }
    }
  });
});

/** Address of a gateway whose public URL leads elsewhere. */
function localUrl({ app }: Gateway): string {
  const { port } = app.parts.start.bound.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

it('people sign in over HTTPS or on loopback only, with a cookie for this host', async () => {
  const own = await startOwnGateway({ settings: { PUBLIC_URL: 'https://id.example.com' } });
  const plain = await startOwnGateway({ settings: { PUBLIC_URL: 'http://id.example.com' } });
  try {
    const { projectId } = await own.project();
    const invited = await own.app.parts.http.persons.invitations.invite('ada@example.com', 'Ada', [
      { projectId, role: 'viewer' },
    ]);
    const entered = { secret: invited!.secret, name: 'Ada', password: PASSWORD };
    const at = (origin: string) => ({ origin });
    const browser = openBrowser(localUrl(own));
    expect((await browser.auth('POST', '/accept-invitation', entered)).status).toBe(403);
    const accepted = await browser.auth('POST', '/accept-invitation', entered, at('https://id.example.com'));
    expect(accepted.status).toBe(200);
    expect(accepted.headers.getSetCookie()[0]).toMatch(/^__Host-vouchgraph\.session_token=.*Path=\/.*Secure/);
    const refused = await openBrowser(localUrl(plain)).auth(
      'GET',
      '/methods',
      undefined,
      at('http://id.example.com'),
    );
    expect(refused.body.message).toContain('requires HTTPS');
  } finally {
    await plain.close();
    await own.close();
  }
});

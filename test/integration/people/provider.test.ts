import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEntries } from '../../support/audit.ts';
import { type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { type OidcProvider, signInAt, startOidcProvider } from '../../support/oidc-provider.ts';
import { type Browser, invite, openBrowser, PASSWORD, signedIn } from '../../support/people.ts';
import { runCommand } from '../../support/run-command.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let other: TestProject;
let provider: OidcProvider;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'vouchgraph-provider-'));
  gateway = await startOwnGateway({ masterKey });
  [project, other] = [await gateway.project(), await gateway.project()];
  provider = await startOidcProvider();
  const { redirect_uri } = await set('company', provider);
  provider.register(redirect_uri);
});
afterAll(async () => {
  await provider.close();
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** Runs `vouchgraph user provider`, as docs/people.md does. */
const command = (...args: string[]) =>
  runCommand(['user', 'provider', ...args], {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
    PORT: new URL(gateway.baseUrl).port,
  });
const json = async (...args: string[]) => JSON.parse((await command(...args, '--json')).output);

async function set(id: string, { issuer, clientId, clientSecret }: OidcProvider) {
  const file = path.join(folder, unique('secret'));
  await writeFile(file, `${clientSecret}\n`);
  const client = ['--issuer', issuer, '--client-id', clientId, '--client-secret-file', file];
  return json('set', id, '--name', 'Company', ...client, '--scope', 'groups', 'email');
}

/** Begins a request at the provider, signs in there as the subject, and returns. Resolves with where that leads. */
async function visit(
  browser: Browser,
  begin: [path: string, body: object],
  subject: string,
): Promise<string> {
  const begun = await browser.auth('POST', begin[0], { provider: 'company', ...begin[1] });
  if (begun.status !== 200) throw new Error(`${begun.status} ${begun.text}`);
  return browser.arrive(await signInAt(begun.body.url, subject));
}
const PAGES = { callbackURL: '/console', errorCallbackURL: '/console/sign-in' };
const signIn = (browser: Browser, subject: string) => visit(browser, ['/sign-in/social', PAGES], subject);
const join = (browser: Browser, subject: string) => visit(browser, ['/link-social', PAGES], subject);
const ME = '{ me { email role projects { role project { projectId } } } }';
const roles = async (browser: Browser) => {
  const { body } = await browser.graphql(ME);
  return (body.data?.me.projects ?? []).map((each: { role: string; project: { projectId: string } }) => [
    each.project.projectId,
    each.role,
  ]);
};
async function onSignInPage(browser: Browser): Promise<unknown[]> {
  return (await browser.auth('GET', '/methods')).body.providers;
}

describe('a provider', () => {
  it('is on the sign-in page from the command on, in every gateway', async () => {
    expect(await onSignInPage(openBrowser(gateway.baseUrl))).toEqual([{ id: 'company', name: 'Company' }]);
    const [listed] = await json('list');
    expect(listed).toMatchObject({
      id: 'company',
      has_client_secret: true,
      scopes: ['openid', 'groups', 'email'],
    });
    expect(JSON.stringify(listed)).not.toContain(provider.clientSecret);
    expect(await json('check', 'company')).toMatchObject({ token_endpoint: `${provider.issuer}/token` });
  });

  it.each([
    ['http://10.0.0.1/', 'must start with https'],
    ['https://192.168.1.1', 'private network'],
    ['https://provider.internal', 'private network'],
    ['https://example.com?x=1', 'query'],
  ])('is refused at %s', async (issuer, problem) => {
    const { code, errors } = await command('set', 'x', '--name', 'X', '--issuer', issuer, '--client-id', 'x');
    expect(code).toBe(2);
    expect(errors).toContain(problem);
  });

  it('is refused when its metadata cannot be read, and with the issuer of another one', async () => {
    const unreadable = ['--issuer', 'http://localhost:1', '--client-id', 'x'];
    const { errors } = await command('set', 'x', '--name', 'X', ...unreadable);
    expect(errors).toContain('cannot be used: unreachable');
    const taken = ['--issuer', provider.issuer, '--client-id', 'x'];
    expect((await command('set', 'x', '--name', 'X', ...taken)).errors).toContain('another id');
    expect((await command('check', 'unknown')).errors).toContain('No provider with this id');
  });
});

describe('an identity', () => {
  it('that nobody has joined does not sign in, and its email counts for nothing', async () => {
    const admin = await signedIn(gateway, project.projectId, 'admin');
    const subject = unique('stranger');
    provider.accounts.set(subject, { email: admin.email });
    const browser = openBrowser(gateway.baseUrl);
    expect(await signIn(browser, subject)).toMatch(/^\/console\/sign-in\?error=signup_disabled/);
    expect((await browser.graphql(ME)).status).toBe(401);
  });

  it('is joined by a person who is signed in, and then signs the person in', async () => {
    const person = await signedIn(gateway, project.projectId, 'analyst');
    const subject = unique('joined');
    expect(await join(person, subject)).toBe('/console');
    const browser = openBrowser(gateway.baseUrl);
    expect(await signIn(browser, subject)).toBe('/console');
    expect((await browser.graphql(ME)).body.data.me).toMatchObject({ email: person.email, role: 'ANALYST' });
    const { sessions } = (await browser.auth('GET', '/sessions')).body;
    expect(sessions.find((each: { current: boolean }) => each.current).method).toBe('provider');
    const stored = await gateway.app.parts.storage.people.query(
      {
        name: 'test.tokens',
        text: 'select access_token, refresh_token, id_token from credentials where account_id like $1',
      },
      [`%${subject}`],
    );
    expect(stored).toEqual([{ access_token: null, refresh_token: null, id_token: null }]);
  });

  it('of one person is not joined by another one', async () => {
    const subject = unique('taken');
    await join(await signedIn(gateway, project.projectId, 'viewer'), subject);
    const second = await signedIn(gateway, project.projectId, 'viewer');
    expect(await join(second, subject)).toContain('error=account_already_linked_to_different_user');
    expect((await second.auth('GET', '/identities')).body.identities).toEqual([]);
  });

  it('enters by an invitation without a password, once', async () => {
    const { email, secret } = await invite(gateway, project.projectId, 'viewer');
    const subject = unique('invited');
    const browser = openBrowser(gateway.baseUrl);
    expect(await visit(browser, ['/accept-invitation-at-provider', { secret, ...PAGES }], subject)).toBe(
      '/console',
    );
    expect((await browser.graphql(ME)).body.data.me).toMatchObject({ email, role: 'VIEWER' });
    const own = (await browser.auth('GET', '/identities')).body;
    expect(own).toMatchObject({ hasPassword: false, identities: [{ provider: 'company', name: 'Company' }] });
    const again = await openBrowser(gateway.baseUrl).auth('POST', '/accept-invitation-at-provider', {
      ...{ provider: 'company', secret },
    });
    expect([again.status, again.body.code]).toEqual([404, 'INVITATION_NOT_FOUND']);
    const [identity] = own.identities;
    expect((await browser.auth('POST', '/remove-identity', { id: identity.id })).status).toBe(409);
  });

  it('that is joined receives the roles of a further invitation', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const subject = unique('again');
    await join(person, subject);
    const { secret } = await invite(gateway, other.projectId, 'analyst');
    const browser = openBrowser(gateway.baseUrl);
    await visit(browser, ['/accept-invitation-at-provider', { secret, ...PAGES }], subject);
    expect(await roles(browser)).toEqual(
      expect.arrayContaining([
        [project.projectId, 'VIEWER'],
        [other.projectId, 'ANALYST'],
      ]),
    );
  });

  it('of a disabled person does not sign in, with the answer of an unknown one', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const subject = unique('disabled');
    await join(person, subject);
    await gateway.app.parts.http.persons.invitations.setDisabled(person.email, true);
    const [refused, unknown] = [await signInFresh(subject), await signInFresh(unique('unknown'))];
    expect(refused).toBe(unknown);
  });

  it('is not joined or removed by a session whose sign-in was over an hour ago', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    await gateway.app.parts.storage.people.query(
      {
        name: 'test.age_sessions',
        text: `update sessions set created_at = created_at - interval '61 minutes'
               where person_id = (select id from people where email = $1)`,
      },
      [person.email],
    );
    for (const path of ['/link-social', '/remove-identity']) {
      const { status, body } = await person.auth('POST', path, { provider: 'company', id: 'x', ...PAGES });
      expect([status, body.code]).toEqual([403, 'SESSION_NOT_FRESH']);
    }
  });

  it('is lost when its person chooses another password by a link', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const subject = unique('reset');
    await join(person, subject);
    const { secret } = await gateway.app.parts.http.persons.invitations.reset(person.email);
    await openBrowser(gateway.baseUrl).auth('POST', '/accept-invitation', {
      ...{ secret, name: 'Ada Lovelace', password: PASSWORD },
    });
    expect(await signInFresh(subject)).toContain('signup_disabled');
  });

  it('is removed by its person, who has a password', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const subject = unique('removed');
    await join(person, subject);
    const [identity] = (await person.auth('GET', '/identities')).body.identities;
    expect((await person.auth('POST', '/remove-identity', { id: identity.id })).status).toBe(200);
    expect(await signInFresh(subject)).toContain('signup_disabled');
  });
});

const signInFresh = (subject: string) => signIn(openBrowser(gateway.baseUrl), subject);

describe('a return from the provider', () => {
  const begin = async (browser: Browser) =>
    (await browser.auth('POST', '/sign-in/social', { provider: 'company', ...PAGES })).body.url as string;

  it('counts in the browser that began, and once', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const subject = unique('bound');
    await join(person, subject);
    const browser = openBrowser(gateway.baseUrl);
    const back = await signInAt(await begin(browser), subject);
    const thief = openBrowser(gateway.baseUrl);
    expect(await thief.arrive(back)).toContain('error=state_mismatch');
    expect(thief.cookies.size).toBe(0);
    expect(await browser.arrive(back)).toBe('/console');
    expect(await openBrowser(gateway.baseUrl).arrive(back)).toContain('error=');
  });

  it('with the state of another provider, another issuer or no code is refused', async () => {
    const browser = openBrowser(gateway.baseUrl);
    const back = new URL(await signInAt(await begin(browser), unique('mixed')));
    const wrong = new URL(back);
    wrong.searchParams.set('iss', 'https://example.com');
    expect(await browser.arrive(wrong.href)).toContain('error=issuer_mismatch');
    const cancelled = new URL(await begin(browser)).searchParams.get('state')!;
    const denied = new URL(back.origin + back.pathname);
    denied.search = new URLSearchParams({ error: 'access_denied', state: cancelled }).toString();
    expect(await browser.arrive(denied.href)).toBe('/console/sign-in?error=access_denied');
  });

  it('leads to pages of the console only', async () => {
    const browser = openBrowser(gateway.baseUrl);
    const answer = await browser.auth('POST', '/sign-in/social', {
      provider: 'company',
      callbackURL: 'https://example.com',
      errorCallbackURL: '//example.com',
    });
    const state = new URL(answer.body.url).searchParams.get('state')!;
    const back = `${gateway.baseUrl}/auth/callback/company?${new URLSearchParams({ state, error: 'x' })}`;
    expect(new URL(await browser.arrive(back), gateway.baseUrl).hostname).not.toBe('example.com');
  });

  it('does not take an invitation, an ID token or a sign-up from the request', async () => {
    const browser = openBrowser(gateway.baseUrl);
    const answer = await browser.auth('POST', '/sign-in/social', {
      provider: 'company',
      ...PAGES,
      requestSignUp: true,
      idToken: { token: 'x' },
      additionalData: { invitation: 'x', provider: 'other' },
    });
    const back = await signInAt(answer.body.url, unique('eager'));
    expect(await browser.arrive(back)).toContain('error=signup_disabled');
  });
});

describe('claims', () => {
  it('give roles in the projects of their mappings at each sign-in, and take back what they gave', async () => {
    const values = ['company', '--claim', 'groups', '--value', 'fraud-team'];
    await json('map', other.projectId, ...values, '--role', 'analyst');
    await json('map', other.projectId, 'company', '--claim', 'groups', '--value', 'leads', '--role', 'admin');
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const subject = unique('grouped');
    await join(person, subject);
    const rolesAfter = async (groups: string[]) => {
      provider.accounts.set(subject, { groups });
      const browser = openBrowser(gateway.baseUrl);
      expect(await signIn(browser, subject)).toBe('/console');
      return Object.fromEntries(await roles(browser));
    };
    const viewer = { [project.projectId]: 'VIEWER' };
    expect(await rolesAfter(['fraud-team'])).toEqual({ ...viewer, [other.projectId]: 'ANALYST' });
    expect(await rolesAfter(['fraud-team', 'leads'])).toEqual({ ...viewer, [other.projectId]: 'ADMIN' });
    expect(await rolesAfter(['cooking'])).toEqual(viewer);
    const recorded = (await auditEntries(other)).filter(({ actor }) => actor === 'system').reverse();
    const company = { provider: 'company' };
    expect(recorded.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['PERSON_SET_ROLE', null, { role: 'analyst', ...company }],
      ['PERSON_SET_ROLE', { role: 'analyst', ...company }, { role: 'admin', ...company }],
      ['PERSON_REMOVE', { role: 'admin', ...company }, null],
    ]);
    await rolesAfter(['fraud-team']);
    await json('unmap', other.projectId, ...values);
    expect(await rolesAfter(['fraud-team'])).toEqual(viewer);
    expect((await command('unmap', other.projectId, ...values)).errors).toContain('no such mapping');
  });

  it('give no role any more without the identity', async () => {
    await json(
      'map',
      other.projectId,
      'company',
      '--claim',
      'groups',
      '--value',
      'leavers',
      '--role',
      'admin',
    );
    const leave = {
      remove: async (person: Browser & { email: string }) => {
        const [identity] = (await person.auth('GET', '/identities')).body.identities;
        await person.auth('POST', '/remove-identity', { id: identity.id });
        return person;
      },
      reset: async ({ email }: { email: string }) => {
        const { secret } = await gateway.app.parts.http.persons.invitations.reset(email);
        const browser = openBrowser(gateway.baseUrl);
        await browser.auth('POST', '/accept-invitation', { secret, name: 'Ada', password: PASSWORD });
        return browser;
      },
    };
    for (const end of Object.values(leave)) {
      const person = await signedIn(gateway, project.projectId, 'viewer');
      const subject = unique('leaver');
      await join(person, subject);
      provider.accounts.set(subject, { groups: ['leavers'] });
      await signInFresh(subject);
      expect(await roles(person)).toContainEqual([other.projectId, 'ADMIN']);
      expect(await roles(await end(person))).toEqual([[project.projectId, 'VIEWER']]);
    }
  });

  it('leave a role that a person gave', async () => {
    await json('map', project.projectId, 'company', '--claim', 'groups', '--value', 'all', '--role', 'admin');
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const subject = unique('kept');
    await join(person, subject);
    provider.accounts.set(subject, { groups: ['all'] });
    const browser = openBrowser(gateway.baseUrl);
    await signIn(browser, subject);
    expect(await roles(browser)).toEqual([[project.projectId, 'VIEWER']]);
  });
});

describe('removing a provider', () => {
  it('ends its identities, its sessions and the roles that it gave', async () => {
    const second = await startOidcProvider();
    const own = await startOwnGateway({ masterKey });
    try {
      const at = {
        DATABASE_URL: own.database.ownerUrl,
        MASTER_KEY: masterKey,
        PORT: new URL(own.baseUrl).port,
      };
      const { projectId } = await own.project();
      const client = ['--issuer', second.issuer, '--client-id', second.clientId];
      const args = ['user', 'provider', 'set', 'company', '--name', 'Company', ...client, '--json'];
      const file = path.join(folder, unique('secret'));
      await writeFile(file, second.clientSecret);
      const made = await runCommand([...args, '--client-secret-file', file], at);
      second.register(JSON.parse(made.output).redirect_uri);
      const { secret } = await invite(own, projectId, 'viewer');
      const browser = openBrowser(own.baseUrl);
      await visit(browser, ['/accept-invitation-at-provider', { secret, ...PAGES }], 'someone');
      expect((await browser.graphql(ME)).status).toBe(200);
      const removed = await runCommand(['user', 'provider', 'remove', 'company', '--yes', '--json'], at);
      expect(JSON.parse(removed.output)).toEqual({ id: 'company', identities: 1 });
      expect((await browser.graphql(ME)).status).toBe(401);
      expect(await onSignInPage(browser)).toEqual([]);
      const gone = await openBrowser(own.baseUrl).auth('POST', '/sign-in/social', {
        provider: 'company',
        ...PAGES,
      });
      expect(gone.status).toBe(404);
    } finally {
      await own.close();
      await second.close();
    }
  });
});

it('a password still signs in beside an identity', async () => {
  const person = await signedIn(gateway, project.projectId, 'viewer');
  await join(person, unique('both'));
  const answer = await openBrowser(gateway.baseUrl).auth('POST', '/sign-in/email', {
    ...{ email: person.email, password: PASSWORD },
  });
  expect(answer.status).toBe(200);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { invite, openBrowser, PASSWORD, signedIn, totpCode } from '../../support/people.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  // Each browser of this file has an address of its own: attempts are limited by address.
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const ME =
  '{ me { name email role project { projectId } twoFactorEnabled projects { role project { projectId environment } } } }';
const entered = (secret: string) => ({ secret, name: 'Ada Lovelace', password: PASSWORD });
let addresses = 0;
const fromElsewhere = () => {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.${addresses >> 8}.${addresses & 255}` };
};

describe('an invitation', () => {
  it('shows for whom it is, and signs the person in once', async () => {
    const { email, secret } = await invite(gateway, project.projectId, 'analyst');
    const browser = openBrowser(gateway.baseUrl);
    const shown = await browser.auth('POST', '/invitation', { secret });
    expect(shown.body).toMatchObject({ kind: 'INVITATION', email, projects: [{ role: 'analyst' }] });
    const accepted = await browser.auth('POST', '/accept-invitation', entered(secret));
    expect(accepted.status).toBe(200);
    expect(accepted.text).not.toContain('token');
    const [cookie] = accepted.headers.getSetCookie();
    expect(cookie).toMatch(/^vouchgraph\.session_token=[^;]+; .*HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/i);
    const { body } = await browser.graphql(ME);
    expect(body.data.me).toEqual({
      name: 'Ada Lovelace',
      email,
      role: 'ANALYST',
      project: { projectId: project.projectId },
      twoFactorEnabled: false,
      projects: [{ role: 'ANALYST', project: { projectId: project.projectId, environment: 'SANDBOX' } }],
    });
    const again = await openBrowser(gateway.baseUrl).auth('POST', '/accept-invitation', entered(secret));
    expect([again.status, again.body.code]).toEqual([404, 'INVITATION_NOT_FOUND']);
  });

  it('is spent by one of two concurrent requests', async () => {
    const { secret } = await invite(gateway, project.projectId, 'viewer');
    const answers = await Promise.all(
      [1, 2].map(() => openBrowser(gateway.baseUrl).auth('POST', '/accept-invitation', entered(secret))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  it('is replaced by a newer one, and unknown ones look alike', async () => {
    const first = await invite(gateway, project.projectId, 'viewer');
    await invite(gateway, project.projectId, 'viewer', first.email);
    const browser = openBrowser(gateway.baseUrl);
    const replaced = await browser.auth('POST', '/invitation', { secret: first.secret });
    const unknown = await browser.auth('POST', '/invitation', { secret: 'A'.repeat(43) });
    const malformed = await browser.auth('POST', '/invitation', { secret: 'x' });
    expect(replaced.status).toBe(404);
    expect(unknown.text).toBe(replaced.text);
    expect(malformed.text).toBe(replaced.text);
  });

  it('is not spent by a password that is too short', async () => {
    const { secret } = await invite(gateway, project.projectId, 'viewer');
    const browser = openBrowser(gateway.baseUrl);
    const short = await browser.auth('POST', '/accept-invitation', { ...entered(secret), password: 'short' });
    expect([short.status, short.body.code]).toEqual([400, 'PASSWORD_TOO_SHORT']);
    expect((await browser.auth('POST', '/accept-invitation', entered(secret))).status).toBe(200);
  });
});

describe('a sign-in', () => {
  it('answers a wrong password, an unknown email and a disabled person alike', async () => {
    const { email } = await signedIn(gateway, project.projectId, 'viewer');
    const disabled = await signedIn(gateway, project.projectId, 'viewer');
    await gateway.app.parts.http.persons.invitations.setDisabled(disabled.email, true);
    const attempt = (body: object) =>
      openBrowser(gateway.baseUrl).auth('POST', '/sign-in/email', body, fromElsewhere());
    const wrong = await attempt({ email, password: 'wrong password here' });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD']);
    const unknown = await attempt({ email: `${unique('nobody')}@example.com`, password: PASSWORD });
    const refused = await attempt({ email: disabled.email, password: PASSWORD });
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text]);
    expect([refused.status, refused.text]).toEqual([wrong.status, wrong.text]);
    expect((await disabled.graphql(ME)).status).toBe(401);
    await gateway.app.parts.http.persons.invitations.setDisabled(disabled.email, false);
    expect((await attempt({ email: disabled.email, password: PASSWORD })).status).toBe(200);
  });

  it('gives a new session, and ends the one that the browser had', async () => {
    const person = await signedIn(gateway, project.projectId, 'viewer');
    const before = new Map(person.cookies);
    const answer = await person.auth(
      'POST',
      '/sign-in/email',
      { email: person.email, password: PASSWORD },
      fromElsewhere(),
    );
    expect(answer.status).toBe(200);
    expect(person.cookies).not.toEqual(before);
    expect((await person.graphql(ME)).status).toBe(200);
    const stolen = openBrowser(gateway.baseUrl);
    for (const [name, value] of before) stolen.cookies.set(name, value);
    expect((await stolen.graphql(ME)).status).toBe(401);
  });

  it('is limited by email, whether a person has it or not, from any address', async () => {
    const email = `${unique('nobody')}@example.com`;
    const attempt = () =>
      openBrowser(gateway.baseUrl).auth('POST', '/sign-in/email', { email, password: 'x' }, fromElsewhere());
    for (let left = 20; left > 0; left -= 1) expect((await attempt()).status).toBe(401);
    const limited = await attempt();
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is limited by address', async () => {
    const here = fromElsewhere();
    const statuses: number[] = [];
    for (let left = 11; left > 0; left -= 1) {
      const email = `${unique('nobody')}@example.com`;
      const body = { email, password: 'x' };
      statuses.push((await openBrowser(gateway.baseUrl).auth('POST', '/sign-in/email', body, here)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  });

  it('asks for a code after the password, which signs in once', async () => {
    const person = await signedIn(gateway, project.projectId, 'analyst');
    const address = fromElsewhere();
    const enabled = await person.auth('POST', '/two-factor/enable', { password: PASSWORD }, address);
    expect(enabled.status).toBe(200);
    const { totpURI, backupCodes } = enabled.body;
    const code = totpCode(totpURI);
    expect((await person.auth('POST', '/two-factor/verify-totp', { code }, address)).status).toBe(200);
    expect((await person.graphql(ME)).body.data.me.twoFactorEnabled).toBe(true);

    const signIn = async (path: string, given: string) => {
      const browser = openBrowser(gateway.baseUrl);
      const from = fromElsewhere();
      const first = await browser.auth(
        'POST',
        '/sign-in/email',
        { email: person.email, password: PASSWORD },
        from,
      );
      expect(first.body).toMatchObject({ twoFactorRedirect: true, twoFactorMethods: ['totp'] });
      expect((await browser.graphql(ME)).status).toBe(401);
      const second = await browser.auth('POST', path, { code: given }, from);
      return { status: second.status, browser };
    };
    // A second factor that is turned off and on again is not taken for a code that was used.
    const twice = await signedIn(gateway, project.projectId, 'viewer');
    for (const round of [1, 2]) {
      const set = await twice.auth('POST', '/two-factor/enable', { password: PASSWORD }, fromElsewhere());
      const given = { code: totpCode(set.body.totpURI) };
      expect(
        (await twice.auth('POST', '/two-factor/verify-totp', given, fromElsewhere())).status,
        `${round}`,
      ).toBe(200);
      const off = await twice.auth('POST', '/two-factor/disable', { password: PASSWORD }, fromElsewhere());
      expect(off.status, `${round}`).toBe(200);
    }
    // The next code, which the app shows up to 30 seconds later and is accepted already.
    const next = totpCode(totpURI, Date.now() + 30_000);
    const first = await signIn('/two-factor/verify-totp', next);
    expect(first.status).toBe(200);
    expect((await first.browser.graphql(ME)).status).toBe(200);
    expect((await signIn('/two-factor/verify-totp', next)).status).toBe(401);
    expect((await signIn('/two-factor/verify-totp', '000000')).status).toBe(401);
    expect((await signIn('/two-factor/verify-backup-code', backupCodes[0])).status).toBe(200);
    expect((await signIn('/two-factor/verify-backup-code', backupCodes[0])).status).toBe(401);
  });
});

describe('requests of the library', () => {
  it.each([
    ['POST', '/sign-up/email'],
    ['POST', '/update-user'],
    ['POST', '/delete-user'],
    ['POST', '/change-email'],
    ['POST', '/reset-password'],
    ['POST', '/request-password-reset'],
    ['POST', '/two-factor/send-otp'],
    ['POST', '/unlink-account'],
    ['GET', '/list-accounts'],
    ['POST', '/callback/company'],
    ['GET', '/ok'],
    ['GET', '/error'],
    ['GET', '/list-sessions'],
    ['POST', '/get-session'],
  ])('%s %s does not exist', async (method, path) => {
    const person = await signedIn(gateway, project.projectId, 'admin');
    expect((await person.auth(method as 'GET', path, method === 'GET' ? undefined : {})).status).toBe(404);
  });

  it('of another origin, and without one, are refused', async () => {
    const { email } = await signedIn(gateway, project.projectId, 'viewer');
    for (const origin of ['https://evil.example', 'null', ''])
      expect(
        (
          await send(
            `${gateway.baseUrl}/auth/sign-in/email`,
            'POST',
            { email, password: PASSWORD },
            origin === '' ? {} : { origin },
          )
        ).status,
      ).toBe(403);
  });
});

import { describe, expect, it } from 'vitest';
import { type Gateway, startOwnGateway } from '../support/gateway.ts';
import { invite, PASSWORD, totpCode } from '../support/people.ts';
import { expectAccessible } from './support/capture-steps.ts';
import { ConsolePage } from './support/console-page.ts';

/** Passkeys need a name: the console of a gateway on loopback is at localhost. */
const consoleUrl = ({ baseUrl }: Gateway) => baseUrl.replace('127.0.0.1', 'localhost');
const codeOf = (secret: string, at?: number) => totpCode(`otpauth://totp/x?secret=${secret}`, at);
/** Reads of the own session before the sign-in. */
const EXPECTED = /Failed to load resource: the server responded with a status of 40[0134]/;

async function withGateway(work: (gateway: Gateway) => Promise<void>): Promise<void> {
  const gateway = await startOwnGateway();
  try {
    await work(gateway);
  } finally {
    await gateway.close();
  }
}

describe('a person of the console', () => {
  it('enters as first administrator, and signs in with a passkey', () =>
    withGateway(async (gateway) => {
      const { projectId } = await gateway.project();
      const link = new URL((await gateway.app.firstAdministratorLink())!);
      const visit = await ConsolePage.open(consoleUrl(gateway), `/invitation${link.hash}`);
      await visit.atPage('invitation_title');
      expect(visit.path()).toBe('/invitation');
      await expectAccessible(visit.page);
      await visit.fill('email', 'first@example.com');
      await visit.acceptInvitation('Grace Hopper', PASSWORD);
      await visit.page.getByText(projectId).waitFor();
      await visit.openAccount();
      await visit.announcementsEnd();
      await expectAccessible(visit.page);
      await visit.addVirtualAuthenticator();
      await visit.addPasskey('laptop');
      await visit.signOut();
      await visit.press('sign_in_passkey');
      await visit.page.getByText(projectId).waitFor();
      await visit.expectClean(EXPECTED);
    }));

  it('enters by an invitation, and signs in with a code of an app and with a backup code', () =>
    withGateway(async (gateway) => {
      const { projectId } = await gateway.project();
      const { email, secret } = await invite(gateway, projectId, 'analyst');
      const visit = await ConsolePage.open(consoleUrl(gateway), `/invitation#${secret}`);
      await visit.acceptInvitation('Ada Lovelace', PASSWORD);
      await visit.page.getByText(projectId).waitFor();
      await visit.openAccount();
      const app = await visit.setUpTwoFactor(PASSWORD, (key) => codeOf(key));
      await visit.signOut();
      await visit.signIn(email, PASSWORD);
      // The next code: the app has used the present one for its set-up.
      await visit.enterCode(codeOf(app.secret, Date.now() + 30_000));
      await visit.page.getByText(projectId).waitFor();
      await visit.openAccount();
      await visit.signOut();
      await visit.signIn(email, PASSWORD);
      await visit.enterBackupCode(app.backupCodes[0]!);
      await visit.page.getByText(projectId).waitFor();
      await visit.expectClean(EXPECTED);
    }));

  it('sees the sign-in again when the session has ended', () =>
    withGateway(async (gateway) => {
      const { projectId } = await gateway.project();
      const { email, secret } = await invite(gateway, projectId, 'viewer');
      const visit = await ConsolePage.open(consoleUrl(gateway), `/invitation#${secret}`);
      await visit.acceptInvitation('Ada Lovelace', PASSWORD);
      await visit.page.getByText(projectId).waitFor();
      await gateway.app.parts.http.persons.invitations.setDisabled(email, true);
      await visit.page.reload();
      await visit.atPage('sign_in_title');
      await visit.signIn(email, PASSWORD);
      await visit.hasProblem('problem_credentials');
    }));
});

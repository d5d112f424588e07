import { describe, expect, it } from 'vitest';
import { en } from '../../clients/console/texts/en.ts';
import { fill } from '../../clients/shared/languages.ts';
import { openProviders } from '../../src/app/open-people.ts';
import { redirectUri } from '../../src/domain/people/provider.ts';
import { type Gateway, startOwnGateway } from '../support/gateway.ts';
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts';
import { invite, PASSWORD, signedIn, totpCode } from '../support/people.ts';
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

describe('an administrator', () => {
  it('invites a person, whose role it changes, and disables it', () =>
    withGateway(async (gateway) => {
      const { projectId } = await gateway.project();
      const { secret } = await invite(gateway, projectId, 'admin');
      const visit = await ConsolePage.open(consoleUrl(gateway), `/invitation#${secret}`);
      await visit.acceptInvitation('Grace Hopper', PASSWORD);
      await visit.openPeople();
      await visit.announcementsEnd();
      await expectAccessible(visit.page);
      const link = new URL(await visit.invitePerson('ada@example.com', 'Ada Lovelace', 'ANALYST'));
      await visit.page.getByText('ada@example.com').waitFor();
      await visit.announcementsEnd();
      await expectAccessible(visit.page);

      const invited = await ConsolePage.open(consoleUrl(gateway), `/invitation${link.hash}`);
      await invited.acceptInvitation('Ada Lovelace', PASSWORD);
      await invited.page.getByText(projectId).waitFor();
      await invited.page.getByText(en.role_analyst, { exact: true }).first().waitFor();
      const people = invited.page.getByRole('link', { name: en.nav_people, exact: true });
      expect(await people.count()).toBe(0);

      await visit.page.reload();
      await visit.changeRole('Ada Lovelace', 'VIEWER');
      await invited.page.reload();
      await invited.page.getByText(en.role_viewer, { exact: true }).first().waitFor();
      await visit.press('person_disable_label', { name: 'Ada Lovelace' });
      const dialog = visit.page.getByRole('alertdialog');
      await dialog.waitFor();
      await visit.announcementsEnd();
      await expectAccessible(visit.page);
      await dialog.getByRole('button', { name: en.person_disable, exact: true }).click();
      await visit.hasStatus('person_was_disabled');
      await invited.page.reload();
      await invited.atPage('sign_in_title');
      // The own role is the last one of an administrator.
      await visit.press('person_remove_label', { name: 'Grace Hopper' });
      await dialog.getByRole('button', { name: en.person_remove, exact: true }).click();
      await visit.hasProblem('problem_last_administrator');
    }));

  it('resets a person, withdraws an invitation, and removes a person', () =>
    withGateway(async (gateway) => {
      const { projectId } = await gateway.project();
      const { secret } = await invite(gateway, projectId, 'admin');
      const person = await signedIn(gateway, projectId, 'viewer');
      const visit = await ConsolePage.open(consoleUrl(gateway), `/invitation#${secret}`);
      await visit.acceptInvitation('Grace Hopper', PASSWORD);
      await visit.openPeople();
      await visit.press('person_reset_label', { name: 'Ada Lovelace' });
      const dialog = visit.page.getByRole('alertdialog');
      await dialog.getByRole('button', { name: en.person_reset, exact: true }).click();
      await visit.shownLink('Ada Lovelace');
      expect((await person.graphql('{ me { name } }')).status).toBe(401);
      await visit.invitePerson('bob@example.com', 'Bob', 'VIEWER');
      await visit.press('invitation_withdraw_label', { name: 'Bob' });
      await dialog.getByRole('button', { name: en.invitation_withdraw, exact: true }).click();
      await visit.hasStatus('invitation_withdrawn');
      await visit.page.getByText(en.invitations_none).waitFor();
      await visit.press('person_remove_label', { name: 'Ada Lovelace' });
      await dialog.getByRole('button', { name: en.person_remove, exact: true }).click();
      await visit.hasStatus('person_removed');
      await visit.page.getByText(person.email).waitFor({ state: 'detached' });
    }));
});

describe('a provider', () => {
  it('signs in who entered by an invitation with it, and refuses the email of an administrator', () =>
    withProvider(async ({ gateway, provider, projectId }) => {
      const admin = await signedIn(gateway, projectId, 'admin');
      provider.accounts.set('stranger', { email: admin.email });
      const { secret } = await invite(gateway, projectId, 'viewer');
      const visit = await ConsolePage.open(consoleUrl(gateway), `/invitation#${secret}`);
      await visit.atPage('invitation_title');
      await visit.page.getByRole('button', { name: WITH_PROVIDER }).waitFor();
      await expectAccessible(visit.page);
      await visit.continueAtProvider(WITH_PROVIDER, 'ada');
      await visit.page.getByText(projectId).waitFor();
      await visit.openAccount();
      await visit.page.getByText(en.identity_remove, { exact: true }).waitFor();
      await visit.page.waitForLoadState('networkidle');
      expect(await visit.page.getByText(en.password_change).count()).toBe(0);
      await visit.announcementsEnd();
      await expectAccessible(visit.page);
      await visit.signOut();
      // The provider still knows the browser.
      await visit.page.getByRole('button', { name: WITH_PROVIDER, exact: true }).click();
      await visit.page.getByText(projectId).waitFor();

      const stranger = await ConsolePage.open(consoleUrl(gateway), '/sign-in');
      await stranger.continueAtProvider(WITH_PROVIDER, 'stranger');
      await stranger.atPage('sign_in_title');
      await stranger.hasProblem('problem_provider_unknown');
      await expectAccessible(stranger.page);
    }));

  it('is joined and removed on the account page', () =>
    withProvider(async ({ gateway, projectId }) => {
      const { secret } = await invite(gateway, projectId, 'viewer');
      const visit = await ConsolePage.open(consoleUrl(gateway), `/invitation#${secret}`);
      await visit.acceptInvitation('Ada Lovelace', PASSWORD);
      await visit.openAccount();
      await visit.continueAtProvider(WITH_PROVIDER, 'joined');
      await visit.atPage('account_title');
      await visit.page
        .getByRole('button', { name: fill(en.identity_remove_label, { name: 'Company' }) })
        .click();
      await visit.page.getByRole('alertdialog').getByRole('button', { name: en.identity_remove }).click();
      await visit.hasStatus('identity_removed');
      await visit.page.getByRole('button', { name: WITH_PROVIDER }).waitFor();
    }));
});

const WITH_PROVIDER = fill(en.sign_in_provider, { provider: 'Company' });

/** A gateway with a real provider. */
function withProvider(
  work: (parts: { gateway: Gateway; provider: OidcProvider; projectId: string }) => Promise<void>,
): Promise<void> {
  return withGateway(async (gateway) => {
    const { projectId } = await gateway.project();
    const provider = await startOidcProvider();
    const opened = new AsyncDisposableStack();
    try {
      provider.register(redirectUri(consoleUrl(gateway), 'company'));
      const { storage, start } = gateway.app.parts;
      const { issuer, clientId, clientSecret } = provider;
      await openProviders({ ...storage, config: start.config }, opened).put({
        ...{ id: 'company', name: 'Company', scopes: [] },
        ...{ issuer, clientId, clientSecret },
      });
      await work({ gateway, provider, projectId });
    } finally {
      await opened.disposeAsync();
      await provider.close();
    }
  });
}

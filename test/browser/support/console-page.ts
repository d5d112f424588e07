import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PersonRole } from '../../../clients/console/operations/generated/operations.ts';
import { en, type TextKey, type Texts } from '../../../clients/console/texts/en.ts';
import { fill } from '../../../clients/shared/languages.ts';
import { type BrowserOptions, type TestBrowser, WAIT_TIMEOUT_MS } from './chromium.ts';
import { openBrowser } from './visits.ts';

/** The console as an operator uses it, in a browser that closes with the test. */
export class ConsolePage {
  readonly browser: TestBrowser;
  readonly page: Page;
  readonly #baseUrl: string;
  readonly #texts: Texts;

  private constructor(baseUrl: string, browser: TestBrowser, page: Page, texts: Texts) {
    this.#baseUrl = baseUrl;
    this.browser = browser;
    this.page = page;
    this.#texts = texts;
  }

  /** Opens the console of a gateway at a path below /console. */
  static async open(
    baseUrl: string,
    path: string,
    options: BrowserOptions & { texts?: Texts } = {},
  ): Promise<ConsolePage> {
    const { texts = en, ...browserOptions } = options;
    const browser = await openBrowser({ mode: 'shell', ...browserOptions });
    const page = await browser.open();
    page.setDefaultTimeout(WAIT_TIMEOUT_MS);
    await page.addInitScript(`
      refusals = [];
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
        refusals.push([violatedDirective, blockedURI, sample].join(' ')));
    `);
    const opened = new ConsolePage(baseUrl, browser, page, texts);
    await opened.goTo(path);
    return opened;
  }

  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.#baseUrl}/console${path}`);
  }

  /** Path and search below /console. */
  path(): string {
    const { pathname, search, hash } = new URL(this.page.url());
    return (pathname + search + hash).replace(/^\/console/, '');
  }

  /** Waits for the page with this heading, which must have the focus unless a field of the page has it. */
  async atPage(heading: TextKey, values: Record<string, string> = {}): Promise<void> {
    const name = fill(this.#texts[heading], values);
    const element = this.page.getByRole('heading', { level: 1, name, exact: true });
    await element.waitFor();
    await this.page.locator('h1:focus, input:focus').waitFor();
  }

  async press(button: TextKey, values: Record<string, string> = {}): Promise<void> {
    await this.page.getByRole('button', { name: fill(this.#texts[button], values), exact: true }).click();
  }

  async fill(label: TextKey, value: string): Promise<void> {
    await this.page.getByLabel(this.#texts[label], { exact: true }).fill(value);
  }

  /** Waits for an announced problem. */
  async hasProblem(problem: TextKey, values: Record<string, string> = {}): Promise<void> {
    await this.page
      .getByRole('alert')
      .filter({ hasText: fill(this.#texts[problem], values) })
      .first()
      .waitFor();
  }

  /** Waits for an announced result. */
  async hasStatus(status: TextKey, values: Record<string, string> = {}): Promise<void> {
    await this.page
      .getByRole('status')
      .filter({ hasText: fill(this.#texts[status], values) })
      .first()
      .waitFor();
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.atPage('sign_in_title');
    await this.fill('email', email);
    await this.fill('password', password);
    await this.press('sign_in');
  }

  async enterCode(code: string): Promise<void> {
    await this.atPage('code_title');
    await this.fill('code', code);
    await this.press('code_submit');
  }

  async enterBackupCode(code: string): Promise<void> {
    await this.press('code_use_backup');
    await this.atPage('backup_title');
    await this.fill('backup_code', code);
    await this.press('code_submit');
  }

  /** Accepts the invitation on the page, without a passkey. */
  async acceptInvitation(name: string, password: string): Promise<void> {
    await this.atPage('invitation_title');
    await this.fill('invitation_name', name);
    await this.fill('new_password', password);
    await this.press('invitation_accept');
    await this.atPage('offer_title');
    await this.press('offer_skip');
  }

  /** Signs in at the provider of a button (test/support/oidc-provider.ts), which leads back. */
  async continueAtProvider(button: string, subject: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).click();
    await this.page.getByLabel('Subject').fill(subject);
    await this.page.getByRole('button', { name: 'Continue', exact: true }).click();
  }

  async openAccount(): Promise<void> {
    await this.page.getByRole('link', { name: this.#texts.nav_account, exact: true }).click();
    await this.atPage('account_title');
  }

  async openPeople(): Promise<void> {
    await this.page.getByRole('link', { name: this.#texts.nav_people, exact: true }).click();
    await this.atPage('people_title');
    await this.page.getByRole('table').first().waitFor();
  }

  /** Invites a person on the page of people. Returns the link. */
  async invitePerson(email: string, name: string, role: PersonRole): Promise<string> {
    await this.fill('email', email);
    await this.fill('name', name);
    await this.page.getByLabel(this.#texts.people_role, { exact: true }).selectOption(role);
    await this.press('invite_submit');
    return this.shownLink(name);
  }

  /** The link that the page shows for a person, whose heading has the focus. */
  async shownLink(name: string): Promise<string> {
    const title = fill(this.#texts.link_title, { name });
    await this.page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor();
    await this.page.locator('h2:focus').waitFor();
    return this.page.locator('code.link').innerText();
  }

  async changeRole(name: string, role: PersonRole): Promise<void> {
    await this.press('person_role_label', { name });
    const dialog = this.page.getByRole('alertdialog');
    await dialog.getByLabel(this.#texts.people_role, { exact: true }).selectOption(role);
    await dialog.getByRole('button', { name: this.#texts.save, exact: true }).click();
    await this.hasStatus('person_role_changed');
  }

  async signOut(): Promise<void> {
    await this.press('sign_out');
    await this.atPage('sign_in_title');
  }

  async chooseProject(name: string): Promise<void> {
    await this.page.locator('.chooser-button').click();
    await this.page.getByRole('option', { name }).click();
    await this.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }

  async changePassword(current: string, next: string): Promise<void> {
    await this.fill('current_password', current);
    await this.fill('new_password', next);
    await this.press('password_change');
    await this.hasStatus('password_changed');
  }

  /** Sets up the second factor. `codeOf` computes a code from the secret. Returns the secret and the backup codes. */
  async setUpTwoFactor(
    password: string,
    codeOf: (secret: string) => string,
  ): Promise<{ secret: string; backupCodes: string[] }> {
    await this.press('two_factor_enable');
    await this.fill('password', password);
    await this.press('two_factor_enable');
    await this.page.getByRole('img', { name: this.#texts.two_factor_qr }).waitFor();
    const secret = (await this.page.locator('.card p > code').innerText()).replaceAll(' ', '');
    await this.fill('code', codeOf(secret));
    await this.press('two_factor_activate');
    await this.hasStatus('two_factor_enabled');
    const backupCodes = await this.page.locator('.codes code').allInnerTexts();
    await this.press('backup_codes_saved');
    return { secret, backupCodes };
  }

  /** Adds a passkey of a virtual authenticator (`addVirtualAuthenticator`). */
  async addPasskey(name: string): Promise<void> {
    await this.press('passkey_add');
    await this.fill('passkey_name', name);
    await this.press('passkey_add');
    await this.hasStatus('passkey_added');
  }

  /** An authenticator in the browser that confirms every request. */
  async addVirtualAuthenticator(): Promise<void> {
    const session = await this.browser.context.newCDPSession(this.page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  }

  /** Waits until React Aria removes its announcements of buttons, whose labels went with the page before. */
  async announcementsEnd(): Promise<void> {
    await this.page.locator('[data-live-announcer] [role=img]').first().waitFor({ state: 'detached' });
  }

  /** No exception, console error, other host or violation of the policy, besides console errors that are expected. */
  async expectClean(expectedErrors = /$^/): Promise<void> {
    expect(await this.page.evaluate('refusals')).toEqual([]);
    expect(this.browser.pageErrors).toEqual([]);
    expect(this.browser.consoleErrors.filter((text) => !expectedErrors.test(text))).toEqual([]);
    const hosts = new Set(this.browser.requests.map(({ host }) => host));
    expect([...hosts]).toEqual([new URL(this.#baseUrl).host]);
  }
}

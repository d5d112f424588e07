import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ar } from '../../clients/console/texts/ar.ts';
import { de } from '../../clients/console/texts/de.ts';
import { en } from '../../clients/console/texts/en.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { expectAccessible, expectToFit } from './support/capture-steps.ts';
import { ConsolePage } from './support/console-page.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** The browser reports every answer with an error status of /auth, which the page shows in words of its own. */
const FAILED_REQUEST = /Failed to load resource: the server responded with a status of 40[14]/;

const open = (path: string, options?: Parameters<typeof ConsolePage.open>[2]) =>
  ConsolePage.open(gateway.baseUrl, path, options);

describe('the sign-in page of the console', () => {
  it.each(['light', 'dark'] as const)(
    'is accessible and keeps its policy in %s colors',
    async (colorScheme) => {
      const visit = await open('/sign-in', { context: { colorScheme } });
      await visit.atPage('sign_in_title');
      await visit.page.waitForLoadState('networkidle');
      await expectAccessible(visit.page);
      await visit.expectClean(FAILED_REQUEST);
    },
  );

  it.each([360, 1920])('fits a window of %d pixels', async (width) => {
    const visit = await open('/sign-in', { context: { viewport: { width, height: 740 } } });
    await visit.atPage('sign_in_title');
    await visit.page.waitForLoadState('networkidle');
    await expectToFit(visit.page);
  });

  it('is written from right to left in Arabic', async () => {
    const context = { locale: 'ar-EG', viewport: { width: 360, height: 740 } };
    const visit = await open('/sign-in', { context, texts: ar });
    await visit.atPage('sign_in_title');
    expect(await visit.page.locator('html').getAttribute('dir')).toBe('rtl');
    expect(await visit.page.locator('html').getAttribute('lang')).toBe('ar');
    await expectToFit(visit.page);
    await expectAccessible(visit.page);
  });

  it('keeps the chosen language', async () => {
    const visit = await open('/sign-in');
    await visit.atPage('sign_in_title');
    await visit.page.getByLabel(en.language).selectOption('de');
    await visit.page.getByRole('heading', { level: 1, name: de.sign_in_title, exact: true }).waitFor();
    await visit.page.reload();
    await visit.page.getByRole('heading', { level: 1, name: de.sign_in_title, exact: true }).waitFor();
    await visit.expectClean(FAILED_REQUEST);
  });

  it('names empty and malformed fields, and focuses the first', async () => {
    const visit = await open('/sign-in');
    await visit.atPage('sign_in_title');
    await visit.press('sign_in');
    expect(await visit.page.getByText(en.required).count()).toBe(2);
    await expect.poll(() => visit.page.evaluate('document.activeElement.name')).toBe('email');
    await visit.fill('email', 'nobody');
    await visit.press('sign_in');
    await visit.page.getByText(en.email_invalid).waitFor();
    await expectAccessible(visit.page);
    expect(visit.browser.requests.filter(({ url }) => url.includes('/auth/sign-in'))).toEqual([]);
  });

  it('can be used with the keyboard alone', async () => {
    const visit = await open('/sign-in');
    await visit.atPage('sign_in_title');
    const focused = () =>
      visit.page.evaluate<string>('document.activeElement.name || document.activeElement.type');
    const order: string[] = [];
    for (let step = 0; step < 3; step++) {
      await visit.page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual(['email', 'password', 'submit']);
  });

  it('announces a lost connection', async () => {
    const visit = await open('/sign-in');
    await visit.atPage('sign_in_title');
    await visit.browser.context.setOffline(true);
    await visit.hasStatus('offline');
    await visit.signIn('ada@example.com', 'a password of some length');
    await visit.hasProblem('problem_offline');
    await visit.browser.context.setOffline(false);
    await visit.page.getByText(en.offline).waitFor({ state: 'detached' });
  });

  it('loads at most 200 KB', async () => {
    const visit = await open('/sign-in');
    await visit.atPage('sign_in_title');
    const bytes = await visit.page.evaluate<number>(`
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
    `);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(200 * 1024);
  });
});

describe('a link of an invitation', () => {
  it('loses its secret at once, and needs to be opened again after a reload', async () => {
    const secret = 'not-a-secret-of-any-invitation';
    const visit = await open(`/invitation#${secret}`);
    await visit.page.getByRole('main').waitFor();
    await expect.poll(() => visit.browser.requests.some(({ body }) => body.includes(secret))).toBe(true);
    expect(visit.path()).toBe('/invitation');
    expect(visit.browser.requests.filter(({ url }) => url.includes(secret))).toEqual([]);
    const stored = await visit.browser.context.storageState({ indexedDB: true });
    expect(JSON.stringify(stored)).not.toContain(secret);
    await visit.page.reload();
    await visit.atPage('invitation_missing_title');
    await expectAccessible(visit.page);
    await visit.expectClean(FAILED_REQUEST);
  });
});

describe('an address of the console', () => {
  it('without a page shows the way to the first one', async () => {
    const visit = await open('/unknown/page');
    await visit.atPage('not_found_title');
    await expectAccessible(visit.page);
    await visit.expectClean(FAILED_REQUEST);
  });
});

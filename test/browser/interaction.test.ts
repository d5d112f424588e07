import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { decryptSessionFacts } from '@vouchgraph/signals/internals/session/fact-patches';
import type { StoredFacts } from '@vouchgraph/signals/internals/session/stored-facts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { openProject } from '../support/media.ts';
import { type TestBrowser, WAIT_TIMEOUT_MS } from './support/chromium.ts';
import {
  assessmentOf,
  completeSession,
  graphicsCode,
  openBrowser,
  openFirstPartySite,
  sessionIdOf,
} from './support/visits.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, settings: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => gateway.close());

type Visit = { project: TestProject; browser: TestBrowser; page: Page; sessionId: string };

async function visit(): Promise<Visit> {
  const project = await gateway.project();
  const site = await openFirstPartySite(gateway, project);
  const browser = await openBrowser({
    mode: 'window',
    hidesAutomation: true,
    context: { permissions: ['clipboard-read', 'clipboard-write'] },
  });
  const page = await browser.open(site.url);
  return { project, browser, page, sessionId: await sessionIdOf(page) };
}

/** Waits until the service has the counts: the script sends them periodically, at the latest on request. */
async function untilCounted({ project, page }: Visit, expected: Record<string, unknown>): Promise<Body> {
  return vi.waitFor(async () => {
    const found = await assessmentOf(project, await sessionIdOf(page));
    expect(found.session.bot).toMatchObject(expected);
    return found;
  }, WAIT_TIMEOUT_MS);
}

/** Types like a person: no two pauses are equal. */
async function typeLikeAPerson(page: Page, text: string): Promise<void> {
  for (const [index, letter] of [...text].entries()) {
    await page.keyboard.press(letter);
    await page.waitForTimeout(30 + ((index * 67) % 90));
  }
}

const TYPED = 'zyxwvu';
const PASTED = 'Some text to copy';

/** Moves, clicks, types into one field and pastes into the other. */
async function fillLikeAPerson(page: Page): Promise<void> {
  await page.mouse.move(40, 40);
  await page.mouse.move(220, 130, { steps: 7 });
  await page.click('#name');
  await typeLikeAPerson(page, TYPED);
  await page.click('#text', { clickCount: 3 });
  await page.keyboard.press('ControlOrMeta+c');
  await page.click('#email');
  await page.keyboard.press('ControlOrMeta+v');
}

/** Stored facts of a session, which are merged into one row when it completes. */
async function storedFacts({ project: { projectId }, page, sessionId }: Visit): Promise<StoredFacts> {
  expect(await completeSession(page)).toBe(sessionId);
  const { database, ...opened } = await openProject(gateway, masterKey, projectId);
  const [row] = await database.query(
    {
      name: 'test.facts',
      text: `select facts, (select count(*)::int from session_patches p where p.session_id = s.session_id) as patches
             from sessions s where session_id = $1`,
    },
    [sessionId],
  );
  expect(row.patches).toBe(0);
  return decryptSessionFacts(opened, sessionId, row.facts);
}

describe('interaction on a page', () => {
  it('is counted by kind', async () => {
    const visited = await visit();
    await fillLikeAPerson(visited.page);
    const { session } = await untilCounted(visited, {
      // Three clicks on fields and text, one of them a triple click.
      click_num_events: 5,
      clipboard_num_events: 2,
      touch_num_events: 0,
    });
    expect(session.bot.mouse_num_events).toBeGreaterThanOrEqual(8);
    expect(session.bot.keyboard_num_events).toBeGreaterThanOrEqual(TYPED.length);
  });

  it('never includes content', async () => {
    const visited = await visit();
    await fillLikeAPerson(visited.page);
    await untilCounted(visited, { clipboard_num_events: 2 });
    expect(await visited.page.inputValue('#name')).toBe(TYPED);
    expect(await visited.page.inputValue('#email')).toContain(PASTED);
    const sent = visited.browser.requests.map(({ url, body }) => url + body).join();
    const stored = JSON.stringify(await storedFacts(visited));
    expect(stored).toContain('clipboardNumEvents');
    for (const text of [sent, stored]) {
      expect(text).not.toContain(TYPED);
      expect(text).not.toContain(PASTED);
    }
  });

  it('counts a form submitted afterwards as submitted by a person', async () => {
    const visited = await visit();
    await fillLikeAPerson(visited.page);
    await visited.page.click('#send');
    const found = await untilCounted(visited, { click_num_events: 6 });
    expect((await storedFacts(visited)).input.checks).toMatchObject({
      form_completed: true,
      filled_fields: 2,
      pasted_fields: 1,
    });
    expect(found.deviceCodes).toEqual(graphicsCode(found));
  });
});

describe('a form that a script fills and submits', () => {
  const FILL =
    "document.querySelector('#name').value = 'a'; document.querySelector('#email').value = 'b@example.com';";
  const WAYS: [name: string, script: string][] = [
    ['requestSubmit()', "document.querySelector('#form').requestSubmit()"],
    ['the click() of the button', "document.querySelector('#send').click()"],
    ['submit()', "document.querySelector('#form').submit()"],
    [
      'a dispatched event',
      "document.querySelector('#form').dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))",
    ],
  ];

  it.each(WAYS)('by %s has no human interaction', async (_name, script) => {
    const visited = await visit();
    await visited.page.evaluate(FILL + script);
    const { session } = await untilCounted(visited, {});
    expect(session.bot).toEqual({
      mouse_num_events: 0,
      click_num_events: 0,
      keyboard_num_events: 0,
      touch_num_events: 0,
      clipboard_num_events: 0,
    });
    await vi.waitFor(async () => {
      const found = await assessmentOf(visited.project, await sessionIdOf(visited.page));
      expect(found.deviceCodes).toContain('no_human_interaction');
      expect(found.botScore).toBeGreaterThanOrEqual(0.5);
    }, WAIT_TIMEOUT_MS);
  });

  it('is detected by synthetic events', async () => {
    const visited = await visit();
    await visited.page.evaluate(
      `for (let count = 0; count < 40; count += 1) {
        document.body.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
        document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, key: 'a' }));
      }`,
    );
    await vi.waitFor(async () => {
      const found = await assessmentOf(visited.project, await sessionIdOf(visited.page));
      expect(found.session.bot.mouse_num_events).toBe(0);
      expect(found.deviceCodes).toContain('no_human_interaction');
    }, WAIT_TIMEOUT_MS);
  });
});

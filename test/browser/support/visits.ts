import { errors, type Page } from 'playwright-core';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import type { Body, Gateway, TestProject } from '../../support/gateway.ts';
import {
  type BrowserOptions,
  createProfile,
  removeFolder,
  startBrowser,
  type TestBrowser,
} from './chromium.ts';
import { hostPage, type Site, type SiteOptions, startSite } from './host-page.ts';

/** A browser that closes with the test. */
export async function openBrowser(options?: BrowserOptions): Promise<TestBrowser> {
  const browser = await startBrowser(options);
  onTestFinished(() => browser.close());
  // Not every step has a limit of its own: the error of a test that ran out of time names the last ones.
  onTestFailed(({ task }) => {
    for (const error of task.result?.errors ?? [])
      error.stack = `${error.message}\n  last steps: ${browser.steps.join(' | ')}\n${error.stack ?? ''}`;
  });
  return browser;
}

/** A site that closes with the test. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const site = await startSite(options);
  onTestFinished(() => site.close());
  return site;
}

/**
 * A profile for several visits, removed with the test. When it is created before the browsers, it is removed
 * after them.
 */
export async function openProfile(): Promise<string> {
  const profile = await createProfile();
  onTestFinished(() => removeFolder(profile));
  return profile;
}

/**
 * The result of a call of the script on the page, such as `session()`. The script returns `timeout` to a page
 * after a long wait for the session, which continues: the next call receives it.
 */
export async function askScript(page: Page, call: string): Promise<Body> {
  let answer: Body = await page.evaluate(`Vouchgraph.${call}`);
  while (answer?.error === 'timeout') answer = await page.evaluate('Vouchgraph.session()');
  return answer;
}

/** The id of the page's session, which must exist. */
export async function sessionIdOf(page: Page): Promise<string> {
  const answer = await askScript(page, 'session()');
  if (typeof answer.session_id !== 'string') throw new Error(`no session: ${JSON.stringify(answer)}`);
  return answer.session_id;
}

/** Checks of the parts that the script does not wait for when it opens a session, and of the slowest awaited one. */
const LATE_CHECKS = [
  'app_rtt_ms',
  'botd',
  'canvas_first',
  'features',
  'iframe',
  'indexed_db',
  'storage_quota_bytes',
  'timezone',
  'worker',
];

/** Longer than the collection of any part of the script, and the interval between two requests. */
const MAX_COLLECTION_MS = 20_000;

/**
 * Waits until the service has the facts that need no interaction. On a busy machine a part can time out and
 * find nothing: the test then lacks its facts.
 */
export async function untilCollected(page: Page, checks = LATE_CHECKS): Promise<void> {
  await sessionIdOf(page);
  const isSent = `Vouchgraph.collected().facts.checks ?? {}`;
  await page
    .waitForFunction(
      `((sent) => ${JSON.stringify(checks)}.every((name) => name in sent))(${isSent})`,
      undefined,
      { timeout: MAX_COLLECTION_MS },
    )
    .catch((error: unknown) => {
      if (!(error instanceof errors.TimeoutError)) throw error;
    });
}

/** Closes the page's session, and waits until the service has closed it: the script returns earlier. */
export async function completeSession(page: Page): Promise<string> {
  await sessionIdOf(page);
  const completed = page.waitForResponse(/\/complete$/);
  const { session_id: id } = await askScript(page, 'complete()');
  expect((await completed).status()).toBe(200);
  return id;
}

/** An address of a home in France, for the header of a proxy. */
export const HOME_IN_FRANCE = '90.54.1.1';

/** A site that serves the gateway under its own address, as by a CNAME or a reverse proxy. */
export function openFirstPartySite(
  gateway: Gateway,
  project: TestProject,
  options: SiteOptions = {},
): Promise<Site> {
  const page = hostPage({ gatewayUrl: '', attributes: { project: project.projectId } });
  return openSite({
    pages: { '/': page, '/sent': 'Thank you' },
    gatewayUrl: gateway.baseUrl,
    visitorAddress: HOME_IN_FRANCE,
    ...options,
  });
}

/** The assessment of a session. */
export type Assessment = {
  /** The Session object of the REST interface. */
  session: Body;
  networkCodes: string[];
  deviceCodes: string[];
  botScore: number;
  deviceId: string;
  /** Observations by code, for the message of a failed test. */
  observed: Record<string, string>;
};

/** Reads a session over both interfaces. */
export async function assessmentOf(project: TestProject, sessionId: string): Promise<Assessment> {
  const { body: session } = await project.rest('GET', `/session/${sessionId}`);
  const data = await project.graphql('query ($id: ID!) { session(sessionId: $id) { botScore deviceId } }', {
    id: sessionId,
  });
  const { network, device } = session.risk_signal_details;
  const reasons: { code: string; observed: string }[] = [...network, ...device];
  return {
    session,
    networkCodes: codesOf(network),
    deviceCodes: codesOf(device),
    ...data.session,
    observed: Object.fromEntries(reasons.map(({ code, observed }) => [code, observed])),
  };
}

/** The code for a software renderer, which a machine without a graphics card truly has. */
export function graphicsCode({ session }: Assessment): string[] {
  const isSoftware = /swiftshader|llvmpipe|basic render/i.test(session.device.gpu);
  return isSoftware ? ['virtual_machine_or_software_gpu'] : [];
}

/**
 * Whether a page reads the quota of a private window, as the service knows it. Chromium 150 shows it. Chromium
 * 156 shows every page the same quota.
 */
export function showsPrivateQuota(page: Page): Promise<boolean> {
  return page.evaluate(
    'navigator.storage.estimate().then(({ quota }) => quota < 2 * performance.memory.jsHeapSizeLimit)',
  );
}

function codesOf(reasons: { code: string }[]): string[] {
  return [...new Set(reasons.map(({ code }) => code))].sort();
}

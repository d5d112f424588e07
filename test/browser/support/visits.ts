import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
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
  return browser;
}

/** A site that closes with the test. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const site = await startSite(options);
  onTestFinished(() => site.close());
  return site;
}

/** A profile for several visits, removed with the test. Asked for before the browsers, it is removed after them. */
export async function openProfile(): Promise<string> {
  const profile = await createProfile();
  onTestFinished(() => removeFolder(profile));
  return profile;
}

/** What a call of the script on the page resolves with, as `session()`. */
export function askScript(page: Page, call: string): Promise<Body> {
  return page.evaluate(`Vouchgraph.${call}`);
}

/** The id of the page's session, which has to be there. */
export async function sessionIdOf(page: Page): Promise<string> {
  const answer = await askScript(page, 'session()');
  if (typeof answer.session_id !== 'string') throw new Error(`no session: ${JSON.stringify(answer)}`);
  return answer.session_id;
}

/** An address of a home in France, for a proxy to tell. */
export const HOME_IN_FRANCE = '90.54.1.1';

/** A site that has the gateway under its own address, as by a CNAME or a reverse proxy. */
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

/** What the service makes of a session. */
export type Assessment = {
  /** The Session object of the REST interface. */
  session: Body;
  networkCodes: string[];
  deviceCodes: string[];
  botScore: number;
  deviceId: string;
  /** Observations by code, for a failed test to be read. */
  observed: Record<string, string>;
};

/** Reads a session by both interfaces. */
export async function assessmentOf(project: TestProject, sessionId: string): Promise<Assessment> {
  const { body: session } = await project.rest('GET', `/session/${sessionId}`);
  const data = await project.graphql('query ($id: ID!) { session(id: $id) { botScore deviceId } }', {
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

/** The code for a renderer in software, which a machine without a graphics card honestly has. */
export function graphicsCode({ session }: Assessment): string[] {
  const isSoftware = /swiftshader|llvmpipe|basic render/i.test(session.device.gpu);
  return isSoftware ? ['virtual_machine_or_software_gpu'] : [];
}

function codesOf(reasons: { code: string }[]): string[] {
  return [...new Set(reasons.map(({ code }) => code))].sort();
}

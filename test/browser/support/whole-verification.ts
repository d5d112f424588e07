import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { TextKey } from '../../../clients/capture/texts/en.ts';
import type { Body, TestProject } from '../../support/gateway.ts';
import { verificationLink } from '../../support/verification.ts';
import {
  agree,
  atStep,
  type Capture,
  type CaptureOptions,
  openCaptureWithout,
  refusalsOf,
  scanFace,
  shoot,
  turnCameraOn,
} from './capture-steps.ts';
import type { TestBrowser } from './chromium.ts';
import { openSite } from './visits.ts';

/*
 * Verifications from the link to the redirect, with a browser, its camera and files, on a real gateway: it
 * reads the images, and the tests check the responses to the project's server.
 */

/** Reading takes seconds, and longer on a busy machine. */
export const READING_TIMEOUT_MS = 240_000;

export type Visit = {
  sessionId: string;
  url: string;
  shop: string;
  /** Answers the redirect to the shop. Until then the page shows the result, which it leaves after three seconds. */
  letBack(): void;
};

/** A session whose page redirects to a shop. */
export async function newVisit(project: TestProject, query: Record<string, string> = {}): Promise<Visit> {
  const title = '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">';
  const back = Promise.withResolvers<string>();
  const site = await openSite({ pages: { '/back': back.promise } });
  const shop = `${site.url}/back`;
  const { sessionId, url } = await verificationLink(project, { lng: 'en', redirect_url: shop, ...query });
  return { sessionId, url, shop, letBack: () => back.resolve(`${title}<h1>Back in the shop</h1>`) };
}

/** Opens the page in a browser with this camera. */
export async function openWith(
  camera: Promise<string[]>,
  { url }: Visit,
  options: Pick<CaptureOptions, 'recordsVideo'> = {},
): Promise<Capture> {
  const capture = await openCaptureWithout(url, {
    ...options,
    mode: 'window',
    hidesAutomation: true,
    args: await camera,
  });
  capture.page.setDefaultTimeout(60_000);
  return capture;
}

/** From consent to the accepted images of the face. */
export async function showFace(page: Page): Promise<void> {
  await agree(page);
  await turnCameraOn(page);
  await scanFace(page);
}

/** Waits for the result, after all images were read; blocked requests have no effect. */
export async function seesResult(page: Page, heading: TextKey, shot: string): Promise<void> {
  page.setDefaultTimeout(READING_TIMEOUT_MS / 2);
  await atStep(page, heading);
  await shoot(page, shot);
  expect(await refusalsOf(page)).toEqual([]);
}

/** Lets the page redirect to the shop, and returns the parameters. */
export async function backInShop(page: Page, { shop, letBack }: Visit): Promise<Record<string, string>> {
  letBack();
  await page.waitForURL((url) => url.href.startsWith(shop));
  await page.getByRole('heading', { name: 'Back in the shop' }).waitFor();
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** No exception, no console error, and no other host than the gateway and the shop. */
export function expectOrderly(browser: TestBrowser, visit: Visit): void {
  expect(browser.pageErrors).toEqual([]);
  expect(browser.consoleErrors).toEqual([]);
  const hosts = new Set(browser.requests.map(({ host }) => host));
  expect([...hosts].sort()).toEqual([new URL(visit.url).host, new URL(visit.shop).host].sort());
}

/** Content of a signed image address, for any client. */
export async function imageAt(url: string): Promise<{ status: number; format: string | undefined }> {
  const response = await fetch(url);
  const { format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  return { status: response.status, format };
}

export const failureOf = ({ status, body }: { status: number; body: Body }) => [status, body.error];

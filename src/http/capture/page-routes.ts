import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@vouchgraph/platform/errors';
import { type HttpAnswer, HttpError, headerOf } from '@vouchgraph/platform/http';
import { isUuid } from '@vouchgraph/platform/ids';
import { LIMITS } from '@vouchgraph/platform/limits';
import { createStaticFile, type StaticFile } from '@vouchgraph/platform/static-file';
import { readText } from '@vouchgraph/rest';
import { LANGUAGES, type Language, languageOf } from '@vouchgraph/verification';
import { capturePage, capturePageHeaders } from '../../../clients/capture/page.ts';
import type { ConnectionFacts } from '../../domain/sessions/session-service.ts';
import type { CaptureService, OpenCapture } from '../../domain/verification/capture/capture-service.ts';
import type { Exchange } from '../exchange.ts';

export type CapturePageDeps = { captures: CaptureService; baseUrl: () => string };

const ASSETS: Readonly<Record<string, string>> = {
  '/verify/capture.js': 'text/javascript; charset=utf-8',
  '/verify/capture.css': 'text/css; charset=utf-8',
};

export const isCaptureAsset = (path: string): boolean => path in ASSETS;

/** The page. An unknown session is reported when the page starts it. */
export async function showPage(
  { captures, baseUrl }: CapturePageDeps,
  { request, query }: Exchange,
  connection: ConnectionFacts,
  sessionId: string,
  redirectUrl = '',
): Promise<HttpAnswer> {
  if (!isUuid(sessionId)) throw new HttpError(404, 'Not Found');
  const [secret, wish] = [readText(query, 's'), readText(query, 'lng')];
  const found = await captures.getForPage(sessionId, secret).catch(nullIfClosed);
  if (found) await captures.show(found, connection, isPreview(request));
  const language = languageFor(found, wish, headerOf(request, 'accept-language'));
  const nonce = randomBytes(18).toString('base64');
  return {
    status: 200,
    body: capturePage({
      sessionId,
      nonce,
      language,
      baseUrl: baseUrl(),
      isSimulated: isSimulated(found),
      dueInMs: found ? captures.simulatedDueMs(found) : 0,
      redirectUrl,
    }),
    contentType: 'text/html; charset=utf-8',
    headers: capturePageHeaders(nonce),
  };
}

/**
 * A `/?session_id=` link contains the redirect URL itself. The page of a real session sends it when it runs,
 * since a request for the page changes nothing; a simulated session has begun by then.
 */
export async function showQueryLink(
  deps: CapturePageDeps,
  exchange: Exchange,
  connection: ConnectionFacts,
): Promise<HttpAnswer> {
  const { query, request } = exchange;
  const [id, secret] = [readText(query, 'session_id'), readText(query, 's')];
  const redirectUrl = readText(query, 'redirect_url');
  const found = await deps.captures.get(id, secret).catch(nullIfClosed);
  if (isSimulated(found) && !isPreview(request)) await deps.captures.setRedirect(found, redirectUrl);
  const isCarried = found !== null && redirectUrl.length <= LIMITS.redirectUrlLength;
  return showPage(deps, exchange, connection, id, isCarried ? redirectUrl : '');
}

function isSimulated(found: OpenCapture | null): found is OpenCapture {
  return found !== null && found.row.simulation !== null;
}

/** The page's script and style, by path. */
export function createCaptureAssets(): [string, StaticFile][] {
  return Object.entries(ASSETS).map(([path, contentType]) => {
    const file = new URL(
      `../../../clients/capture/generated/${path.slice('/verify/'.length)}`,
      import.meta.url,
    );
    const headers = { 'cache-control': 'public, max-age=300' };
    return [
      path,
      createStaticFile(async () => ({ status: 200, body: await readFile(file), contentType, headers })),
    ];
  });
}

/** The language of the link, else of the session, else the browser's first supported one. */
function languageFor(found: OpenCapture | null, wish: string, accepted: string): Language {
  const chosen = languageOf(wish) || found?.row.language;
  if (chosen) return chosen as Language;
  const preferred = accepted
    .split(',')
    .map((each) => each.trim().toLowerCase().split(/[-;]/)[0])
    .find((each) => LANGUAGES.some((known) => known === each));
  return (preferred as Language | undefined) ?? 'en';
}

/** A prefetch or a link preview opens nothing. */
function isPreview(request: IncomingMessage): boolean {
  return request.method === 'HEAD' || /prefetch|preview/i.test(purposeOf(request));
}

/** Why a browser, or a messenger that previews links, requests the page. */
function purposeOf(request: IncomingMessage): string {
  return `${headerOf(request, 'sec-purpose')} ${headerOf(request, 'purpose')} ${headerOf(request, 'x-purpose')}`;
}

/** A link that does not open a session shows the page, which reports the reason. */
function nullIfClosed(error: unknown): null {
  if (error instanceof AppError && error.code.startsWith('verification.')) return null;
  throw error;
}

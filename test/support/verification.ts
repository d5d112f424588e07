import { type Answer, type Body, type Gateway, send, type TestProject } from './gateway.ts';

/** GET /liveness/session. */
export const createVerification = (
  project: TestProject,
  query: Record<string, string> = {},
): Promise<Answer> => project.rest('GET', `/liveness/session?${new URLSearchParams(query)}`);

/** Creates a simulated session, requests its page as any HTTP client, and waits for its end. */
export async function playedVerification(
  gateway: Gateway,
  project: TestProject,
  query: Record<string, string>,
): Promise<string> {
  const { status, body } = await createVerification(project, query);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  await (await fetch(body.session_url)).text();
  await gateway.app.settleVerifications(project.projectId);
  return body.session_id;
}

export const verifyId = (project: TestProject, session_id: string, query = ''): Promise<Answer> =>
  project.rest('POST', `/liveness/verify-id${query}`, { session_id });
export const verifyFace = (project: TestProject, session_id: string): Promise<Answer> =>
  project.rest('POST', '/liveness/verify-face', { session_id });
export const verifyIdentity = (project: TestProject, session_id: string, account_id: string) =>
  project.rest('POST', '/liveness/verify-identity', { session_id, account_id });
export const enroll = (project: TestProject, session_id: string, account_id: string): Promise<Answer> =>
  project.rest('POST', '/liveness/enroll', { session_id, account_id });

/** The documented envelope of an error. */
export const refusal = (error: string) => ({
  request_id: expectedText(/^[0-9a-f-]{36}$/),
  success: false,
  error,
  message: expectedText(/\S/),
  code: expectedText(/^[a-z_]+\.[a-z_0-9]+$/),
});
const expectedText = (pattern: RegExp) => ({
  asymmetricMatch: (other: unknown) => typeof other === 'string' && pattern.test(other),
});

/** A session as seen by the client of its link. */
export type Link = { sessionId: string; url: string; secret: string };

export async function verificationLink(
  project: TestProject,
  query: Record<string, string> = {},
): Promise<Link> {
  const { status, body } = await createVerification(project, query);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  const secret = new URL(body.session_url).searchParams.get('s')!;
  return { sessionId: body.session_id, url: body.session_url, secret };
}

export const CONSENT_VERSION = '2026-01';
/** Given now, by the gateway's clock by default. */
export const consentAt = (at: Date = new Date()) => ({
  text_version: CONSENT_VERSION,
  given_at: at.toISOString(),
});

/** Headers of a browser: missing ones would be evidence against it. */
const BROWSER = {
  'user-agent':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
  'accept-language': 'en-US,en;q=0.9',
};

/** Requests of the page about a session. */
export const pagePost = (
  { baseUrl }: Gateway,
  sessionId: string,
  action: 'open' | 'start' | 'handover' | 'complete' | 'fail',
  body: Body = {},
  token = '',
): Promise<Answer> =>
  send(`${baseUrl}/verify/${sessionId}/${action}`, 'POST', body, {
    ...BROWSER,
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  });

export const pageStatus = (
  { baseUrl }: Gateway,
  sessionId: string,
  { secret = '', token = '' } = {},
): Promise<Answer> =>
  send(`${baseUrl}/verify/${sessionId}/status${secret && `?s=${secret}`}`, 'GET', undefined, {
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  });

/** The page starts to capture; returns its token. */
export async function startedPage(gateway: Gateway, { sessionId, secret }: Link, at?: Date): Promise<string> {
  const { status, body } = await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt(at) });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.capture_token;
}

/** One upload of the page. */
export async function pageUpload(
  { baseUrl }: Gateway,
  sessionId: string,
  token: string,
  { slot, bytes, contentType = 'image/jpeg' }: { slot: string; bytes: Uint8Array; contentType?: string },
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${baseUrl}/verify/${sessionId}/media/${slot}`, {
    method: 'PUT',
    body: bytes as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': contentType, authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: await response.json() };
}

import { problemOfAnswer, RequestError } from './request-problem.ts';

const TIMEOUT_MS = 30_000;

/** Requests a path of /auth: POST with a body, else GET. Throws a RequestError unless the answer is a success. */
export async function authRequest<Answer>(path: string, body?: Readonly<Record<string, unknown>>) {
  const response = await send(path, body);
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok)
    throw new RequestError(problemOfAnswer(response.status, codeIn(answer), response.headers));
  return answer as Answer;
}

async function send(path: string, body?: Readonly<Record<string, unknown>>): Promise<Response> {
  try {
    return await fetch(`/auth/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: body ? { 'content-type': 'application/json' } : {},
      body: body ? JSON.stringify(body) : null,
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    throw new RequestError({ kind: 'offline' });
  }
}

function codeIn(answer: unknown): string {
  const code = (answer as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

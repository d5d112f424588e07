import type { ServerResponse } from 'node:http';
import { type AppError, STATUS_OF_KIND } from '@vouchgraph/platform/errors';
import { type HttpAnswer, HttpError, JSON_TYPE, jsonAnswer, sendAnswer } from '@vouchgraph/platform/http';

/** An error in the form of the library: `{message, code}`, with a code in capitals. */
export function presentAuthError(error: AppError): HttpAnswer {
  const status = error instanceof HttpError ? error.status : STATUS_OF_KIND[error.kind];
  const code = error.code.replaceAll('.', '_').toUpperCase();
  return jsonAnswer(
    status,
    { message: error.message, code },
    error instanceof HttpError ? error.headers : {},
  );
}

/** Headers of the library that are passed on. */
const PASSED = ['location'];

/** Sends an answer of the library without the tokens of sessions, which only the cookie has. */
export async function sendLibraryAnswer(response: ServerResponse, answered: Response): Promise<void> {
  const text = await answered.text();
  const cookies = answered.headers.getSetCookie();
  const headers: Record<string, string | string[]> = cookies.length > 0 ? { 'set-cookie': cookies } : {};
  for (const name of PASSED) {
    const value = answered.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const retryAfter = answered.headers.get('x-retry-after');
  if (retryAfter !== null) headers['retry-after'] = retryAfter;
  const body = text === '' ? 'null' : JSON.stringify(withoutTokens(JSON.parse(text)));
  sendAnswer(response, { status: answered.status, body, contentType: JSON_TYPE, headers });
}

/** Members of sessions and people that pages do not need. */
const DROPPED = new Set(['token', 'ipAddress', 'userId', 'image', 'emailVerified']);

function withoutTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTokens);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !DROPPED.has(name))
      .map(([name, each]) => [name, withoutTokens(each)]),
  );
}

import { CombinedError } from 'urql';
import { describe, expect, it } from 'vitest';
import { graphqlProblem } from './client.ts';

function errorOf(status: number, code?: string, headers: Record<string, string> = {}): CombinedError {
  const graphQLErrors = code === undefined ? [] : [{ message: 'x', extensions: { code } }];
  return new CombinedError({ graphQLErrors, response: new Response(null, { status, headers }) });
}

describe('the problem of a GraphQL operation', () => {
  it('is an ended session for 401', () => {
    expect(graphqlProblem(errorOf(401, 'auth.unauthenticated'))).toEqual({ kind: 'signed-out' });
    expect(graphqlProblem(errorOf(401))).toEqual({ kind: 'signed-out' });
  });

  it('is a missing right for auth.forbidden, of the request or of a field', () => {
    const forbidden = { kind: 'rejected', status: 403, code: 'auth.forbidden' };
    expect(graphqlProblem(errorOf(403, 'auth.forbidden'))).toEqual(forbidden);
    expect(graphqlProblem(errorOf(200, 'auth.forbidden'))).toEqual(forbidden);
  });

  it('has the time to wait', () => {
    const limited = errorOf(429, 'rate_limit.exceeded', { 'retry-after': '3' });
    expect(graphqlProblem(limited)).toEqual({ kind: 'wait', seconds: 3 });
  });

  it('is a missing connection without an answer', () => {
    const error = new CombinedError({ networkError: new TypeError('Failed to fetch') });
    expect(graphqlProblem(error)).toEqual({ kind: 'offline' });
  });

  it('is a rejection or a failure otherwise', () => {
    const rejected = { kind: 'rejected', status: 400, code: 'input.invalid' };
    expect(graphqlProblem(errorOf(200, 'input.invalid'))).toEqual(rejected);
    expect(graphqlProblem(errorOf(503, 'service.busy'))).toEqual({ kind: 'failed' });
  });
});

import { describe, expect, it } from 'vitest';
import { codeOf, problemOf, problemOfAnswer, RequestError } from './request-problem.ts';

const NONE = new Headers();

describe('the problem of an answer', () => {
  it('has the time to wait of a 429', () => {
    const headers = (values: Record<string, string>) => new Headers(values);
    expect(problemOfAnswer(429, '', headers({ 'retry-after': '12' }))).toEqual({ kind: 'wait', seconds: 12 });
    expect(problemOfAnswer(429, '', headers({ 'x-retry-after': '7.2' }))).toEqual({
      kind: 'wait',
      seconds: 8,
    });
    expect(problemOfAnswer(429, '', NONE)).toEqual({ kind: 'wait', seconds: 60 });
  });

  it('is a failure of the gateway from 500 on, and for an unknown address', () => {
    expect(problemOfAnswer(503, 'service.busy', NONE)).toEqual({ kind: 'failed' });
    expect(problemOfAnswer(404, '', NONE)).toEqual({ kind: 'failed' });
  });

  it('has the code of a rejection', () => {
    const problem = problemOfAnswer(401, 'INVALID_CODE', NONE);
    expect(problem).toEqual({ kind: 'rejected', status: 401, code: 'INVALID_CODE' });
    expect(codeOf(new RequestError(problem))).toBe('INVALID_CODE');
  });

  it('is a failure for any other error', () => {
    expect(problemOf(new TypeError('x'))).toEqual({ kind: 'failed' });
    expect(codeOf(new TypeError('x'))).toBe('');
  });
});

/** Reason why a request to the gateway failed, as far as the person can act on it. */
export type RequestProblem =
  | { kind: 'offline' }
  | { kind: 'wait'; seconds: number }
  /** The session has ended. */
  | { kind: 'signed-out' }
  | { kind: 'rejected'; status: number; code: string }
  | { kind: 'failed' };

/** A failed request to the gateway. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly problem: RequestProblem;

  constructor(problem: RequestProblem) {
    super(`Request failed: ${problem.kind}`);
    this.problem = problem;
  }
}

/** The problem of a caught error. */
export function problemOf(error: unknown): RequestProblem {
  return error instanceof RequestError ? error.problem : { kind: 'failed' };
}

/** Code of a rejected request, else ''. */
export function codeOf(error: unknown): string {
  const problem = problemOf(error);
  return problem.kind === 'rejected' ? problem.code : '';
}

const DEFAULT_WAIT_SECONDS = 60;

/** Problem of an answer with an error status. */
export function problemOfAnswer(status: number, code: string, headers: Headers): RequestProblem {
  if (status === 429) return { kind: 'wait', seconds: waitSecondsOf(headers) };
  if (status >= 500 || (status === 404 && code === '')) return { kind: 'failed' };
  return { kind: 'rejected', status, code };
}

function waitSecondsOf(headers: Headers): number {
  const seconds = Math.ceil(Number(headers.get('retry-after') ?? headers.get('x-retry-after')));
  return seconds > 0 ? seconds : DEFAULT_WAIT_SECONDS;
}

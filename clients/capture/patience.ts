import type { Answer } from './api.ts';
import { backOffMs } from './back-off.ts';

const MAX_ATTEMPTS = 4;

export type Wait = (milliseconds: number) => Promise<void>;

/** Retries a request until it succeeds, fails finally, or the attempts are used up. */
export async function requestWithRetry<Body>(
  wait: Wait,
  request: () => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  let answer = await request();
  for (let failures = 1; !answer.ok && !answer.isFinal && failures < MAX_ATTEMPTS; failures += 1) {
    await wait(backOffMs(failures));
    answer = await request();
  }
  return answer;
}

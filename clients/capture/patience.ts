import type { Answer } from './api.ts';
import { backOffMs } from './back-off.ts';

const MOST_ATTEMPTS = 4;

export type Wait = (milliseconds: number) => Promise<void>;

/** Tries a request again while its answer may still change. */
export async function patiently<Body>(
  wait: Wait,
  request: () => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  let answer = await request();
  for (let failures = 1; !answer.ok && !answer.isFinal && failures < MOST_ATTEMPTS; failures += 1) {
    await wait(backOffMs(failures));
    answer = await request();
  }
  return answer;
}

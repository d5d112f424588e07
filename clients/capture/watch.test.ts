import { describe, expect, it } from 'vitest';
import type { Answer, Status } from './api.ts';
import { requestWithRetry } from './patience.ts';
import { createWatch } from './watch.ts';

const at = (state: Status['state']): Answer<Status> => ({
  ok: true,
  body: { state, success: state === 'completed' ? true : null, error_message: null, redirect_url: '' },
});
const OFFLINE: Answer<never> = { ok: false, error: 'offline', status: 0, isFinal: false };
const REFUSED: Answer<never> = { ok: false, error: 'session_not_found', status: 400, isFinal: true };

/** Returns the responses in turn, and records the waits between the requests. */
function serverWith(answers: Answer<Status>[]) {
  const waits: number[] = [];
  return {
    waits,
    wait: async (milliseconds: number) => void waits.push(milliseconds),
    look: async () => answers.shift()!,
  };
}

describe('polling a check', () => {
  it('continues through changes of state and lost connections until the check completes', async () => {
    const { wait, look, waits } = serverWith([at('capturing'), OFFLINE, at('processing'), at('completed')]);
    const states: string[] = [];
    const over = await createWatch(wait, look).untilOver((state) => states.push(state));
    expect(over).toMatchObject({ state: 'completed', success: true });
    expect(states).toEqual(['capturing', 'processing']);
    expect(waits).toHaveLength(4);
  });

  it('ends with the error code of a rejected request', async () => {
    const { wait, look } = serverWith([at('capturing'), REFUSED]);
    const over = await createWatch(wait, look).untilOver(() => {});
    expect(over).toEqual({ refused: 'session_not_found' });
  });

  it('returns null after it is stopped or replaced by another poll', async () => {
    const { wait, look } = serverWith([at('completed')]);
    const watch = createWatch(wait, look);
    const first = watch.untilOver(() => {});
    const second = watch.untilOver(() => {});
    expect(await first).toBeNull();
    expect(await second).toMatchObject({ state: 'completed' });
    const third = watch.untilOver(() => {});
    watch.end();
    expect(await third).toBeNull();
  });
});

describe('requestWithRetry', () => {
  it('retries while the connection is lost, with at most four attempts', async () => {
    const { wait, look, waits } = serverWith([OFFLINE, OFFLINE, at('completed')]);
    expect(await requestWithRetry(wait, look)).toMatchObject({ ok: true });
    expect(waits).toHaveLength(2);
    const lost = serverWith([OFFLINE, OFFLINE, OFFLINE, OFFLINE, at('completed')]);
    expect(await requestWithRetry(lost.wait, lost.look)).toEqual(OFFLINE);
  });

  it('does not retry a final error', async () => {
    const { wait, look, waits } = serverWith([REFUSED, at('completed')]);
    expect(await requestWithRetry(wait, look)).toEqual(REFUSED);
    expect(waits).toEqual([]);
  });
});

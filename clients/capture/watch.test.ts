import { describe, expect, it } from 'vitest';
import type { Answer, Status } from './api.ts';
import { patiently } from './patience.ts';
import { createWatch } from './watch.ts';

const at = (state: Status['state']): Answer<Status> => ({
  ok: true,
  body: { state, success: state === 'completed' ? true : null, error_message: null, redirect_url: '' },
});
const OFFLINE: Answer<never> = { ok: false, error: 'offline', status: 0, isFinal: false };
const REFUSED: Answer<never> = { ok: false, error: 'session_not_found', status: 400, isFinal: true };

/** Answers in turn, and counts how often and after which waits it was asked. */
function serverWith(answers: Answer<Status>[]) {
  const waits: number[] = [];
  return {
    waits,
    wait: async (milliseconds: number) => void waits.push(milliseconds),
    look: async () => answers.shift()!,
  };
}

describe('watching a check', () => {
  it('looks on through states and lost connections until it is over', async () => {
    const { wait, look, waits } = serverWith([at('capturing'), OFFLINE, at('processing'), at('completed')]);
    const states: string[] = [];
    const over = await createWatch(wait, look).untilOver((state) => states.push(state));
    expect(over).toMatchObject({ state: 'completed', success: true });
    expect(states).toEqual(['capturing', 'processing']);
    expect(waits).toHaveLength(4);
  });

  it('ends with the code of what the service refuses to tell', async () => {
    const { wait, look } = serverWith([at('capturing'), REFUSED]);
    const over = await createWatch(wait, look).untilOver(() => {});
    expect(over).toEqual({ refused: 'session_not_found' });
  });

  it('answers nothing once it was ended, or another began', async () => {
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

describe('asking patiently', () => {
  it('asks again while the connection is lost, four times at most', async () => {
    const { wait, look, waits } = serverWith([OFFLINE, OFFLINE, at('completed')]);
    expect(await patiently(wait, look)).toMatchObject({ ok: true });
    expect(waits).toHaveLength(2);
    const lost = serverWith([OFFLINE, OFFLINE, OFFLINE, OFFLINE, at('completed')]);
    expect(await patiently(lost.wait, lost.look)).toEqual(OFFLINE);
  });

  it('takes a refusal at its word', async () => {
    const { wait, look, waits } = serverWith([REFUSED, at('completed')]);
    expect(await patiently(wait, look)).toEqual(REFUSED);
    expect(waits).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { createSessionState, type Session } from './session-state.ts';

const SESSION: Session = {
  session: { id: '1', createdAt: '2026-01-01T00:00:00Z', expiresAt: '2026-01-02T00:00:00Z' },
  user: { id: '2', name: 'Ada', email: 'ada@example.com', twoFactorEnabled: false },
};

describe('the session of the browser', () => {
  it('is read once until it changes', async () => {
    let reads = 0;
    const state = createSessionState(async () => {
      reads += 1;
      return SESSION;
    });
    expect(await Promise.all([state.current(), state.current()])).toEqual([SESSION, SESSION]);
    expect(reads).toBe(1);
    state.forget();
    await state.current();
    expect(reads).toBe(2);
  });

  it('is read again after a failure', async () => {
    const answers = [Promise.reject(new Error('offline')), Promise.resolve(null)];
    const state = createSessionState(() => answers.shift()!);
    await expect(state.current()).rejects.toThrow('offline');
    expect(await state.current()).toBeNull();
  });
});

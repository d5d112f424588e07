import { randomBytes } from 'node:crypto';
import { ProjectCipher } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { describe, expect, it } from 'vitest';
import { type PreviousSecret, previousSecretsOf, withReplaced } from './previous-secrets.ts';

const NOW = new Date('2026-01-02T00:00:00Z');
const expiring = (secret: string, until: string): PreviousSecret => ({ secret, until });

describe('the previous secrets of an endpoint', () => {
  it('sign until they expire', () => {
    const projectId = newId();
    const endpointId = newId();
    const cipher = new ProjectCipher(projectId, randomBytes(32));
    const valid = expiring('b', '2026-01-02T00:00:01.000Z');
    const stored = [valid, expiring('a', '2026-01-02T00:00:00.000Z')];
    const blob = cipher.encryptJson('webhook_endpoints', endpointId, stored);
    expect(previousSecretsOf(cipher, endpointId, blob, NOW)).toEqual([valid]);
    expect(previousSecretsOf(cipher, endpointId, null, NOW)).toEqual([]);
  });

  it('are at most five, the latest first', () => {
    const expiries = [1, 2, 3, 4, 5].map((day) => `2026-01-0${day}T00:00:00.000Z`);
    const five = expiries.reduce<readonly PreviousSecret[]>(
      (previous, until) => withReplaced(previous, expiring(until, until)),
      [],
    );
    expect(five.map(({ until }) => until)).toEqual(expiries.toReversed());
    expect(() => withReplaced(five, expiring('f', '2026-01-06T00:00:00.000Z'))).toThrow(
      `at most 5 previous secrets. The next one expires at ${expiries[0]}`,
    );
  });
});

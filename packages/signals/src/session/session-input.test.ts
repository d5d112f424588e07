import { describe, expect, it } from 'vitest';
import { mergeSessionFacts, type SessionFactsInput } from './session-input.ts';

const merge = (earlier: unknown, later: unknown) =>
  mergeSessionFacts(earlier as SessionFactsInput, later as SessionFactsInput) as Record<string, unknown>;

describe('mergeSessionFacts', () => {
  it('replaces values by later ones, in each part separately', () => {
    const earlier = { deviceId: 'one', checks: { canvas: 'a', fonts: ['x'] }, ipAddress: '192.0.2.1' };
    expect(merge(earlier, { deviceId: 'two', checks: { canvas: 'b', audio: 1 } })).toEqual({
      deviceId: 'two',
      checks: { canvas: 'b', fonts: ['x'], audio: 1 },
      ipAddress: '192.0.2.1',
    });
    expect(merge({ checks: { fonts: ['x', 'y'] } }, { checks: { fonts: ['z'] } })).toEqual({
      checks: { fonts: ['z'] },
    });
  });

  it('keeps earlier values for null and absent ones', () => {
    expect(merge({ deviceId: 'one', checks: { canvas: 'a' } }, { deviceId: null, checks: null })).toEqual({
      deviceId: 'one',
      checks: { canvas: 'a' },
    });
    expect(merge({ deviceId: 'one' }, { deviceId: undefined })).toEqual({ deviceId: 'one' });
  });

  it('changes neither of its inputs', () => {
    const [earlier, later] = [{ checks: { canvas: 'a' } }, { checks: { canvas: 'b' } }];
    merge(earlier, later);
    expect([earlier, later]).toEqual([{ checks: { canvas: 'a' } }, { checks: { canvas: 'b' } }]);
  });

  it.each([
    ['without it', '{"checks":{}}'],
    ['with it', '{"checks":{"__proto__":{"old":1}}}'],
  ])('keeps a key __proto__ as a key, for an earlier part %s', (_, earlier) => {
    const merged = merge(JSON.parse(earlier), JSON.parse('{"checks":{"__proto__":{"bot":true}}}'));
    expect(Object.getPrototypeOf(merged.checks)).toBe(Object.prototype);
    expect(JSON.stringify(merged)).toContain('"__proto__":{');
    expect(JSON.stringify(merged)).toContain('"bot":true');
  });
});

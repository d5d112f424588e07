import { parseExactJson } from '@vouchgraph/platform/exact-json';
import { describe, expect, it } from 'vitest';
import { type MaskKind, maskValue } from './mask-value.ts';

const KINDS: Readonly<Record<string, MaskKind>> = {
  email: 'email',
  name: 'name',
  score: 'none',
  decision: 'none',
  latitude: 'absent',
  metadata: 'values',
  face: 'absent',
};
const mask = (kind: MaskKind, value: unknown) => maskValue(kind, value, (key) => KINDS[key]);

describe('a masked value', () => {
  it('is masked by its kind, entry by entry in a list', () => {
    expect(mask('email', ['ada@example.com', 'bob@example.org'])).toEqual(['a•••@e•••.com', 'b•••@e•••.org']);
    expect(mask('absent', 48.85)).toBeNull();
    expect(mask('none', 'shown')).toBe('shown');
    expect(mask('name', null)).toBeNull();
  });

  it('shows nothing of a value of another type', () => {
    expect(mask('email', 41)).toBe('•••');
    expect(mask('name', { first: 'Ada' })).toEqual({ first: '•••' });
  });

  it('of metadata hides all values, and keys that are no words', () => {
    expect(mask('values', { plan: 'gold', age: 41, ok: true, 'ada@example.com': ['x', null] })).toEqual({
      plan: '•••',
      age: '•••',
      ok: true,
      '•••4': ['•••', null],
    });
  });

  it('hides numbers that keep their text', () => {
    expect(mask('values', parseExactJson('{"a":9007199254740993}'))).toEqual({ a: '•••' });
    expect(mask('json', parseExactJson('{"score":1.0,"ssn":9007199254740993}'))).toMatchObject({
      ssn: '•••',
    });
  });
});

describe('masked JSON', () => {
  it('is masked by the keys of its values; an unknown key shows nothing', () => {
    const value = {
      email: 'ada@example.com',
      score: 0.5,
      decision: 'Fake',
      unknown: 'secret',
      number: 7,
      is_known: true,
      latitude: 48.85,
      metadata: { plan: 'gold' },
      name: { first: 'Ada' },
      accounts: [{ email: 'bob@example.org', score: 1 }],
      face: { url: 'https://example.com/x' },
    };
    expect(mask('json', value)).toEqual({
      email: 'a•••@e•••.com',
      score: 0.5,
      decision: 'Fake',
      unknown: '•••',
      number: '•••',
      is_known: true,
      latitude: null,
      metadata: { plan: '•••' },
      name: { first: '•••' },
      accounts: [{ email: 'b•••@e•••.org', score: 1 }],
      face: null,
    });
  });

  it('shows ids and times under any key', () => {
    const id = '01890000-0000-7000-8000-000000000000';
    expect(mask('json', { x: id, at: '2025-06-10T16:35:22.184Z', born: '2025-06-10' })).toEqual({
      x: id,
      at: '2025-06-10T16:35:22.184Z',
      born: '•••',
    });
  });

  it('can be a text', () => {
    expect(mask('json_text', '{"email":"ada@example.com"}')).toBe('{"email":"a•••@e•••.com"}');
    expect(mask('json_text', 'no JSON: ada@example.com')).toBe('•••');
  });
});

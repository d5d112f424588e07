import { describe, expect, it } from 'vitest';
import { readQuery } from './query.ts';

describe('a query', () => {
  const parameters = {
    limit: { type: 'integer', description: '' },
    id: { type: 'boolean', description: '' },
    excludePII: { type: 'exclusion', description: '' },
    flags: { type: 'list', description: '' },
  } as const;
  const read = (query: string, rejectsUnknownQuery = false) =>
    readQuery({ query: parameters, rejectsUnknownQuery }, new URLSearchParams(query));

  it('is read by the parameters of its row: texts unchanged, booleans by their meaning', () => {
    expect(read('limit=1&id=Yes&EXCLUDEPII&other=a&other=b')).toEqual({
      query: { limit: '1', flags: '' },
      flags: { id: true, excludePII: true },
      unknownQuery: ['EXCLUDEPII', 'other'],
    });
    expect(read('')).toEqual({
      query: { limit: '', flags: '' },
      flags: { id: false, excludePII: false },
      unknownQuery: [],
    });
    expect(() => read('id=maybe')).toThrow(/^id: must be true, false, 1, 0, yes or no$/);
  });

  it.each(['limit=1&limit=1', 'limit=&limit=1', 'limit[]=1', 'limit[0]=1&limit[1]=1'])(
    'cannot repeat a text: %s',
    (query) => {
      expect(() => read(query)).toThrow(/^limit: must be sent once, as limit=VALUE$/);
    },
  );

  it.each([
    'flags=a,b',
    'flags=a&flags=b',
    'flags[]=a&flags[]=b',
    'flags%5B%5D=a&flags%5B%5D=b',
    'flags[0]=a&flags[1]=b',
  ])('contains a list in several forms: %s', (query) => {
    expect(read(query).query.flags).toBe('a,b');
  });

  it('names an unknown parameter where it is rejected', () => {
    expect(() => read('limit=1&limits=2', true)).toThrow(
      /^Unknown query parameter "limits": must be one of limit, id, excludePII, flags$/,
    );
  });
});

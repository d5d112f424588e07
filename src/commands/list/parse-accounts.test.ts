import { AppError } from '@vouchgraph/platform/errors';
import { describe, expect, it } from 'vitest';
import { snippetsOf } from '../../../test/support/documents.ts';
import { parseAccounts } from './parse-accounts.ts';

const NOW = new Date('2026-11-28T00:00:00Z');
const parse = (text: string | Buffer, columns: readonly ('reason' | 'expires_at')[] = []) =>
  parseAccounts(Buffer.from(text), columns, NOW);
const ids = (text: string | Buffer) => parse(text).map(({ accountId }) => accountId);

function problem(text: string | Buffer, columns: readonly ('reason' | 'expires_at')[] = []): string {
  try {
    parse(text, columns);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'input.invalid', inputPath: ['file'] });
    return (error as AppError).message;
  }
  throw new Error('the file was accepted');
}

describe('a file without a header', () => {
  it('has one id per line, with any line end, blank lines and a byte order mark', () => {
    expect(ids('\ufeff\nalice\r\n\n bob \ncarol')).toEqual(['alice', 'bob', 'carol']);
  });

  it('has lines that end with CR alone', () => {
    expect(ids('alice\r\rbob\r')).toEqual(['alice', 'bob']);
    expect(ids('account_id\r"two\nlines"\rbob\r')).toEqual(['two\nlines', 'bob']);
    expect(problem('account_id\r"a\rb"\r"bob\r')).toBe('file: line 4: a quote is not closed');
  });

  it('contains each id once', () => {
    expect(ids('alice\nbob\nalice\n')).toEqual(['alice', 'bob']);
  });

  it.each(['alice,bob', 'alice;fraud', 'alice\tfraud', '"alice"'])('is rejected with the line %j', (line) => {
    expect(problem(`carol\n\n${line}\n`)).toMatch(/^file: line 3: .*column account_id/);
  });

  it('is rejected with an id that no account can have', () => {
    expect(problem('alice\n..\n')).toMatch(/^file: line 2: account_id: /);
    expect(problem(`alice\n${'x'.repeat(257)}\n`)).toBe(
      'file: line 2: account_id: must be at most 256 characters',
    );
  });
});

describe('a file with a header', () => {
  it('has quoted fields, ids with commas, quotes and line ends, and blank rows', () => {
    const text = '\ufeffaccount_id\r\n"a,1"\r\n"say ""hi"""\r\n\r\n"two\nlines"\r\nplain\r\n';
    expect(ids(text)).toEqual(['a,1', 'say "hi"', 'two\nlines', 'plain']);
  });

  it.each([',', ';', '\t'])('has columns in any order, separated by %j', (separator) => {
    const rows = [
      ['Expires_At', 'account_id', ' reason '],
      ['2027-01-31', 'alice', 'card; "stolen"\t,'],
      ['', 'bob', ''],
      ['', '', ''],
    ];
    const quoted = (cell: string) => (/["\t;,]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    const text = rows.map((row) => row.map(quoted).join(separator)).join('\n');
    expect(parse(text, ['reason', 'expires_at'])).toEqual([
      { accountId: 'alice', reason: 'card; "stolen"\t,', expiresAt: new Date('2027-01-31T00:00:00Z') },
      { accountId: 'bob', reason: undefined, expiresAt: undefined },
    ]);
  });

  it('of docs/command-line.md is accepted', () => {
    const [example] = snippetsOf('docs/command-line.md').filter(({ language }) => language === 'csv');
    expect(parse(example!.text, ['reason', 'expires_at'])).toEqual([
      { accountId: 'bob', reason: 'chargeback', expiresAt: new Date('2027-06-30T00:00:00Z') },
      { accountId: 'mallory,2', reason: 'case 17, second report', expiresAt: undefined },
    ]);
  });

  it('is rejected with an unknown or repeated column', () => {
    expect(problem('account_id,color\nalice,red\n', ['reason'])).toBe(
      'file: line 1: the column "color" is not accepted. Accepted columns: account_id, reason',
    );
    expect(problem('\naccount_id,account_id\n')).toBe('file: line 2: two columns are named account_id');
  });

  it('is rejected with a malformed row, named by its first line', () => {
    const header = 'account_id,reason\n"two\nlines",x\n';
    const of = (row: string) => problem(`${header}${row}`, ['reason', 'expires_at']);
    expect(of('alice\n')).toBe('file: line 4: 1 field where the header has 2');
    expect(of('alice,x,y\n')).toBe('file: line 4: 3 fields where the header has 2');
    expect(of(',x\n')).toBe('file: line 4: account_id: must not be empty');
    expect(of('"alice,x\n')).toBe('file: line 4: a quote is not closed');
    expect(of('bob,x\nal"ice,x\n')).toMatch(/^file: line 5: a quote inside an unquoted field/);
    expect(of(`alice,${'x'.repeat(1025)}\n`)).toBe('file: line 4: reason: must be at most 1024 characters');
  });

  it('is rejected with an end that is malformed or in the past', () => {
    const of = (end: string) => problem(`account_id,expires_at\nalice,${end}\n`, ['expires_at']);
    expect(of('tomorrow')).toMatch(/^file: line 2: expires_at: It must be an ISO 8601 timestamp/);
    expect(of('2026-01-31')).toMatch(/^file: line 2: expires_at: must be /);
  });

  it('is rejected with an account in two rows of different values', () => {
    expect(problem('account_id,reason\nalice,x\nbob,x\nalice,x\nalice,y\n', ['reason'])).toBe(
      'file: line 5: this account is also in line 2, with another reason or end',
    );
  });
});

it('a file that is not UTF-8 is rejected', () => {
  expect(problem(Buffer.from('\ufeffalice\n', 'utf16le'))).toBe('file: is UTF-16: save it as UTF-8');
  expect(problem(Buffer.from('alice\njos\xe9\n', 'latin1'))).toBe('file: is not UTF-8');
});

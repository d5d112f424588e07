import type { ProjectCipher } from './crypto.ts';
import { invalidInput } from './errors.ts';

/*
 * A cursor is a position in an order: the sort value and id of the row it stands for, signed together with what was
 * asked (field, filter, order), so that it can neither be made up nor carried over to another question. It does not
 * need its row any more: keyset paging goes on behind the position, also when the row was deleted.
 */
const PURPOSE = 'cursor';
const MAC_LENGTH = 12;

export type CursorValues = readonly (string | number)[];

export function encodeCursor(cipher: ProjectCipher, scope: string, values: CursorValues): string {
  const body = Buffer.from(JSON.stringify(values)).toString('base64url');
  return `${body}.${cipher.sign(PURPOSE, `${scope}\0${body}`).slice(0, MAC_LENGTH)}`;
}

/** The position of a cursor; throws `input.invalid` when it was not made for this question. */
export function decodeCursor(
  cipher: ProjectCipher,
  scope: string,
  cursor: string,
  argument = 'after',
): CursorValues {
  const [body, mac] = cursor.split('.');
  if (!body || mac !== cipher.sign(PURPOSE, `${scope}\0${body}`).slice(0, MAC_LENGTH)) {
    throw invalidInput(`${argument}: must be a cursor of an earlier answer to the same query`, [argument]);
  }
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as CursorValues;
}

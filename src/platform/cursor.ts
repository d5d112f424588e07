import type { ProjectCipher } from './crypto.ts';
import { invalidInput } from './errors.ts';

/*
 * A cursor is a position in an order: the sort value and id of the row it stands for, encrypted together with the
 * query (field, filter, order), so that it can neither be made up nor used with another query, and its reader learns no
 * id or value of a row. It does not need its row any more: keyset paging continues after the position, also when the
 * row was deleted.
 */
const PURPOSE = 'cursor';
const MAC_LENGTH = 12;

/** What a cursor must be: the cursors of most pages are bound to the arguments too. */
export const OF_SAME_QUERY = 'must be a cursor of an earlier answer to the same query';
export const OF_SAME_ARGUMENTS = `${OF_SAME_QUERY} with the same arguments`;

export type CursorValues = readonly (string | number)[];

export function encodeCursor(cipher: ProjectCipher, scope: string, values: CursorValues): string {
  return cipher.sealText(`${PURPOSE}\0${scope}`, JSON.stringify(values));
}

/**
 * The position of a cursor.
 * @param accepted what the argument accepts, for the message.
 * @throws input.invalid when the cursor was not made for this scope.
 */
export function decodeCursor(
  cipher: ProjectCipher,
  scope: string,
  cursor: string,
  argument = 'after',
  accepted = OF_SAME_QUERY,
): CursorValues {
  const text = cipher.openText(`${PURPOSE}\0${scope}`, cursor) ?? openSigned(cipher, scope, cursor);
  if (text === null) throw invalidInput(`${argument}: ${accepted}`, [argument]);
  return JSON.parse(text) as CursorValues;
}

/** Cursors of earlier versions were signed, not encrypted; clients keep those of events for weeks. */
function openSigned(cipher: ProjectCipher, scope: string, cursor: string): string | null {
  const [body, mac] = cursor.split('.');
  if (!body || mac !== cipher.sign(PURPOSE, `${scope}\0${body}`).slice(0, MAC_LENGTH)) return null;
  return Buffer.from(body, 'base64url').toString('utf8');
}

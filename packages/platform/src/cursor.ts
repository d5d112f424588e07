import type { ProjectCipher } from './crypto.ts';
import { invalidInput } from './errors.ts';

/*
 * A cursor is a position in a sort order: the sort value and id of a row, encrypted together with the query (field, filter,
 * order). It cannot be forged or used with another query, and does not reveal ids or values of rows. It remains valid when its
 * row is deleted: keyset paging continues after the position.
 */
const PURPOSE = 'cursor';

/** Error texts for invalid cursors. The cursors of most pages are bound to the arguments too. */
export const OF_SAME_QUERY = 'must be a cursor of an earlier response to the same query';
export const OF_SAME_ARGUMENTS = `${OF_SAME_QUERY} with the same arguments`;

export type CursorValues = readonly (string | number)[];

export function encodeCursor(cipher: ProjectCipher, scope: string, values: CursorValues): string {
  return cipher.encryptText(`${PURPOSE}\0${scope}`, JSON.stringify(values));
}

/**
 * Decodes the position of a cursor.
 * @param accepted accepted values of the argument, for the error message.
 * @throws input.invalid when the cursor was not created for this scope.
 */
export function decodeCursor(
  cipher: ProjectCipher,
  scope: string,
  cursor: string,
  argument = 'after',
  accepted = OF_SAME_QUERY,
): CursorValues {
  const text = cipher.decryptText(`${PURPOSE}\0${scope}`, cursor);
  if (text === null) throw invalidInput(`${argument}: ${accepted}`, [argument]);
  return JSON.parse(text) as CursorValues;
}

import names from '../../data/column-names.json' with { type: 'json' };

/** Uses of a column. */
export const COLUMN_ROLES = ['email', 'firstName', 'lastName', 'name', 'phone', 'country'] as const;
export type ColumnRole = (typeof COLUMN_ROLES)[number];

/**
 * Usual names of columns in several languages, the likelier ones first; folded: without case, accents, spaces and
 * punctuation.
 */
export const COLUMN_NAMES: Readonly<Record<ColumnRole, readonly string[]>> = {
  email: names.email.map(foldName),
  firstName: names.firstName.map(foldName),
  lastName: names.lastName.map(foldName),
  name: names.name.map(foldName),
  phone: names.phone.map(foldName),
  country: names.country.map(foldName),
};

/** The name of a column without case, accents, spaces and punctuation. */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

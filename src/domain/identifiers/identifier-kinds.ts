/**
 * What accounts are linked by. The numbers are stored: never change one, only add. Bit `1 << number` stands for the
 * kind in `links.kinds`.
 */
export const IDENTIFIER_KINDS = {
  browser: 1,
  device: 2,
  network: 3,
  neighbourhood: 4,
  email: 5,
  phone: 6,
  username: 7,
  name: 8,
  email_block: 9,
  email_domain: 10,
  face: 11,
  document_number: 12,
  document_name: 13,
  device_part: 14,
  /** An email that a role reads: it supports, and does not link alone. */
  role_email: 15,
  /** An email as it was written, without a tag: whether its holders' first names differ is counted by it. */
  written_email: 16,
  first_name: 17,
  // Placeholders link nobody and are found by a search.
  placeholder_email: 18,
  placeholder_phone: 19,
  placeholder_username: 20,
  birth_date: 21,
  /** A government or other id number, with its type and country. */
  id_number: 22,
  /** Two of the three parts of a date of birth: accounts whose dates differ in the third are compared. */
  birth_block: 23,
} as const;

/** Bit of `links.kinds` of a link whose names, emails or dates of birth were compared in clear text. No kind has its number. */
export const COMPARED_BIT = 1 << 29;

export type IdentifierKind = keyof typeof IDENTIFIER_KINDS;

const NAME_OF_NUMBER = new Map<number, IdentifierKind>(
  (Object.keys(IDENTIFIER_KINDS) as IdentifierKind[]).map((kind) => [IDENTIFIER_KINDS[kind], kind]),
);

export function kindOfNumber(number: number): IdentifierKind {
  const kind = NAME_OF_NUMBER.get(number);
  if (!kind) throw new Error(`unknown identifier kind ${number}`);
  return kind;
}

/** Kinds that come from the account's own fields: a new value replaces the old one. */
export const CONTACT_KINDS = [
  'email',
  'phone',
  'username',
  'name',
  'email_block',
  'email_domain',
  'role_email',
  'written_email',
  'first_name',
  'placeholder_email',
  'placeholder_phone',
  'placeholder_username',
  'birth_date',
  'birth_block',
  'id_number',
] as const;

/** Kinds of one field's value as different rules class it. */
const CLASSES_OF_FIELDS: readonly (readonly IdentifierKind[])[] = [
  ['email', 'role_email', 'placeholder_email'],
  ['phone', 'placeholder_phone'],
  ['username', 'placeholder_username'],
];

/** Numbers of the kinds that the value of a field may have besides or instead of one. */
export function classesOf(number: number): readonly number[] {
  const classes = CLASSES_OF_FIELDS.find((kinds) => kinds.some((kind) => IDENTIFIER_KINDS[kind] === number));
  return classes?.map((kind) => IDENTIFIER_KINDS[kind]) ?? [number];
}

/** Kinds whose times and number of uses nothing reads: a row of one is written once. */
const COUNTING_KINDS: readonly IdentifierKind[] = [
  'email_block',
  'email_domain',
  'written_email',
  'first_name',
  'placeholder_email',
  'placeholder_phone',
  'placeholder_username',
  'birth_block',
];

/** Whether identifiers of a kind only serve counting and searching. */
export function isCountingKind(kind: IdentifierKind): boolean {
  return COUNTING_KINDS.includes(kind);
}

/** The match types that clients see, in the order in which they are listed, each with the kinds that it stands for. */
const KINDS_OF_MATCH_TYPE = {
  network: ['network', 'neighbourhood'],
  email: ['email', 'role_email', 'email_block'],
  browser: ['browser'],
  device: ['device', 'device_part'],
  phone: ['phone'],
  username: ['username'],
  name: ['name'],
  face: ['face'],
  document_number: ['document_number'],
  document_name: ['document_name'],
  date_of_birth: ['birth_date'],
  id_number: ['id_number'],
} as const satisfies Record<string, readonly IdentifierKind[]>;
export type MatchType = keyof typeof KINDS_OF_MATCH_TYPE;
export const MATCH_TYPES = Object.keys(KINDS_OF_MATCH_TYPE) as MatchType[];

/** The bits that a match type stands for in `links.kinds`. */
export function bitsOfMatchType(type: MatchType): number {
  return KINDS_OF_MATCH_TYPE[type].reduce((bits, kind) => bits | (1 << IDENTIFIER_KINDS[kind]), 0);
}

/** The match types in a stored bit set. */
export function matchTypesOf(kinds: number): MatchType[] {
  return MATCH_TYPES.filter((type) => (kinds & bitsOfMatchType(type)) !== 0);
}

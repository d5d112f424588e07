/**
 * Kinds of identifiers. The numbers are stored: never change one, only add. Bit `1 << number` is the kind in `links.kinds`.
 */
export const IDENTIFIER_KINDS = {
  browser: 1,
  device: 2,
  network: 3,
  subnet: 4,
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
  /** A role mailbox: it only supports other evidence. */
  role_email: 15,
  /** Spelling of an email without a tag: different first names with the same spelling detect a shared mailbox. */
  written_email: 16,
  first_name: 17,
  // Placeholders do not link, but can be searched.
  placeholder_email: 18,
  placeholder_phone: 19,
  placeholder_username: 20,
  birth_date: 21,
  /** A government or other id number, with its type and country. */
  id_number: 22,
  /** Two of the three parts of a date of birth: accounts whose dates differ in the third part are compared. */
  birth_block: 23,
} as const;

/** Bit of `links.kinds` for evidence from a comparison in clear text. No kind has its number. */
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

/** Kinds derived from the account's fields: a new value replaces the old one. */
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

/** Kinds of the same field's value, which another version of the rules can classify differently. */
const CLASSES_OF_FIELDS: readonly (readonly IdentifierKind[])[] = [
  ['email', 'role_email', 'placeholder_email'],
  ['phone', 'placeholder_phone'],
  ['username', 'placeholder_username'],
];

/** Numbers of all kinds of the same field. */
export function classesOf(number: number): readonly number[] {
  const classes = CLASSES_OF_FIELDS.find((kinds) => kinds.some((kind) => IDENTIFIER_KINDS[kind] === number));
  return classes?.map((kind) => IDENTIFIER_KINDS[kind]) ?? [number];
}

const BLOCKING_KINDS: readonly IdentifierKind[] = ['email_block', 'birth_block'];
/** Numbers of the kinds of blocking keys (blocking-keys.ts). */
export const BLOCKING_NUMBERS: readonly number[] = BLOCKING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);

/** Whether the number is a kind of blocking keys. */
export const isBlockingKind = (kind: number): boolean => BLOCKING_NUMBERS.includes(kind);

/** Kinds whose times and uses are never read, so that their rows are written once. */
const COUNTING_KINDS: readonly IdentifierKind[] = [
  ...BLOCKING_KINDS,
  'email_domain',
  'written_email',
  'first_name',
  'placeholder_email',
  'placeholder_phone',
  'placeholder_username',
];

/** Whether identifiers of a kind only serve counting and searching. */
export function isCountingKind(kind: IdentifierKind): boolean {
  return COUNTING_KINDS.includes(kind);
}

/** Public match types, in listing order, with their kinds. */
const KINDS_OF_MATCH_TYPE = {
  network: ['network', 'subnet'],
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

/** Bits of a match type in `links.kinds`. */
export function bitsOfMatchType(type: MatchType): number {
  return KINDS_OF_MATCH_TYPE[type].reduce((bits, kind) => bits | (1 << IDENTIFIER_KINDS[kind]), 0);
}

/** Match types of a stored bit set. */
export function matchTypesOf(kinds: number): MatchType[] {
  return MATCH_TYPES.filter((type) => (kinds & bitsOfMatchType(type)) !== 0);
}

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
} as const;

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
export const CONTACT_KINDS = ['email', 'phone', 'username', 'name', 'email_block', 'email_domain'] as const;

/** The match types that clients see, in the order in which they are listed. */
export const MATCH_TYPES = ['network', 'email', 'browser', 'device', 'phone', 'username', 'name'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

/** The match types in a stored bit set; an address and its neighbourhood are both `network`. */
export function matchTypesOf(kinds: number): MatchType[] {
  const has = (kind: IdentifierKind) => (kinds & (1 << IDENTIFIER_KINDS[kind])) !== 0;
  return MATCH_TYPES.filter((type) => has(type) || (type === 'network' && has('neighbourhood')));
}

/** All scopes of browser tokens. A token has at least one scope, and reads only data of its scopes. */
export const TOKEN_SCOPES = {
  LINKS:
    'Link graph of the account: linked accounts under pseudonyms, scores, match types, masked evidence. No data of other accounts.',
  VERIFICATION_STATE: 'State and times of verification sessions, without their result.',
  VERIFICATION_RESULT:
    'Decision, risk score, flags and signals of completed verifications, without data of the document.',
  DOCUMENT: 'Data of the document of a verification, age by the document, and URLs of its images and videos.',
  ACCOUNT: 'Fields of the account: personal fields, scores, lists and sessions.',
  EVENTS: 'Events, limited to the types and fields of the other scopes of the token.',
} as const satisfies Record<string, string>;

export type TokenScope = keyof typeof TOKEN_SCOPES;

export const ALL_TOKEN_SCOPES = Object.keys(TOKEN_SCOPES) as TokenScope[];

/** Scopes of which a token needs one: verifications are found by each of the three. */
export const VERIFICATION_SCOPES = [
  'VERIFICATION_STATE',
  'VERIFICATION_RESULT',
  'DOCUMENT',
] as const satisfies readonly TokenScope[];

/** The scopes of an error message: `the scope LINKS`, `one of the scopes ACCOUNT, LINKS`. */
export function scopesText(scopes: readonly TokenScope[]): string {
  return scopes.length === 1 ? `the scope ${scopes[0]}` : `one of the scopes ${scopes.join(', ')}`;
}

/** How an account was added to a list. */
export const MEMBER_SOURCES = ['api', 'rule', 'import', 'console'] as const;
export type MemberSource = (typeof MEMBER_SOURCES)[number];

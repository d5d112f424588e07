/** Ways by which accounts are added to lists. */
export const LIST_MEMBER_SOURCES = ['api', 'rule', 'import', 'console'] as const;
export type ListMemberSource = (typeof LIST_MEMBER_SOURCES)[number];

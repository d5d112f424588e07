/** The lists that exist in every project. They cannot be deleted, and an account is on one of them at most. */
export const STANDARD_LISTS = [
  { name: 'block', description: 'Accounts that are decided Fake', effect: 'block' },
  { name: 'allow', description: 'Accounts that are decided Real', effect: 'allow' },
  {
    name: 'main_account',
    description: 'The main account of a person with several: multiple_accounts is 0',
    effect: 'none',
  },
] as const;

export function isStandardList(name: string): boolean {
  return STANDARD_LISTS.some((list) => list.name === name);
}

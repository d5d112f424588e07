import type { PersonRole } from '../projects/person-role.ts';

/** A person of the console. */
export type Person = {
  readonly personId: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  readonly twoFactorEnabled: boolean;
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
};

/** Role of a person in a project. */
export type Membership = { readonly projectId: string; readonly role: PersonRole };

/** An email address of a person, as it is stored and compared. */
export function normalizedEmail(text: string): string {
  return text.trim().toLowerCase();
}

import type { Environment, PersonRole } from '../operations/generated/operations.ts';
import type { TextKey } from '../texts/en.ts';

/** Texts of the values of enums. */
export const ROLE_TEXTS: Readonly<Record<PersonRole, TextKey>> = {
  VIEWER: 'role_viewer',
  ANALYST: 'role_analyst',
  ADMIN: 'role_admin',
};

export const ENVIRONMENT_TEXTS: Readonly<Record<Environment, TextKey>> = {
  PRODUCTION: 'production',
  SANDBOX: 'sandbox',
};

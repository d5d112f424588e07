import { PERSON_ROLES, type PersonRole } from '../../domain/projects/person-role.ts';

/** A role, or none. */
export const ROLE_OR_NONE = [...PERSON_ROLES, 'none'] as const;
export type RoleOrNone = (typeof ROLE_OR_NONE)[number];

export type JsonOption = { json?: boolean };
export type DeleteOptions = JsonOption & { yes?: boolean };
export type InviteOptions = JsonOption & { name: string; role: PersonRole };
export type ProviderOptions = JsonOption & {
  name: string;
  issuer: string;
  clientId: string;
  clientSecretFile?: string;
  scope: readonly string[];
};
export type MappingOptions = JsonOption & { claim: string; value: string; role: PersonRole };

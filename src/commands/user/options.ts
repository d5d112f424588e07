import { PERSON_ROLES, type PersonRole } from '../../domain/projects/person-role.ts';

/** A role, or none. */
export const ROLE_OR_NONE = [...PERSON_ROLES, 'none'] as const;
export type RoleOrNone = (typeof ROLE_OR_NONE)[number];

export type JsonOption = { json?: boolean };
export type InviteOptions = JsonOption & { name: string; role: PersonRole };

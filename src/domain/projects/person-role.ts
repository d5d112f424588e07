/** Roles of a person in a project, each including the one before it. */
export const PERSON_ROLES = ['viewer', 'analyst', 'admin'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** Whether a role includes another. */
export function includesPersonRole(role: PersonRole, wanted: PersonRole): boolean {
  return PERSON_ROLES.indexOf(role) >= PERSON_ROLES.indexOf(wanted);
}

import { newId } from '@vouchgraph/platform/ids';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import type { AuditAuthor, AuditedChange } from '../audit/audit-entry.ts';
import { auditCall } from '../audit/audit-store.ts';
import type { PersonRole } from '../projects/person-role.ts';

type Query = PeopleDatabase['query'];

/** Author and time of a change of people. */
export type ChangedBy = {
  /** As it is stored with invitations. */
  readonly actor: string;
  /** The author as entries of a project name it: each project encrypts the address with its own key. */
  readonly authorIn: (projectId: string) => AuditAuthor | Promise<AuditAuthor>;
  readonly at: Date;
};

/** An author without a role and an address: a command, the service, or a person who enters. */
export function changedBy(actor: string, at: Date): ChangedBy {
  const author = { actor, role: null, address: null, addressHash: null, requestId: null };
  return { actor, authorIn: () => author, at };
}

/** A person in entries, as their target and as their author. They contain neither its name nor its email. */
export const personTarget = (personId: string) => `person:${personId}`;
export const invitationTarget = (invitationId: string) => `invitation:${invitationId}`;

/** A role as entries contain it: with the provider whose claims gave it. */
export type RecordedRole = { readonly role: PersonRole; readonly provider?: string };

/** Inserts an entry into the audit log of a project, in the transaction of the change. */
export async function recordChange(
  query: Query,
  projectId: string,
  { authorIn, at }: ChangedBy,
  change: Omit<AuditedChange, 'reason'>,
): Promise<void> {
  const author = await authorIn(projectId);
  const entry = { ...change, auditId: newId(at.getTime()), at, author, reason: null, subjects: [] };
  await query(...auditCall(projectId, entry));
}

import type { Client } from 'urql';
import { change, read } from '../graphql/execute.ts';
import {
  DisablePersonDocument,
  EnablePersonDocument,
  InvitePersonDocument,
  type InvitePersonMutationVariables,
  PeopleDocument,
  type PeopleQuery,
  type PersonRole,
  RemovePersonDocument,
  ResetPersonDocument,
  SetPersonRoleDocument,
  WithdrawInvitationDocument,
} from '../operations/generated/operations.ts';

export type Person = NonNullable<PeopleQuery['people']>[number];
export type PendingInvitation = NonNullable<PeopleQuery['invitations']>[number];

/** A link, which the gateway shows once. */
export type NewLink = { link: string; expiresAt: string };

/** Requests of the page, with the client of the project. */
export function peopleRequests(client: Client) {
  return {
    async list() {
      const { people, invitations } = await read(client, PeopleDocument, {});
      return { people: people ?? [], invitations: invitations ?? [] };
    },
    /** The link; null for a person who has entered before and has the role now. */
    async invite(input: InvitePersonMutationVariables['input']): Promise<NewLink | null> {
      return (await change(client, InvitePersonDocument, { input })).invitePerson?.link ?? null;
    },
    withdraw: (invitationId: string) =>
      change(client, WithdrawInvitationDocument, { input: { invitationId } }),
    setRole: (personId: string, role: PersonRole) =>
      change(client, SetPersonRoleDocument, { input: { personId, role } }),
    remove: (personId: string) => change(client, RemovePersonDocument, { input: { personId } }),
    async reset(personId: string): Promise<NewLink | null> {
      return (await change(client, ResetPersonDocument, { input: { personId } })).resetPerson?.link ?? null;
    },
    disable: (personId: string) => change(client, DisablePersonDocument, { input: { personId } }),
    enable: (personId: string) => change(client, EnablePersonDocument, { input: { personId } }),
  };
}

export type PeopleRequests = ReturnType<typeof peopleRequests>;

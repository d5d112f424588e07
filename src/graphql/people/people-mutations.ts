import {
  disablePersonShape,
  enablePersonShape,
  erasePersonShape,
  invitePersonShape,
  type PendingInvitation,
  type ProjectPerson,
  removePersonShape,
  resetPersonShape,
  setPersonRoleShape,
  withdrawInvitationShape,
} from '../../domain/people/administration.ts';
import type { Invited, ShownLink } from '../../domain/people/administration-service.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { payloadType } from '../kernel/payload.ts';
import { InvitationRef, ProjectPersonRef } from './people.ts';

const FACTS = { subjects: 'none', mask: 'none' } as const;
const FORBIDDEN = '`auth.forbidden` (API keys, browser tokens, persons below the role admin)';
const FORBIDDEN_ELSEWHERE = `\`person.in_other_projects\` (a role in a project that the caller does not administer), ${FORBIDDEN}`;
const NOT_FOUND = '`person.not_found` (unknown person, or no role in the project)';
const LAST = '`person.last_administrator` (no other administrator who is not disabled)';
const IS_SELF = '`person.is_self` (the caller)';

const PersonLinkRef = builder.objectRef<ShownLink>('PersonLink').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Link for a person. It works once, and no other answer shows it.',
  fields: (t) => ({
    link: t.exposeString('link', {
      description: 'Address to send to the person over a channel that you trust. Its fragment is a secret.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time from which the link is rejected.',
    }),
  }),
});

const InvitePayload = payloadType<Invited>(
  'InvitePersonPayload',
  'Invitation, or the person who has received the role.',
  FACTS,
  (t) => ({
    person: t.expose('person', {
      type: ProjectPersonRef,
      nullable: true,
      description: 'Person of the project, with the new role. Null for an invitation.',
    }),
    invitation: t.expose('invitation', {
      type: InvitationRef,
      nullable: true,
      description: 'New invitation. Null for a person of the project.',
    }),
    link: t.expose('link', {
      type: PersonLinkRef,
      nullable: true,
      description: 'Link of the invitation. Null for a person of the project.',
    }),
  }),
);

const WithdrawPayload = payloadType<{ invitation: PendingInvitation }>(
  'WithdrawInvitationPayload',
  'Withdrawn invitation.',
  FACTS,
  (t) => ({
    invitation: t.expose('invitation', { type: InvitationRef, description: 'Invitation, as it was.' }),
  }),
);

const personPayload = (name: string, description: string, person: string) =>
  payloadType<{ person: ProjectPerson }>(name, description, FACTS, (t) => ({
    person: t.expose('person', { type: ProjectPersonRef, description: person }),
  }));

const SetRolePayload = personPayload('SetPersonRolePayload', 'Changed person.', 'Person with the new role.');
const RemovePayload = personPayload('RemovePersonPayload', 'Removed person.', 'Person, as it was.');
const DisablePayload = personPayload('DisablePersonPayload', 'Disabled person.', 'Disabled person.');
const EnablePayload = personPayload('EnablePersonPayload', 'Enabled person.', 'Enabled person.');
const ErasePayload = personPayload('ErasePersonPayload', 'Erased person.', 'Person, as it was.');

const ResetPayload = payloadType<{ person: ProjectPerson; link: ShownLink }>(
  'ResetPersonPayload',
  'Person without sessions, and a link.',
  FACTS,
  (t) => ({
    person: t.expose('person', { type: ProjectPersonRef, description: 'Person, whose sessions have ended.' }),
    link: t.expose('link', {
      type: PersonLinkRef,
      description: 'Link to choose another password. Earlier ones are rejected.',
    }),
  }),
);

/** An answer to an `Idempotency-Key` is stored for a day: one with a link or a person is not, so that nothing of them remains. */
function unrepeatable(requestId: string, subjects: GraphQLContext['subjects']): string {
  subjects?.addUnrepeatable();
  return requestId;
}

const INPUT = 'Person.';
const InviteInput = inputFrom(invitePersonShape);
const WithdrawInput = inputFrom(withdrawInvitationShape);
const SetRoleInput = inputFrom(setPersonRoleShape);
const RemoveInput = inputFrom(removePersonShape);
const ResetInput = inputFrom(resetPersonShape);
const DisableInput = inputFrom(disablePersonShape);
const EnableInput = inputFrom(enablePersonShape);
const EraseInput = inputFrom(erasePersonShape);

builder.mutationFields((t) => ({
  invitePerson: t.field({
    isIdempotent: false,
    type: InvitePayload,
    nullable: true,
    description:
      'Invites a person to the project by a link that works once, within a day. It replaces an earlier invitation of the ' +
      'email address to the project. A person with a role in the project receives the new one at once, and no link. Recorded in ' +
      `the audit log. Errors: ${FORBIDDEN}, ${LAST}, \`input.invalid\`.`,
    authScopes: { may: 'person.manage' },
    args: { input: t.arg({ type: InviteInput, required: true, description: 'Person with its role.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => ({
      requestId: unrepeatable(requestId, subjects),
      ...(await services.people.invite(viewer, requestId, input)),
    }),
  }),
  withdrawInvitation: t.field({
    isIdempotent: false,
    type: WithdrawPayload,
    nullable: true,
    description:
      'Withdraws an invitation to the project: its link is rejected from now on. Recorded in the audit log. Errors: ' +
      `\`invitation.not_found\` (unknown, used, expired, or of another project), ${FORBIDDEN}.`,
    authScopes: { may: 'person.manage' },
    args: { input: t.arg({ type: WithdrawInput, required: true, description: 'Invitation.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => ({
      requestId: unrepeatable(requestId, subjects),
      invitation: await services.people.withdraw(viewer, requestId, input.invitationId),
    }),
  }),
  setPersonRole: t.field({
    isIdempotent: true,
    type: SetRolePayload,
    nullable: true,
    description:
      'Changes the role of a person in the project, from the next request of the person on. Recorded in the audit log. ' +
      `Errors: ${NOT_FOUND}, ${LAST}, ${FORBIDDEN}.`,
    authScopes: { may: 'person.manage' },
    args: { input: t.arg({ type: SetRoleInput, required: true, description: 'Person with its new role.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => ({
      requestId: unrepeatable(requestId, subjects),
      person: await services.people.setRole(viewer, requestId, input),
    }),
  }),
  removePerson: t.field({
    isIdempotent: false,
    type: RemovePayload,
    nullable: true,
    description:
      'Removes a person from the project. Roles in other projects remain. Recorded in the audit log. ' +
      `Errors: ${NOT_FOUND}, ${LAST}, ${FORBIDDEN}.`,
    authScopes: { may: 'person.manage' },
    args: { input: t.arg({ type: RemoveInput, required: true, description: INPUT }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => ({
      requestId: unrepeatable(requestId, subjects),
      person: await services.people.remove(viewer, requestId, input.personId),
    }),
  }),
}));

builder.mutationFields((t) => ({
  resetPerson: t.field({
    isIdempotent: false,
    type: ResetPayload,
    nullable: true,
    description:
      'Ends all sessions of a person, and returns a link to choose another password, which works once, within a day. Its use ' +
      'removes all other ways to sign in of the person. The caller must administer every project of the person. ' +
      `Recorded in the audit log. Errors: ${NOT_FOUND}, ${IS_SELF}, ${FORBIDDEN_ELSEWHERE}.`,
    authScopes: { may: 'person.manage' },
    args: { input: t.arg({ type: ResetInput, required: true, description: INPUT }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => ({
      requestId: unrepeatable(requestId, subjects),
      ...(await services.people.reset(viewer, requestId, input.personId)),
    }),
  }),
  disablePerson: t.field({
    isIdempotent: true,
    type: DisablePayload,
    nullable: true,
    description:
      'Ends all sessions of a person, who cannot sign in until enabled again. The caller must administer every project of the ' +
      `person. Recorded in the audit log. Errors: ${NOT_FOUND}, ${IS_SELF}, ${FORBIDDEN_ELSEWHERE}.`,
    authScopes: { may: 'person.manage' },
    args: { input: t.arg({ type: DisableInput, required: true, description: INPUT }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => ({
      requestId: unrepeatable(requestId, subjects),
      person: await services.people.setDisabled(viewer, requestId, input.personId, true),
    }),
  }),
  enablePerson: t.field({
    isIdempotent: true,
    type: EnablePayload,
    nullable: true,
    description:
      'Enables a person again. The caller must administer every project of the person. Recorded in the audit log. ' +
      `Errors: ${NOT_FOUND}, ${IS_SELF}, ${FORBIDDEN_ELSEWHERE}.`,
    authScopes: { may: 'person.manage' },
    args: { input: t.arg({ type: EnableInput, required: true, description: INPUT }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => ({
      requestId: unrepeatable(requestId, subjects),
      person: await services.people.setDisabled(viewer, requestId, input.personId, false),
    }),
  }),
  erasePerson: t.field({
    isIdempotent: false,
    type: ErasePayload,
    nullable: true,
    description:
      'Erases a person in all projects: name, email address, ways to sign in, sessions, roles, invitations, reveals, and ' +
      'addresses and reasons in the audit log, which keeps the id of the person. The caller must administer every project of ' +
      `the person, and those in which the person has left entries, reveals or invitations. Recorded in the audit log. Errors: ${NOT_FOUND}, ${IS_SELF}, ${FORBIDDEN_ELSEWHERE}.`,
    authScopes: { may: 'person.manage' },
    args: { input: t.arg({ type: EraseInput, required: true, description: INPUT }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => ({
      requestId: unrepeatable(requestId, subjects),
      person: await services.people.erase(viewer, requestId, input.personId),
    }),
  }),
}));

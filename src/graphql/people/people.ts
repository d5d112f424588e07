import {
  MAX_LISTED,
  type PendingInvitation,
  type ProjectPerson,
  personRoleShape,
} from '../../domain/people/administration.ts';
import { builder } from '../kernel/builder.ts';
import { setFieldType } from '../kernel/input-from.ts';
import { PersonRoleType } from './me.ts';

setFieldType(personRoleShape, PersonRoleType);

const MAX_TEXT = MAX_LISTED.toLocaleString('en');

export const ProjectPersonRef = builder.objectRef<ProjectPerson>('ProjectPerson').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Person with a role in the project, as its administrators see it.',
  fields: (t) => ({
    personId: t.expose('personId', { type: 'UUID', description: 'Id of the person, as in the audit log.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    email: t.exposeString('email', { description: 'Email address, with which the person signs in.' }),
    role: t.expose('role', { type: PersonRoleType, description: 'Role in the project.' }),
    roleProvider: t.exposeString('roleProvider', {
      nullable: true,
      description:
        'Name of the sign-in provider whose claims gave the role, and change it at each sign-in. Null for a role that a ' +
        'person or a command gave.',
    }),
    twoFactorEnabled: t.exposeBoolean('twoFactorEnabled', {
      description: 'Whether a sign-in with the password also requires a code of an authenticator app.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time from which the person cannot sign in. Null if it is not disabled.',
    }),
    joinedAt: t.expose('joinedAt', {
      type: 'DateTime',
      description: 'Time at which the person received a role in the project.',
    }),
    signedInAt: t.expose('signedInAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the latest session that has not ended. Null if the person is not signed in.',
    }),
  }),
});

export const InvitationRef = builder.objectRef<PendingInvitation>('Invitation').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Invitation to the project that was not used yet. The secret of its link is stored nowhere.',
  fields: (t) => ({
    invitationId: t.expose('invitationId', {
      type: 'UUID',
      description: 'Id of the invitation, as in the audit log.',
    }),
    email: t.exposeString('email', { description: 'Email address of the invited person.' }),
    name: t.exposeString('name', { description: 'Name of the invited person.' }),
    role: t.expose('role', { type: PersonRoleType, description: 'Role that the person receives.' }),
    createdBy: t.exposeString('createdBy', { description: 'Author: person:ID or command line.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time from which the link is rejected.',
    }),
  }),
});

builder.queryFields((t) => ({
  people: t.field({
    type: [ProjectPersonRef],
    nullable: true,
    description: `People with a role in the project, by email address, at most ${MAX_TEXT}. Errors: \`auth.forbidden\` (API keys, browser tokens, persons below the role admin).`,
    authScopes: { may: 'person.read' },
    complexity: 20,
    resolve: (_root, _args, { viewer, services }) => services.people.list(viewer),
  }),
  invitations: t.field({
    type: [InvitationRef],
    nullable: true,
    description: `Invitations to the project that can be used, the newest first, at most ${MAX_TEXT}. Errors: \`auth.forbidden\` (API keys, browser tokens, persons below the role admin).`,
    authScopes: { may: 'person.read' },
    complexity: 20,
    resolve: (_root, _args, { viewer, services }) => services.people.invitations(viewer),
  }),
}));

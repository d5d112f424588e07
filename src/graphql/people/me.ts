import type { PersonProject } from '../../domain/people/own-projects-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { PERSON_ROLES } from '../../domain/projects/person-role.ts';
import { builder } from '../kernel/builder.ts';
import { valuesOf } from '../kernel/enum-values.ts';
import { Environment, ProjectRef } from '../projects/project.ts';

export const PersonRoleType = builder.enumType('PersonRole', {
  description:
    'Role of a person in a project. ADMIN includes the access of ANALYST, and ANALYST that of VIEWER.',
  values: valuesOf(PERSON_ROLES, {
    viewer: 'Read access to data.',
    analyst: 'Read access, and decisions about accounts and checks.',
    admin: 'The access of an API key with the role OPERATOR.',
  }),
});

const ProjectSummaryRef = builder.objectRef<PersonProject>('ProjectSummary').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Project, as it is shown in a list of projects.',
  fields: (t) => ({
    projectId: t.expose('projectId', {
      type: 'UUID',
      description: 'Id of the project. The header `x-project-id` of a request selects it.',
    }),
    name: t.exposeString('name', { description: 'Name of the project.' }),
    environment: t.expose('environment', { type: Environment, description: 'Environment of the project.' }),
  }),
});

const PersonProjectRef = builder.objectRef<PersonProject>('PersonProject').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Project in which a person has a role.',
  fields: (t) => ({
    role: t.expose('role', { type: PersonRoleType, description: 'Role of the person in the project.' }),
    project: t.field({ type: ProjectSummaryRef, description: 'Project.', resolve: (project) => project }),
  }),
});

type Me = Viewer & Required<Pick<Viewer, 'person' | 'personId' | 'personRole'>>;

const MeRef = builder.objectRef<Me>('Me').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Person who is signed in to the console.',
  fields: (t) => ({
    personId: t.expose('personId', { type: 'UUID', description: 'Id of the person, as in the audit log.' }),
    name: t.string({ description: 'Name.', resolve: ({ person }) => person.name }),
    email: t.string({
      description: 'Email address, with which the person signs in.',
      resolve: ({ person }) => person.email,
    }),
    twoFactorEnabled: t.boolean({
      description: 'Whether a sign-in with the password also requires a code of an authenticator app.',
      resolve: ({ person }) => person.twoFactorEnabled,
    }),
    role: t.field({
      type: PersonRoleType,
      description: 'Role in the project of this request.',
      resolve: ({ personRole }) => personRole,
    }),
    project: t.field({
      type: ProjectRef,
      description: 'Project of this request.',
      resolve: ({ project }) => project,
    }),
    projects: t.field({
      type: [PersonProjectRef],
      description: 'Projects in which the person has a role, by name.',
      resolve: (_me, _args, { viewer, services }) => services.ownProjects.list(viewer),
    }),
    storedData: t.field({
      type: 'JSONObject',
      nullable: true,
      complexity: 100,
      description:
        'All stored data of the person, without secrets: roles, sessions, ways to sign in, passkeys, invitations, reveals, ' +
        'and at most 1,000 own entries of the audit log of each project, the newest first. Null if the person was erased ' +
        'meanwhile.',
      resolve: (_me, _args, { viewer, services }) => services.personData.exportOwn(viewer),
    }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: MeRef,
    nullable: true,
    description:
      'Person who is signed in, in the project of the request. Null for an API key. Errors: `auth.forbidden` (a token).',
    authScopes: { may: 'person.read_own' },
    resolve: (_root, _args, { viewer }) => (viewer.kind === 'person' ? (viewer as Me) : null),
  }),
);

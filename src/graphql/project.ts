import { refusalOf } from '../domain/projects/assert-may.ts';
import type { Project } from '../domain/projects/project.ts';
import type { ProjectSettings } from '../domain/projects/settings.ts';
import type { FaceTemplateCounts } from '../domain/verification/verification-service.ts';
import { uuidOfHex } from '../platform/ids.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';

export const Environment = builder.enumType('Environment', {
  description: 'Kind of a project.',
  values: {
    SANDBOX: { value: 'sandbox', description: 'For tests: sessions and outcomes can be simulated.' },
    PRODUCTION: { value: 'production', description: 'For real accounts.' },
  } as const,
});

export const FaceMatchingType = builder.enumType('FaceMatching', {
  description:
    'Matching level of faces. Costs as measured with 1,227 photographs of 543 people (docs/verification.md, Face accuracy). ' +
    'A search tightens with the number of faces, and every hit of it alone is a hint.',
  values: {
    STANDARD: {
      value: 'standard',
      description:
        '1:1 comparisons take 1.0 % of pairs of strangers for one person (14.2 % of East Asian faces) and miss 3.3 % of the ' +
        'same person. A search among 442 faces misses 55 % of returning people; an East Asian newcomer hits 0.14 strangers.',
    },
    STRICT: {
      value: 'strict',
      description:
        '1:1 comparisons take 0.2 % of pairs of strangers for one person (3.1 % of East Asian faces) and miss 13.0 % of the ' +
        'same person. A search among 442 faces misses 78 % of returning people, and found no stranger. The default.',
    },
  } as const,
});

export const BrowserTokenOperationsType = builder.enumType('BrowserTokenOperations', {
  description: 'Operations that browser tokens may execute.',
  values: {
    ANY: { value: 'any', description: 'All valid GraphQL documents, and REST.' },
    REGISTERED: {
      value: 'registered',
      description:
        'Documents that the project registered, by their SHA-256. A request with the text of a document, and every request ' +
        'by REST, ends with operation.not_registered.',
    },
  } as const,
});

export const ProjectSettingsType = builder.objectRef<ProjectSettings>('ProjectSettings').implement({
  description: 'Settings of a project.',
  fields: (t) => ({
    suspiciousFrom: t.exposeFloat('suspiciousFrom', {
      description: 'Account score from which the decision is Suspicious.',
    }),
    fakeFrom: t.exposeFloat('fakeFrom', { description: 'Account score from which the decision is Fake.' }),
    thresholdsVersion: t.exposeInt('thresholdsVersion', {
      description: 'Version of suspiciousFrom and fakeFrom: raised by one with every change of them.',
    }),
    verificationSuspiciousFrom: t.exposeFloat('verificationSuspiciousFrom', {
      description: 'Risk score from which a verification is Suspicious.',
    }),
    verificationFakeFrom: t.exposeFloat('verificationFakeFrom', {
      description: 'Risk score from which a verification is Fake.',
    }),
    seenFaceDays: t.exposeInt('seenFaceDays', {
      description: 'Days for which faces and documents of verifications are compared with later ones.',
    }),
    faceMatching: t.field({
      type: FaceMatchingType,
      description: 'Matching level of faces, in 1:1 comparisons and in the search of all faces.',
      resolve: (settings) => settings.faceMatching,
    }),
    plainVerificationLinks: t.exposeBoolean('plainVerificationLinks', {
      description:
        'Whether a verification may be started with its session id alone, without the secret of its address.',
    }),
    twoValuedDecision: t.exposeBoolean('twoValuedDecision', {
      description: 'Whether REST folds Suspicious into Real on accounts.',
    }),
    allowedOrigins: t.exposeStringList('allowedOrigins', {
      description: 'Origins whose pages may send requests with a browser token.',
    }),
    browserTokenOperations: t.field({
      type: BrowserTokenOperationsType,
      description: 'Operations that browser tokens may execute, by GraphQL and by REST.',
      resolve: (settings) => settings.browserTokenOperations,
    }),
    introspection: t.exposeBoolean('introspection', {
      description: 'Whether production keys below operator may introspect the schema.',
    }),
    disposableDomains: t.exposeStringList('disposableDomains', {
      description:
        'Mail domains that the project treats as disposable, with their subdomains, in ASCII lower case and in ' +
        `alphabetical order; at most ${LIMITS.emailDomains}.`,
    }),
    trustedDomains: t.exposeStringList('trustedDomains', {
      description:
        'Mail domains that the project trusts whatever public lists say of them, with their subdomains, in ASCII lower ' +
        `case and in alphabetical order; at most ${LIMITS.emailDomains}.`,
    }),
  }),
});

const FaceTemplateCountsType = builder.objectRef<FaceTemplateCounts>('FaceTemplateCounts').implement({
  description: 'Number of face templates of a project, by whether they can be compared.',
  fields: (t) => ({
    comparable: t.exposeInt('comparable', {
      description:
        'Templates of the present version of the face pipeline: enrolled faces and faces that were seen.',
    }),
    pending: t.exposeInt('pending', {
      description: 'Templates of earlier versions that wait to be recomputed from stored images.',
    }),
    notComparable: t.exposeInt('notComparable', {
      description:
        'Templates of earlier versions without a stored image that shows the face. They are never compared.',
    }),
    enrolledNotComparable: t.exposeInt('enrolledNotComparable', {
      description: 'Accounts whose enrolled face is one of notComparable: they have to be enrolled again.',
    }),
  }),
});

export const ProjectRef = builder.objectRef<Project>('Project');

/** No global id contains the project: its own has a pseudonym. */
function keyOf({ cipher, projectId }: Project): string {
  return uuidOfHex(Buffer.from(cipher.pseudonyms('global id').of(projectId), 'base64url').toString('hex'));
}

builder.node(ProjectRef, {
  description: 'Project of the key.',
  id: { resolve: keyOf, description: 'Global id.' },
  // A copy: a node is marked with its type, and the project serves other requests too.
  loadMany: (ids, { viewer }) =>
    ids.map((id) =>
      id === keyOf(viewer.project) && !refusalOf(viewer, 'project.read') ? { ...viewer.project } : null,
    ),
  fields: (t) => ({
    projectId: t.field({ type: 'UUID', description: 'Public id.', resolve: (project) => project.projectId }),
    name: t.exposeString('name', { description: 'Name.' }),
    environment: t.field({
      type: Environment,
      description: 'Kind of the project.',
      resolve: (project) => project.environment,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Creation time.',
      resolve: (project) => project.createdAt,
    }),
    settings: t.field({
      type: ProjectSettingsType,
      description: 'Settings.',
      resolve: (project) => project.settings,
    }),
    faceTemplates: t.field({
      type: FaceTemplateCountsType,
      authScopes: { may: 'project.read_face_templates' },
      description:
        'Number of face templates by whether they can be compared. Errors: `auth.forbidden` (below the ' +
        'role operator).',
      resolve: (_project, _args, { viewer, services }) => services.verifications.countTemplates(viewer),
    }),
  }),
});

builder.queryField('project', (t) =>
  t.field({
    type: ProjectRef,
    nullable: true,
    description: 'Project of the key.',
    authScopes: { may: 'project.read' },
    resolve: (_root, _args, { viewer }) => viewer.project,
  }),
);

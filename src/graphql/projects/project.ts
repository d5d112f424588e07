import { uuidOfHex } from '@vouchgraph/platform/ids';
import { LIMITS } from '@vouchgraph/platform/limits';
import { refusalOf } from '../../domain/projects/assert-may.ts';
import type { Project } from '../../domain/projects/project.ts';
import {
  browserTokenOperationsShape,
  faceMatchingShape,
  type ProjectSettings,
} from '../../domain/projects/settings.ts';
import type { FaceTemplateCounts } from '../../domain/verification/verification-service.ts';
import { builder } from '../kernel/builder.ts';
import { setFieldType } from '../kernel/input-from.ts';

export const Environment = builder.enumType('Environment', {
  description: 'Environment of a project.',
  values: {
    SANDBOX: { value: 'sandbox', description: 'Project for tests. Sessions and outcomes can be simulated.' },
    PRODUCTION: { value: 'production', description: 'Project with real accounts.' },
  } as const,
});

const FaceMatchingType = builder.enumType('FaceMatching', {
  description:
    'Matching level of faces. Error rates are measured with 1,227 photographs of 543 people ' +
    '(docs/verification-accuracy.md, Face accuracy). A search of more faces is stricter. A match of a ' +
    'search alone is only a hint.',
  values: {
    STANDARD: {
      value: 'standard',
      description:
        'Standard level. 1:1 comparisons match 1.0 % of pairs of different people (14.2 % of East Asian ' +
        'faces) and miss 3.3 % of pairs of the same person. A search of 442 faces misses 55 % of ' +
        'returning people. A new East Asian face matches 0.14 other people on average.',
    },
    STRICT: {
      value: 'strict',
      description:
        'Strict level, the default. 1:1 comparisons match 0.2 % of pairs of different people (3.1 % of ' +
        'East Asian faces) and miss 13.0 % of pairs of the same person. A search of 442 faces misses 78 ' +
        '% of returning people, and matched no other person.',
    },
  } as const,
});

const BrowserTokenOperationsType = builder.enumType('BrowserTokenOperations', {
  description: 'Operations that browser tokens may execute.',
  values: {
    ANY: { value: 'any', description: 'All valid GraphQL documents, and REST.' },
    REGISTERED: {
      value: 'registered',
      description:
        'Registered documents of the project, by their SHA-256. A request with the text of a document, ' +
        'and every REST request, is rejected with operation.not_registered.',
    },
  } as const,
});

setFieldType(faceMatchingShape, FaceMatchingType);
setFieldType(browserTokenOperationsShape, BrowserTokenOperationsType);

export const ProjectSettingsType = builder.objectRef<ProjectSettings>('ProjectSettings').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Settings of a project.',
  fields: (t) => ({
    suspiciousFrom: t.exposeFloat('suspiciousFrom', {
      description: 'Minimum account score of the decision SUSPICIOUS, 0 to 1.',
    }),
    fakeFrom: t.exposeFloat('fakeFrom', {
      description: 'Minimum account score of the decision FAKE, 0 to 1.',
    }),
    thresholdsVersion: t.exposeInt('thresholdsVersion', {
      description: 'Version of suspiciousFrom and fakeFrom, incremented by every change of them.',
    }),
    verificationSuspiciousFrom: t.exposeFloat('verificationSuspiciousFrom', {
      description: 'Minimum risk score of a SUSPICIOUS verification, 0 to 1.',
    }),
    verificationFakeFrom: t.exposeFloat('verificationFakeFrom', {
      description: 'Minimum risk score of a FAKE verification, 0 to 1.',
    }),
    seenFaceDays: t.exposeInt('seenFaceDays', {
      description:
        'Number of days for which faces and documents of verifications are compared with later ones.',
    }),
    faceMatching: t.expose('faceMatching', {
      type: FaceMatchingType,
      description: 'Matching level of faces, in 1:1 comparisons and in the search of all faces.',
    }),
    plainVerificationLinks: t.exposeBoolean('plainVerificationLinks', {
      description:
        'Whether a verification may be started with its session id alone, without the secret of its URL.',
    }),
    twoValuedDecision: t.exposeBoolean('twoValuedDecision', {
      description: 'Whether REST returns SUSPICIOUS decisions of accounts as REAL.',
    }),
    allowedOrigins: t.exposeStringList('allowedOrigins', {
      description:
        'Origins to which verifications may redirect, and whose pages may send requests with a browser token. Empty: none in production. A sandbox project accepts all origins.',
    }),
    browserTokenOperations: t.expose('browserTokenOperations', {
      type: BrowserTokenOperationsType,
      description: 'Operations that browser tokens may execute, by GraphQL and by REST.',
    }),
    introspection: t.exposeBoolean('introspection', {
      description: 'Whether keys below the role operator may introspect the schema in production.',
    }),
    disposableDomains: t.exposeStringList('disposableDomains', {
      description:
        'Mail domains that the project treats as disposable, with their subdomains, at most ' +
        `${LIMITS.emailDomains.toLocaleString('en')}. ASCII, lower case, in alphabetical order.`,
    }),
    trustedDomains: t.exposeStringList('trustedDomains', {
      description:
        'Mail domains that the project trusts, overriding public lists, with their subdomains, at most ' +
        `${LIMITS.emailDomains.toLocaleString('en')}. ASCII, lower case, in alphabetical order.`,
    }),
  }),
});

const FaceTemplateCountsType = builder.objectRef<FaceTemplateCounts>('FaceTemplateCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Numbers of comparable and not comparable face templates of a project.',
  fields: (t) => ({
    comparable: t.exposeInt('comparable', {
      description:
        'Number of templates of the current version of the face pipeline: enrolled faces and seen faces. Templates of ' +
        'another version are stale.',
    }),
    pending: t.exposeInt('pending', {
      description: 'Number of stale templates that will be recomputed from stored images.',
    }),
    notComparable: t.exposeInt('notComparable', {
      description: 'Number of stale templates without a stored image of the face. They are never compared.',
    }),
    enrolledNotComparable: t.exposeInt('enrolledNotComparable', {
      description: 'Number of accounts whose enrolled face is in notComparable. They must be enrolled again.',
    }),
  }),
});

export const ProjectRef = builder.objectRef<Project>('Project');

/** No global id contains the project: its own has a pseudonym. */
function keyOf({ cipher, projectId }: Project): string {
  return uuidOfHex(Buffer.from(cipher.pseudonyms('global id').of(projectId), 'base64url').toString('hex'));
}

builder.node(ProjectRef, {
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Project of the key.',
  id: { resolve: keyOf, description: 'Global id.' },
  // A copy: a node is marked with its type, and the project serves other requests too.
  loadMany: (ids, { viewer }) =>
    ids.map((id) =>
      id === keyOf(viewer.project) && !refusalOf(viewer, 'project.read') ? { ...viewer.project } : null,
    ),
  fields: (t) => ({
    projectId: t.expose('projectId', { type: 'UUID', description: 'Public id of the project.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    environment: t.expose('environment', { type: Environment, description: 'Environment of the project.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    settings: t.expose('settings', { type: ProjectSettingsType, description: 'Settings.' }),
    faceTemplates: t.field({
      type: FaceTemplateCountsType,
      authScopes: { may: 'project.read_face_templates' },
      description:
        'Numbers of comparable and not comparable face templates. Errors: `auth.forbidden` (below the ' +
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

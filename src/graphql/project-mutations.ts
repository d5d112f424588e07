import type { Project } from '../domain/projects/project.ts';
import type { ProjectSettings } from '../domain/projects/settings.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';
import { BrowserTokenOperationsType, FaceMatchingType, ProjectRef, ProjectSettingsType } from './project.ts';

const UpdateProjectSettingsInput = builder.inputType('UpdateProjectSettingsInput', {
  description: 'Settings to change. Null or absent: unchanged.',
  fields: (t) => ({
    suspiciousFrom: t.float({
      description: 'Minimum account score of the decision Suspicious, 0 to 1. At most fakeFrom.',
    }),
    fakeFrom: t.float({ description: 'Minimum account score of the decision Fake, 0 to 1.' }),
    verificationSuspiciousFrom: t.float({
      description:
        'Minimum risk score of a Suspicious verification, 0 to 1. At most verificationFakeFrom. ' +
        'Completed verifications do not change.',
    }),
    verificationFakeFrom: t.float({
      description: 'Minimum risk score of a Fake verification, 0 to 1.',
    }),
    seenFaceDays: t.int({
      description:
        'Number of days for which faces and documents are compared with later ones, 1 to ' +
        `${LIMITS.seenFaceDays}.`,
    }),
    faceMatching: t.field({
      type: FaceMatchingType,
      description:
        'Matching level of faces, from the next comparison on. Completed checks and existing links do ' +
        'not change.',
    }),
    plainVerificationLinks: t.boolean({
      description: 'Whether a verification may be started with its session id alone.',
    }),
    twoValuedDecision: t.boolean({
      description: 'Whether REST returns Suspicious decisions of accounts as Real.',
    }),
    allowedOrigins: t.stringList({
      description:
        `Origins whose pages may send requests with a browser token, at most ${LIMITS.allowedOrigins}, ` +
        'replacing the stored ones. Empty: no origin. An origin has only scheme, host and port, such as ' +
        'https://shop.example. http is accepted for localhost only.',
    }),
    browserTokenOperations: t.field({
      type: BrowserTokenOperationsType,
      description:
        'Operations that browser tokens may execute, by GraphQL and by REST. Running subscriptions continue.',
    }),
    introspection: t.boolean({
      description: 'Whether keys below the role operator may introspect the schema in production.',
    }),
  }),
});

const UpdateProjectSettingsPayload = builder
  .objectRef<{ requestId: string; project: Project; settings: ProjectSettings }>(
    'UpdateProjectSettingsPayload',
  )
  .implement({
    description: 'Changed project.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      project: t.field({
        type: ProjectRef,
        description: 'Project after the change.',
        resolve: (payload) => payload.project,
      }),
      settings: t.field({
        type: ProjectSettingsType,
        description: 'All settings after the change.',
        resolve: (payload) => payload.settings,
      }),
    }),
  });

/** Given values; null is treated as absent. */
function givenOf({
  suspiciousFrom,
  fakeFrom,
  verificationSuspiciousFrom,
  verificationFakeFrom,
  seenFaceDays,
  faceMatching,
  plainVerificationLinks,
  twoValuedDecision,
  allowedOrigins,
  browserTokenOperations,
  introspection,
}: (typeof UpdateProjectSettingsInput)['$inferInput']) {
  return {
    suspiciousFrom: suspiciousFrom ?? undefined,
    fakeFrom: fakeFrom ?? undefined,
    verificationSuspiciousFrom: verificationSuspiciousFrom ?? undefined,
    verificationFakeFrom: verificationFakeFrom ?? undefined,
    seenFaceDays: seenFaceDays ?? undefined,
    faceMatching: faceMatching ?? undefined,
    plainVerificationLinks: plainVerificationLinks ?? undefined,
    twoValuedDecision: twoValuedDecision ?? undefined,
    allowedOrigins: allowedOrigins ?? undefined,
    browserTokenOperations: browserTokenOperations ?? undefined,
    introspection: introspection ?? undefined,
  };
}

builder.mutationField('updateProjectSettings', (t) =>
  t.field({
    type: UpdateProjectSettingsPayload,
    nullable: true,
    description:
      'Changes settings of the project in one transaction. Decisions and pages use them from the next ' +
      'request on, in other gateways within a second. Stored decisions do not change. Errors: ' +
      '`input.invalid`.',
    authScopes: { may: 'settings.update' },
    args: {
      input: t.arg({ type: UpdateProjectSettingsInput, required: true, description: 'Settings to change.' }),
    },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId, services } = context;
      const settings = await services.settings.update(viewer, requestId, givenOf(input));
      // The fields that follow in the same document use the new settings.
      context.viewer = { ...viewer, project: { ...viewer.project, settings } };
      return { requestId, project: context.viewer.project, settings };
    },
  }),
);

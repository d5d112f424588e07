import type { Project } from '../domain/projects/project.ts';
import type { ProjectSettings } from '../domain/projects/settings.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';
import { BrowserTokenOperationsType, FaceMatchingType, ProjectRef, ProjectSettingsType } from './project.ts';

const UpdateProjectSettingsInput = builder.inputType('UpdateProjectSettingsInput', {
  description: 'Settings to change. Null and absent fields keep their value.',
  fields: (t) => ({
    suspiciousFrom: t.float({
      description: 'Account score from which the decision is Suspicious: 0 to 1, at most fakeFrom.',
    }),
    fakeFrom: t.float({ description: 'Account score from which the decision is Fake: 0 to 1.' }),
    verificationSuspiciousFrom: t.float({
      description:
        'Risk score from which a verification is Suspicious: 0 to 1, at most verificationFakeFrom. Completed ones stay.',
    }),
    verificationFakeFrom: t.float({
      description: 'Risk score from which a verification is Fake: 0 to 1.',
    }),
    seenFaceDays: t.int({
      description: `Days for which faces and documents are compared with later ones: 1 to ${LIMITS.seenFaceDays}.`,
    }),
    faceMatching: t.field({
      type: FaceMatchingType,
      description:
        'Matching level of faces, from the next comparison on. Completed checks and existing links stay.',
    }),
    plainVerificationLinks: t.boolean({
      description: 'Whether a verification may be started with its session id alone.',
    }),
    twoValuedDecision: t.boolean({ description: 'Whether REST folds Suspicious into Real on accounts.' }),
    allowedOrigins: t.stringList({
      description:
        'Origins whose pages may send requests with a browser token; replaces all, and an empty list allows none. Scheme, host ' +
        `and port alone, such as https://shop.example; http on localhost only; at most ${LIMITS.allowedOrigins}.`,
    }),
    browserTokenOperations: t.field({
      type: BrowserTokenOperationsType,
      description:
        'Operations that browser tokens may execute, by GraphQL and by REST. Running subscriptions continue.',
    }),
    introspection: t.boolean({
      description: 'Whether production keys below operator may introspect the schema.',
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
      'Changes settings of the project in one step. Decisions and pages follow them from the next ' +
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

import type { Project } from '../../domain/projects/project.ts';
import { type ProjectSettings, settingsChangeShape } from '../../domain/projects/settings.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { payloadType } from '../kernel/payload.ts';
import { ProjectRef, ProjectSettingsType } from './project.ts';

const UpdateProjectSettingsInput = inputFrom(settingsChangeShape, { validates: false });

/** The payload of a mutation of settings. */
export const settingsPayload = (name: string) =>
  payloadType<{ project: Project; settings: ProjectSettings }>(
    name,
    'Changed project.',
    { subjects: 'none' },
    (t) => ({
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
  );

/** The payload with changed settings, which later fields of the same document use. */
export function withSettings(context: GraphQLContext, settings: ProjectSettings) {
  const { viewer, requestId } = context;
  context.viewer = { ...viewer, project: { ...viewer.project, settings } };
  return { requestId, project: context.viewer.project, settings };
}

const UpdateProjectSettingsPayload = settingsPayload('UpdateProjectSettingsPayload');

builder.mutationField('updateProjectSettings', (t) =>
  t.field({
    isIdempotent: false,
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
      return withSettings(context, await services.settings.update(viewer, requestId, input));
    },
  }),
);

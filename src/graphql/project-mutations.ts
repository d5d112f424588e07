import type { Project } from '../domain/projects/project.ts';
import { type ProjectSettings, settingsChangeShape } from '../domain/projects/settings.ts';
import { builder } from './builder.ts';
import { inputFrom } from './input-from.ts';
import { ProjectRef, ProjectSettingsType } from './project.ts';

const UpdateProjectSettingsInput = inputFrom(settingsChangeShape, { validates: false });

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

builder.mutationField('updateProjectSettings', (t) =>
  t.field({
    type: UpdateProjectSettingsPayload,
    nullable: true,
    description:
      'Changes settings of the project in one step. Decisions and pages follow them from the next request on, in other ' +
      'gateways within a second. Stored decisions do not change. Errors: input.invalid.',
    authScopes: { may: 'settings.update' },
    args: {
      input: t.arg({ type: UpdateProjectSettingsInput, required: true, description: 'Settings to change.' }),
    },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId, services } = context;
      const settings = await services.settings.update(viewer, requestId, input);
      // The fields that follow in the same document use the new settings.
      context.viewer = { ...viewer, project: { ...viewer.project, settings } };
      return { requestId, project: context.viewer.project, settings };
    },
  }),
);

import type { Project } from '../domain/projects/project.ts';
import type { ProjectSettings } from '../domain/projects/settings.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';
import { ProjectRef, ProjectSettingsType } from './project.ts';

const UpdateEmailDomainsInput = builder.inputType('UpdateEmailDomainsInput', {
  description: `Domains to add to and to remove from the project's own, at most ${LIMITS.emailDomains} in each field.`,
  fields: (t) => ({
    addDisposable: t.stringList({
      description: 'Domains to treat as disposable, such as trash.example.com; subdomains are covered.',
    }),
    removeDisposable: t.stringList({
      description: 'Domains to treat by the public lists again; an absent one is ignored.',
    }),
    addTrusted: t.stringList({
      description: 'Domains to trust whatever the public lists say; subdomains are covered.',
    }),
    removeTrusted: t.stringList({ description: 'Domains to trust no more; an absent one is ignored.' }),
  }),
});

const UpdateEmailDomainsPayload = builder
  .objectRef<{ requestId: string; project: Project; settings: ProjectSettings }>('UpdateEmailDomainsPayload')
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
        description: 'All settings after the change, with both lists of domains.',
        resolve: (payload) => payload.settings,
      }),
    }),
  });

builder.mutationField('updateEmailDomains', (t) =>
  t.field({
    type: UpdateEmailDomainsPayload,
    nullable: true,
    description:
      "Adds and removes single mail domains of the project's own lists, all of the input or nothing; " +
      'concurrent changes are all kept. Removals come first, so that one change moves a domain between ' +
      'the lists. International domains are stored in ASCII. Accounts and checks follow from the next ' +
      'request on, in other gateways within a second; results of completed checks stay. Errors: ' +
      '`input.invalid` for a name that is not a domain, a public suffix such as `co.uk`, a domain in ' +
      `both lists, or more than ${LIMITS.emailDomains} domains in a list.`,
    authScopes: { may: 'settings.update_email_domains' },
    args: {
      input: t.arg({
        type: UpdateEmailDomainsInput,
        required: true,
        description: 'Domains to add and to remove.',
      }),
    },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId, services } = context;
      const settings = await services.settings.updateEmailDomains(viewer, requestId, {
        addDisposable: input.addDisposable ?? undefined,
        removeDisposable: input.removeDisposable ?? undefined,
        addTrusted: input.addTrusted ?? undefined,
        removeTrusted: input.removeTrusted ?? undefined,
      });
      // The fields that follow in the same document use the new settings.
      context.viewer = { ...viewer, project: { ...viewer.project, settings } };
      return { requestId, project: context.viewer.project, settings };
    },
  }),
);

import type { Project } from '../domain/projects/project.ts';
import type { ProjectSettings } from '../domain/projects/settings.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';
import { ProjectRef, ProjectSettingsType } from './project.ts';

const UpdateEmailDomainsInput = builder.inputType('UpdateEmailDomainsInput', {
  description:
    `Mail domains to add to and remove from the lists of the project, at most ${LIMITS.emailDomains} in ` +
    'each field.',
  fields: (t) => ({
    addDisposable: t.stringList({
      description: 'Domains to treat as disposable, such as trash.example.com. Includes subdomains.',
    }),
    removeDisposable: t.stringList({
      description:
        'Domains to remove from the disposable domains of the project. Public lists apply to them again. ' +
        'A domain that is not listed is ignored.',
    }),
    addTrusted: t.stringList({
      description: 'Domains to trust, overriding public lists. Includes subdomains.',
    }),
    removeTrusted: t.stringList({
      description:
        'Domains to remove from the trusted domains of the project. A domain that is not listed is ignored.',
    }),
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
      'Adds and removes mail domains of the project in one transaction. Concurrent changes are all ' +
      'kept. Removals precede additions, so one call can move a domain between the lists. International ' +
      'domains are stored in ASCII. Accounts and checks use the new lists from the next request on, in ' +
      'other gateways within a second. Results of completed checks do not change. Errors: ' +
      '`input.invalid` (a name that is not a domain, a public suffix such as co.uk, a domain in both ' +
      `lists, or more than ${LIMITS.emailDomains} domains in a list).`,
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

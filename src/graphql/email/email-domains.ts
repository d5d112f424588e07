import { LIMITS } from '@vouchgraph/platform/limits';
import { emailDomainsChangeShape } from '../../domain/projects/email-domains.ts';
import { builder } from '../kernel/builder.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { settingsPayload, withSettings } from '../projects/project-mutations.ts';

const UpdateEmailDomainsInput = inputFrom(emailDomainsChangeShape, { validates: false });

const UpdateEmailDomainsPayload = settingsPayload('UpdateEmailDomainsPayload');

builder.mutationField('updateEmailDomains', (t) =>
  t.field({
    isIdempotent: true,
    type: UpdateEmailDomainsPayload,
    nullable: true,
    description:
      'Adds and removes mail domains of the project in one transaction. Concurrent calls do not ' +
      'overwrite each other. Removals precede additions, so one call can move a domain between the ' +
      'lists. International domains are stored in ASCII. Accounts and checks use the new lists from the ' +
      'next request on, in other gateways within a second. Results of completed checks do not change. ' +
      `Errors: \`input.invalid\` (a name that is not a domain, a public suffix such as co.uk, a domain ` +
      `in both lists, or more than ${LIMITS.emailDomains.toLocaleString('en')} domains in a list).`,
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
      return withSettings(context, await services.settings.updateEmailDomains(viewer, requestId, input));
    },
  }),
);

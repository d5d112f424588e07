import { authenticateSessionShape, updateAccountShape } from '@vouchgraph/decisions';
import { accountIdShape } from '@vouchgraph/platform/account-id';
import { bodyFrom } from '@vouchgraph/rest';
import { addSessionFactsShape, createSessionShape } from '@vouchgraph/signals';
import { identityShape } from '@vouchgraph/verification';
import { z } from 'zod';
import { createListShape, moveAccountsShape, updateListShape } from '../../../domain/lists/list-input.ts';

/*
 * Request bodies as REST clients send them: snake_case, null like absent, unknown keys ignored. The schema behind
 * them validates again. Errors found here contain the client's field names, and the shapes are part of openapi.json.
 */

/** Example body of the reference. */
const SESSION_EXAMPLE = '01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61';
const ACCOUNT_EXAMPLE = {
  email: 'ada@example.com',
  phone: '+14155552671',
  first_name: 'Ada',
  last_name: 'Lovelace',
  username: 'ada',
  expected_countries: ['FR'],
  metadata: { plan: 'free' },
};

export const authenticateBody = bodyFrom(authenticateSessionShape, {
  names: { accountId: 'id' },
  example: { session_id: SESSION_EXAMPLE, account: { id: 'ada', ...ACCOUNT_EXAMPLE } },
});

export const sessionBody = z
  .object({ session_id: z.string().describe('Id of the session.') })
  .meta({ example: { session_id: SESSION_EXAMPLE } });

export const verifyBody = bodyFrom(identityShape, {
  omit: ['accountId'],
  example: { session_id: SESSION_EXAMPLE },
}).meta({ id: 'VerifyBody' });

export const identityBody = bodyFrom(identityShape, {
  example: { session_id: SESSION_EXAMPLE, account_id: 'user-42' },
}).meta({ id: 'VerifyAccountBody' });

export const updateAccountBody = bodyFrom(updateAccountShape, {
  omit: ['accountId'],
  extra: { id: accountIdShape.nullish().describe('Id of the account. Must equal the id of the path.') },
  example: ACCOUNT_EXAMPLE,
});

const LIST_EXAMPLE = { list_description: 'Customers that we know in person' };

export const listBody = bodyFrom(createListShape, {
  omit: ['name', 'effect'],
  names: { description: 'list_description' },
  example: LIST_EXAMPLE,
});

const { description: listDescription } = updateListShape.shape;

/** `description` is the name that the list is answered with. */
export const updateListBody = z
  .object({
    list_description: listDescription,
    description: listDescription.describe(
      'Description under the key of answers. If both keys are sent, their values must be equal.',
    ),
  })
  .superRefine(({ list_description, description }, context) => {
    if (list_description == null || description == null || list_description === description) return;
    const message = 'must equal list_description when both are given';
    context.addIssue({ code: 'custom', path: ['description'], message });
  })
  .meta({ example: LIST_EXAMPLE });

export const moveAccountsBody = bodyFrom(moveAccountsShape, {
  omit: ['sourceList'],
  example: { account_ids: ['ada', 'grace'], target_list: 'allow' },
});

const projectId = z.string().nullish().describe('Public id of the project. Required without a key.');

/** Components of facts have the names of the inputs without their last word. */
const factsComponent = (id: string): string => id.replace(/FactsInput$/, 'Facts');

export const createSessionBody = bodyFrom(createSessionShape, {
  component: factsComponent,
  groups: { facts: '', simulated: 'Sandbox with a key only. ' },
  extra: {
    project_id: projectId,
    browser_token: z
      .string('must be text')
      .max(512)
      .nullish()
      .describe(
        'Signed id of the browser from an earlier answer. A page stores it if the browser rejects the ' +
          'cookie.',
      ),
  },
  example: { ip_address: '90.54.1.1', browser: { language: 'fr-FR' }, device: { cpu_cores: 8 } },
});

export const addFactsBody = bodyFrom(addSessionFactsShape, {
  omit: ['sessionId'],
  component: factsComponent,
  groups: { facts: '' },
  extra: { project_id: projectId },
  example: { bot: { mouse_num_events: 12 } },
});

import { ALL_TOKEN_SCOPES, type TokenScope, VERIFICATION_SCOPES } from '@vouchgraph/events';
import type { KeyRole } from './api-key.ts';
import type { PersonRole } from './person-role.ts';

/**
 * Permissions of browser tokens for an action: the scopes of which a token needs one, and the reach of a token limited to
 * one account or session.
 *
 * - `project`: only tokens of the project may do it.
 *
 * - `own`: a limited token may do it if the target is within its limit.
 *
 * - `narrowed`: the service restricts the result for a limited token to its account or session.
 */
export type TokenAccess = {
  readonly scopes: readonly TokenScope[];
  readonly reach: 'project' | 'own' | 'narrowed';
  /** Scopes of which a token needs one besides. */
  readonly also?: readonly TokenScope[];
};

export type Access = {
  /** Lowest role of a key; null: no key. */
  readonly role: KeyRole | null;
  /** Lowest role of a person of the console; null: no person. An admin may do what an operator key may. */
  readonly people: PersonRole | null;
  /** Null: no token may do it. */
  readonly tokens: TokenAccess | null;
  /** Whether a page with the project's public id, or with the token of a session that it opened, may do it. */
  readonly collector?: true;
  /** Whether an app with the secret of a verification session may do it, to that session. */
  readonly secret?: true;
  /** Message for a viewer below the role; by default it names the role. */
  readonly refusal?: string;
  /** Description of the action, for the matrix in docs/authorization.md. */
  readonly description: string;
};

const may = (
  role: KeyRole,
  tokens: TokenAccess | null,
  description: string,
  more: Partial<Access> = {},
): Access => ({
  role,
  tokens,
  people: role === 'read' ? 'viewer' : 'admin',
  description,
  ...more,
});
const tokensOf =
  (reach: TokenAccess['reach']) =>
  (...scopes: readonly TokenScope[]): TokenAccess => ({ scopes, reach });
const project = tokensOf('project');
const own = tokensOf('own');
const narrowed = tokensOf('narrowed');
const read = (description: string, more?: Partial<Access>) => may('read', null, description, more);
const write = (description: string, more?: Partial<Access>) => may('server', null, description, more);
const operate = (description: string, more?: Partial<Access>) => may('operator', null, description, more);
/** For administrators of the console: a key would outlive the person that created it. */
const people = (description: string): Access => ({
  role: null,
  people: 'admin',
  tokens: null,
  refusal: 'No API key manages people: an administrator of the project does, in the console',
  description,
});

const COLLECTOR = { collector: true } as const;
/** For work on single accounts and checks, which analysts do; an admin decides what changes a whole project. */
const ANALYST = { people: 'analyst' } as const;

/**
 * All actions of services for a viewer, with the permissions. The table is closed: a service method names its action
 * (assert-may.ts), and so does every root field of the schema. Routes of REST inherit it from the fields.
 */
export const ACTIONS = {
  'account.read': may(
    'read',
    narrowed('ACCOUNT', 'LINKS'),
    'Read an account by its id, with its scores and sessions.',
  ),
  'account.search': may('read', project('ACCOUNT'), 'Search and list accounts.'),
  'account.update': write('Change the fields of an account.'),
  'account.delete': write('Erase an account.'),
  'account.export': operate('Export all stored data of an account.'),
  'account.bind_verification': write('Bind the session of a verification to an account.', ANALYST),
  'account.import': operate('Store an account from another system.'),
  'account.rebuild': operate('Recalculate identifiers and links of an account.'),

  'session.create': {
    role: null,
    people: null,
    tokens: null,
    collector: true,
    description: 'Open a session from a page.',
  },
  'session.simulate': write('Create a simulated session, in sandbox projects.'),
  'session.add_facts': write('Add facts to an open session.', COLLECTOR),
  'session.complete': write('Complete a session.', COLLECTOR),
  'session.authenticate': write('Authenticate an account with a session.'),
  'session.score': write('Score a session without an account.', ANALYST),
  'session.read': may('read', narrowed('ACCOUNT'), 'Read a session by its id.'),
  'session.read_accounts': may(
    'read',
    own('ACCOUNT'),
    'Read which accounts a session is bound to; a token sees its own account.',
  ),
  'session.search': may('read', project('ACCOUNT'), 'Search and list sessions.'),

  'link.list': may('read', narrowed('LINKS'), 'List the accounts that an account is linked to.'),
  'link.read': may('read', narrowed('LINKS'), 'Read evidence, graphs and paths of links.'),
  'link.compare': read('Read why two accounts are not linked.'),
  'identity_group.read': read('Read identity groups.'),
  'decision.read': read('Read decisions and their traces.'),
  'decision.replay': read('Repeat a decision from its stored inputs.'),

  'list.read': read('Read lists, their members and removals with keepOff.'),
  'list.read_by_id': may(
    'read',
    narrowed('ACCOUNT'),
    'Read a list by its global id; a token reads lists of the accounts that it reads.',
  ),
  'list.subscribe': read('Subscribe to changes of lists.'),
  'list.create': write('Create a list.', ANALYST),
  'list.update': write('Change a list.'),
  'list.delete': write('Delete a list.'),
  'list.change_members': write('Add, remove and move accounts of lists.', ANALYST),

  'rule.read': read('Read rules with their versions and matches.'),
  'rule.read_built_in': read('Read the built-in rules.'),
  'rule.create': operate('Create a rule.'),
  'rule.update': operate('Change a rule.'),
  'rule.test': operate('Test a condition on a session.'),
  'backtest.read': read('Read backtests.'),
  'backtest.run': operate('Start a backtest.'),
  'backtest.cancel': operate('Cancel a backtest.'),
  'backtest.add_matches': operate('Add the accounts that a backtest matched to a list.'),

  'outcome.read': read('Read reported outcomes and labels of accounts.'),
  'outcome.report': write('Report the outcome of an account.', ANALYST),
  'outcome.retract': write('Retract a reported outcome.', ANALYST),
  'stats.read': read('Read the statistics of the project.'),
  'stats.rebuild': operate('Recompute the statistics of the project.'),

  'verification.create': write('Create a verification session.'),
  'verification.create_by_link': {
    role: null,
    people: null,
    tokens: null,
    collector: true,
    description: 'Create a verification session from the public link of the project.',
  },
  'verification.capture': write('Upload and submit the images of a verification session.', { secret: true }),
  'verification.read': may(
    'read',
    narrowed(...VERIFICATION_SCOPES),
    'Read a verification session by its id.',
  ),
  'verification.search': may('read', own(...VERIFICATION_SCOPES), 'Search and list verification sessions.'),
  'verification.verify': write('Read the result of a completed check.', ANALYST),
  'verification.enroll': write('Enroll the face of a completed check for an account.'),
  'verification.read_reviews': read('Read the reviews of a verification session.'),
  'verification.review': operate('Approve or reject a completed check, or clear the review.', ANALYST),
  'verification.replace_face': operate('Replace the enrolled face of an account.', {
    refusal: 'Replacing an enrolled face requires a key with the role operator',
  }),

  'email_check.create': write('Check email addresses.', ANALYST),
  'email_check.read': read('Read email checks and their batches.'),
  'email_check.read_row': read('Read email checks that are rows of an import.', {
    refusal: 'Rows of an import require a key',
  }),
  'email_check.subscribe': read('Subscribe to completed email checks and batches.'),
  'email_check.erase': operate('Erase all email checks of a mailbox.'),
  'email_import.write': write('Upload a file of email addresses, or continue an upload.'),
  'email_import.read': read('Read imports of email addresses, their problems and results.'),
  'email_import.read_result': read('Read the file with the results of an import, which is not masked.', {
    people: null,
  }),
  'email_import.erase': write('Erase an import of email addresses.'),

  'phone.check': read('Check a phone number.'),
  'phone.check_by_rest': write('Check a phone number by REST, which requires the role server.', ANALYST),
  'phone.read_history': read('Read the history of a phone number in the project.'),

  'event.read': may('read', narrowed('EVENTS'), 'Read events.'),
  'event.subscribe': may('read', narrowed('EVENTS'), 'Subscribe to events.'),
  'event.subscribe_accounts': may(
    'read',
    { ...narrowed('EVENTS'), also: ['ACCOUNT'] },
    'Subscribe to changes of accounts.',
  ),
  'event.subscribe_links': may(
    'read',
    { ...narrowed('EVENTS'), also: ['LINKS'] },
    'Subscribe to new links of accounts.',
  ),
  'event.subscribe_verifications': may(
    'read',
    { ...narrowed('EVENTS'), also: VERIFICATION_SCOPES },
    'Subscribe to ends of verification sessions.',
  ),
  'webhook.read': operate('Read webhook endpoints, their deliveries and attempts.'),
  'webhook.manage': operate('Create, change, test and delete webhook endpoints, and resend deliveries.'),

  'personal_data.reveal': {
    role: null,
    people: 'analyst',
    tokens: null,
    description: 'See the personal data of an account, session or check for an hour. Keys always see it.',
  },
  'personal_data.open_media': {
    role: null,
    people: 'analyst',
    tokens: null,
    description: 'Open an image or a video of a revealed verification. Keys receive signed URLs.',
  },
  'project.read': read('Read the project and its settings.'),
  'project.read_face_templates': operate('Read the number of face templates.'),
  'settings.update': operate('Change settings of the project.'),
  'settings.update_email_domains': operate('Change the email domains of the project.'),
  'demonstration_data.read': read('Read the state of the demonstration data.'),
  'demonstration_data.manage': operate('Create and remove demonstration data, in sandbox projects.'),
  'operation.read': operate('Read the registered GraphQL operations.'),
  'operation.register': operate('Register GraphQL operations.'),
  'operation.delete': operate('Delete registered GraphQL operations.'),
  'audit.read': operate('Read the audit log.'),
  'audit.erase': operate('Erase personal values of entries of the audit log.'),
  'api_key.read': operate('Read the API keys of the project, without the keys themselves.'),
  'calibration.read': operate('Read the calibrations of the project.'),
  // A browser token expires with the key that created it, and a person has none. What a token reads is not masked.
  'browser_token.create': write('Create a browser token of an account or a session.', { people: null }),
  'browser_token.create_for_project': operate('Create a browser token of the project.', {
    people: null,
    refusal: 'project: A browser token of the project requires a key with the role operator',
  }),
  'person.read_own': read('Read the own person with its projects and stored data; null for a key.'),
  'person.read': people('Read the people of the project and its invitations.'),
  'person.manage': people('Invite people to the project, change their roles, reset, disable and erase them.'),
  'node.read': may('read', narrowed(...ALL_TOKEN_SCOPES), 'Read objects by their global ids.'),
} as const satisfies Record<string, Access>;

export type Action = keyof typeof ACTIONS;

/** Access of an action, without the literal types of its row. */
export function accessOf(action: Action): Access {
  return ACTIONS[action];
}

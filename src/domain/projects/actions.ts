import type { KeyRole } from './api-key.ts';

/**
 * What browser tokens may do. They read on behalf of a page, and can be limited to an account, a session or both.
 *
 * - `none`: no token may do it.
 * - `unlimited`: only tokens without a limit.
 * - `own`: tokens without a limit, and limited ones where the target is what they are limited to.
 * - `narrowed`: every token. The service answers a limited one with what it is limited to: the rest does not exist for it.
 */
export type TokenAccess = 'none' | 'unlimited' | 'own' | 'narrowed';

export type Access = {
  /** Lowest role of a key; null: no key. */
  readonly role: KeyRole | null;
  readonly tokens: TokenAccess;
  /** Whether a page with the project's public id, or with the token of a session that it opened, may do it. */
  readonly collector?: true;
  /** Whether an app with the secret of a verification session may do it, to that session. */
  readonly secret?: true;
  /** Whether the refusal of a limited token names its limit, rather than both limits that there are. */
  readonly namesLimit?: true;
  /** Message for a viewer below the role; by default it names the role. */
  readonly refusal?: string;
  /** What the action does, for the matrix in docs/authorization.md. */
  readonly description: string;
};

const may = (
  role: KeyRole,
  tokens: TokenAccess,
  description: string,
  more: Partial<Access> = {},
): Access => ({
  role,
  tokens,
  description,
  ...more,
});
const write = (description: string, more?: Partial<Access>) => may('server', 'none', description, more);
const operate = (description: string, more?: Partial<Access>) => may('operator', 'none', description, more);

const COLLECTOR = { collector: true } as const;

/**
 * Everything that services do for a viewer, and who may do it. The table is closed: a service method names its action
 * (assert-may.ts), and so does every root field of the schema, whose rows of REST inherit it.
 */
export const ACTIONS = {
  'account.read': may('read', 'narrowed', 'Read an account by its id, with its scores and sessions.'),
  'account.search': may('read', 'unlimited', 'Search and list accounts.'),
  'account.update': write('Change the fields of an account.'),
  'account.delete': write('Erase an account.'),
  'account.bind_verification': write('Bind the session of a verification to an account.'),
  'account.import': operate('Store an account from another system.'),
  'account.rebuild': operate('Recalculate identifiers and links of an account.'),

  'session.create': {
    role: null,
    tokens: 'none',
    collector: true,
    description: 'Open a session from a page.',
  },
  'session.simulate': write('Create a simulated session, in sandbox projects.'),
  'session.add_facts': write('Add facts to an open session.', COLLECTOR),
  'session.complete': write('Complete a session.', COLLECTOR),
  'session.authenticate': write('Authenticate an account with a session.'),
  'session.score': write('Score a session without an account.'),
  'session.read': may('read', 'narrowed', 'Read a session by its id.'),
  'session.read_accounts': may(
    'read',
    'own',
    'Read which accounts a session is bound to; a token sees its own account.',
  ),
  'session.search': may('read', 'unlimited', 'Search and list sessions.'),

  'link.list': may('read', 'unlimited', 'List the accounts that an account is linked to.', {
    namesLimit: true,
  }),
  'link.read': may('read', 'unlimited', 'Read evidence, graphs and paths of links.'),
  'identity_group.read': may('read', 'unlimited', 'Read identity groups.'),
  'decision.read': may('read', 'unlimited', 'Read decisions and their traces.'),
  'decision.replay': may('read', 'unlimited', 'Repeat a decision from its stored inputs.'),

  'list.read': may('read', 'unlimited', 'Read lists, their members and removals with keepOff.'),
  'list.subscribe': may('read', 'unlimited', 'Subscribe to changes of lists.'),
  'list.create': write('Create a list.'),
  'list.update': write('Change a list.'),
  'list.delete': write('Delete a list.'),
  'list.change_members': write('Add, remove and move accounts of lists.'),

  'rule.read': may('read', 'unlimited', 'Read rules with their versions and matches.'),
  'rule.read_built_in': may('read', 'narrowed', 'Read the rules that come with the service.'),
  'rule.create': operate('Create a rule.'),
  'rule.update': operate('Change a rule.'),
  'rule.test': operate('Test a condition on a session.'),
  'backtest.read': may('read', 'unlimited', 'Read backtests.'),
  'backtest.run': operate('Start a backtest.'),
  'backtest.cancel': operate('Cancel a backtest.'),

  'verification.create': write('Create a verification session.'),
  'verification.create_by_link': {
    role: null,
    tokens: 'none',
    collector: true,
    description: "Create a verification session by the project's public link.",
  },
  'verification.capture': write('Upload and submit the images of a verification session.', { secret: true }),
  'verification.read': may('read', 'narrowed', 'Read a verification session by its id.'),
  'verification.search': may('read', 'own', 'Search and list verification sessions.'),
  'verification.verify': write('Read the result of a completed check.'),
  'verification.enroll': write('Enroll the face of a completed check for an account.'),
  'verification.replace_face': operate('Replace the enrolled face of an account.', {
    refusal: 'Replacing an enrolled face requires a key with the role operator',
  }),

  'email_check.create': write('Check email addresses.'),
  'email_check.read': may('read', 'unlimited', 'Read email checks and their batches.'),
  'email_check.read_row': may('read', 'none', 'Read email checks that are rows of an import.', {
    refusal: 'Rows of an import require a key',
  }),
  'email_check.subscribe': may('read', 'unlimited', 'Subscribe to completed email checks and batches.'),
  'email_check.erase': operate('Erase all email checks of a mailbox.'),
  'email_import.write': write('Upload a file of email addresses, or continue an upload.'),
  // A file contains a whole customer list: no token reads it.
  'email_import.read': may('read', 'none', 'Read imports of email addresses, their problems and results.'),
  'email_import.erase': write('Erase an import of email addresses.'),

  'phone.check': may('read', 'unlimited', 'Check a phone number.'),
  'phone.check_by_rest': write('Check a phone number by REST, whose documented endpoint requires the role.'),
  'phone.read_history': may('read', 'unlimited', 'Read what the project stored of a phone number.'),

  'event.read': may('read', 'narrowed', 'Read events.'),
  'event.subscribe': may('read', 'narrowed', 'Subscribe to events.'),
  'webhook.read': operate('Read webhook endpoints, their deliveries and attempts.'),
  'webhook.manage': operate('Create, change, test and delete webhook endpoints, and resend deliveries.'),

  'project.read': may('read', 'narrowed', 'Read the project and its settings.'),
  'project.read_face_templates': operate('Read the number of face templates.'),
  'settings.update': operate('Change settings of the project.'),
  'settings.update_email_domains': operate('Change the mail domains of the project.'),
  'operation.read': operate('Read the registered GraphQL operations.'),
  'operation.register': operate('Register GraphQL operations.'),
  'operation.delete': operate('Delete registered GraphQL operations.'),
  'audit.read': operate('Read the audit log.'),
  'api_key.read': operate('Read the API keys of the project, without the keys themselves.'),
  'calibration.read': operate('Read the calibrations of the project.'),
  'browser_token.create': write('Create a browser token.'),
  'node.read': may('read', 'narrowed', 'Read objects by their global ids.'),
} as const satisfies Record<string, Access>;

export type Action = keyof typeof ACTIONS;

/** Access of an action, without the literal types of its row. */
export function accessOf(action: Action): Access {
  return ACTIONS[action];
}

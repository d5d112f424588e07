/** Everything that writes a line of the audit log. The table is closed: a change names its action here. */
export const AUDIT_ACTIONS = {
  'project.create': 'A project was created.',
  'key.create': 'An API key was created.',
  'key.revoke': 'An API key was revoked.',
  'settings.update': 'Settings of the project were changed.',
  'settings.update_email_domains': 'Mail domains of the project were added or removed.',
  'list.create': 'A list was created.',
  'list.update': 'The description or the effect of a list was changed.',
  'list.delete': 'A list was deleted.',
  'list.add_accounts': 'Accounts were added to a list.',
  'list.remove_accounts': 'Accounts were removed from a list.',
  'list.move_accounts': 'Accounts were moved from one list to another.',
  'list.lift_keep_off': 'Rules may add accounts to a list again.',
  'list.add_pending_account': 'A list got an entry that waits for an account.',
  'list.remove_pending_account': 'An entry of a list that waited for an account was removed.',
  'rule.create': 'A rule was created.',
  'rule.update': 'A rule was changed.',
  'rule.backtest': 'A backtest was started.',
  'rule.backtest_cancel': 'A backtest was cancelled.',
  'calibration.fit': 'A calibration was fitted and stored.',
  'calibration.retire': 'A calibration was retired.',
  'account.export': 'A page of the export of an account was read.',
  'account.delete': 'An account was erased.',
  'verification.review': 'A verification was approved or rejected by a reviewer, or its review was cleared.',
  'outcome.report': 'An outcome of an account was reported.',
  'outcome.retract': 'A reported outcome of an account was retracted.',
  'email.erase': 'Email checks of a mailbox were erased.',
  'email_import.erase': 'An import of email addresses was erased.',
  'operation.register': 'GraphQL documents were registered.',
  'operation.delete': 'Registered GraphQL documents were deleted.',
  'webhook.create': 'A webhook endpoint was created.',
  'webhook.update': 'A webhook endpoint was changed.',
  'webhook.delete': 'A webhook endpoint was deleted.',
  'webhook.rotate_secret': 'The signing secret of a webhook endpoint was rotated.',
  'webhook.resend': 'Deliveries were sent again.',
  'webhook.test': 'A test event was sent.',
  'webhook.disable': 'A webhook endpoint was disabled after its receiver refused or failed.',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

const ACTOR_KINDS = ['KEY', 'RULE', 'COMMAND_LINE', 'SYSTEM'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Kind of an actor, which is stored as text: the visible prefix of a key, `rule:NAME`, `command line` or another name. */
export function actorKindOf(actor: string): ActorKind {
  if (actor.startsWith('rule:')) return 'RULE';
  if (/^vg_(test|live)_/.test(actor)) return 'KEY';
  return actor === 'command line' ? 'COMMAND_LINE' : 'SYSTEM';
}

/** Everything that writes a line of the audit log. The table is closed: a change names its action here. */
export const AUDIT_ACTIONS = {
  'project.create': 'Creation of a project.',
  'key.create': 'Creation of an API key.',
  'key.revoke': 'Revocation of an API key.',
  'settings.update': 'Change of settings of the project.',
  'settings.update_email_domains': 'Addition or removal of email domains of the project.',
  'list.create': 'Creation of a list.',
  'list.update': 'Change of the description or the effect of a list.',
  'list.delete': 'Deletion of a list.',
  'list.add_accounts': 'Addition of accounts to a list.',
  'list.remove_accounts': 'Removal of accounts from a list.',
  'list.move_accounts': 'Move of accounts from one list to another.',
  'list.lift_keep_off': 'Permission for rules to add accounts to a list again.',
  'list.add_pending_account': 'Addition of a pending membership to a list.',
  'list.remove_pending_account': 'Removal of a pending membership from a list.',
  'rule.create': 'Creation of a rule.',
  'rule.update': 'Change of a rule.',
  'rule.backtest': 'Start of a backtest.',
  'rule.backtest_cancel': 'Cancellation of a backtest.',
  'calibration.fit': 'Fit of a calibration, which was stored.',
  'calibration.retire': 'Removal of the current calibration, which restores the previous one.',
  'account.export': 'Read of a page of the export of an account.',
  'account.delete': 'Erasure of an account.',
  'verification.review':
    'Approval or rejection of a verification by a reviewer, or withdrawal of the review.',
  'outcome.report': 'Report of an outcome of an account.',
  'outcome.retract': 'Retraction of a reported outcome of an account.',
  'email.erase': 'Erasure of the email checks of a mailbox.',
  'email_import.erase': 'Erasure of an import of email addresses.',
  'audit.erase': 'Erasure of personal values of audit entries.',
  'demonstration_data.create': 'Creation of demonstration data.',
  'demonstration_data.remove': 'Removal of demonstration data.',
  'personal_data.reveal':
    'Reveal of the personal data of an account, session or check to a person, for an hour.',
  'personal_data.end_reveal': 'End of a reveal before its hour was over.',
  'personal_data.open_media': 'Opening of an image or a video of a verification by a person.',
  'person.invite': 'Invitation of a person to the project by a link.',
  'person.withdraw_invitation': 'Withdrawal of an invitation.',
  'person.enter': 'Use of an invitation by a person, who received its role.',
  'person.set_role':
    'Change of the role of a person, by an administrator, a command, or claims of a provider.',
  'person.remove': 'Removal of a person from the project.',
  'person.reset': 'End of all sessions of a person, with a link to choose another password.',
  'person.disable': 'Deactivation of a person, whose sessions ended.',
  'person.enable': 'Reactivation of a person.',
  'person.delete': 'Erasure of a person.',
  'operation.register': 'Registration of GraphQL documents.',
  'operation.delete': 'Deletion of registered GraphQL documents.',
  'webhook.create': 'Creation of a webhook endpoint.',
  'webhook.update': 'Change of a webhook endpoint.',
  'webhook.delete': 'Deletion of a webhook endpoint.',
  'webhook.rotate_secret': 'Rotation of the signing secret of a webhook endpoint.',
  'webhook.resend': 'Resending of webhook deliveries.',
  'webhook.test': 'Sending of a test event.',
  'webhook.disable':
    'Deactivation of a webhook endpoint whose receiver answered 410 or failed for five days.',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export const ACTOR_KINDS = ['KEY', 'PERSON', 'RULE', 'COMMAND_LINE', 'SYSTEM'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/**
 * Kind of an actor, which is stored as text: the visible prefix of a key, `person:ID`, `rule:NAME`, `command line` or another name.
 * `ACTOR_KIND` of audit-store.ts is the same in SQL.
 */
export function actorKindOf(actor: string): ActorKind {
  if (actor.startsWith('rule:')) return 'RULE';
  if (actor.startsWith('person:')) return 'PERSON';
  if (/^vg_(test|live)_/.test(actor)) return 'KEY';
  return actor === 'command line' ? 'COMMAND_LINE' : 'SYSTEM';
}

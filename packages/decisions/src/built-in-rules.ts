import type { RuleAction, Trigger } from './rule.ts';

/** A rule to begin with: it is copied into a project, and from then on is the project's own. */
export type BuiltInRule = {
  /** Never changes. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly trigger: Trigger;
  /** As text. */
  readonly expression: string;
  readonly actions: readonly RuleAction[];
};

export const BUILT_IN_RULES: readonly BuiltInRule[] = [
  {
    key: 'age_under_16',
    name: 'Younger than 16',
    description: 'Blocks an account if the holder of the document is younger than 16.',
    trigger: 'ID_CHECK_COMPLETED',
    expression: 'verification.id_age < 16',
    actions: [{ addToList: 'block' }],
  },
  {
    key: 'age_under_18',
    name: 'Younger than 18',
    description: 'Blocks an account if the holder of the document is younger than 18.',
    trigger: 'ID_CHECK_COMPLETED',
    expression: 'verification.id_age < 18',
    actions: [{ addToList: 'block' }],
  },
  {
    key: 'repeat_face',
    name: 'Face of another account',
    description:
      'Blocks an account if another account of its group has the same face and shares other evidence.',
    trigger: 'FACE_CHECK_COMPLETED',
    expression: 'verification.face_of_another_account = true',
    actions: [{ addToList: 'block' }],
  },
  {
    key: 'repeat_document',
    name: 'Document of another account',
    description:
      'Blocks an account if another account of its group used the document, or it was used with the face of another person.',
    trigger: 'ID_CHECK_COMPLETED',
    expression: 'verification.document_of_another_account = true',
    actions: [{ addToList: 'block' }],
  },
  {
    key: 'disposable_email_and_vpn',
    name: 'Disposable email behind a VPN',
    description: 'Flags an account with a disposable email address and a session through a VPN.',
    trigger: 'ANY_SESSION',
    expression: 'account.email.disposable = true AND session.risk_signals.vpn = true',
    actions: [{ raiseFlag: 'disposable_email_and_vpn' }],
  },
  {
    key: 'many_accounts_per_device',
    name: 'Many accounts on one device',
    description:
      'Flags an account if more than 5 accounts used its device within a day. Edit the condition to change the number.',
    trigger: 'ANY_SESSION',
    expression: 'velocity.accounts_per_device_1d > 5',
    actions: [{ raiseFlag: 'many_accounts_per_device' }],
  },
  {
    key: 'impossible_travel_and_new_device',
    name: 'Impossible travel and a new device',
    description: 'Flags an account with impossible travel and a device that it did not use before.',
    trigger: 'ANY_SESSION',
    expression: 'session.risk_signals.impossible_travel = true AND session.is_new_device = true',
    actions: [{ raiseFlag: 'impossible_travel_and_new_device' }],
  },
  {
    key: 'digital_id',
    name: 'Digital document',
    description: 'Flags an account that presented a digital document instead of a physical one.',
    trigger: 'ID_CHECK_COMPLETED',
    expression: 'verification.is_digital_id = true',
    actions: [{ raiseFlag: 'digital_id' }],
  },
];

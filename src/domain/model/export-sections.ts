/** Sections of the export of an account, in their order. */
export const EXPORT_SECTIONS = {
  account: 'Account: personal fields, expected countries, times, counts and averages.',
  identifiers:
    'Identifiers of the account, as keyed hashes by kind. Blocking keys, which find accounts with near-equal emails and dates of birth, have no times.',
  sessions: 'Sessions bound to the account, with their facts, results and scores of the binding.',
  fraud_sightings: 'Networks of sessions with a FAKE decision, as keyed hashes.',
  links: 'Links to other accounts, under pseudonyms.',
  identity_groups: 'Identity group of the account.',
  list_memberships: 'Lists that contain the account, with reasons.',
  list_keep_offs: 'Lists to which rules do not add the account.',
  pending_list_memberships: 'Pending memberships of the account.',
  decisions: 'Decisions on the account, with their inputs.',
  rule_matches: 'Rule matches.',
  outcomes: 'Reported outcomes, with notes.',
  verifications:
    'Verification sessions with consent, results, document data, reviews and signed URLs of images and videos.',
  face_templates: 'Face descriptors that are enrolled for the account or were read in its checks.',
  documents: 'Documents that were read in checks, as keyed hashes.',
  email_checks: 'Checks of the email addresses of the account, with claims and results.',
  events:
    'Events of the account with their data, and the types of events of other accounts that name the ' +
    'account.',
  webhook_deliveries: 'Webhook deliveries of the events of the account. Their bodies are the events.',
  reveals:
    'Reveals of the account, its sessions, verifications and email checks to persons of the console, with reasons.',
} as const satisfies Record<string, string>;

export type ExportSection = keyof typeof EXPORT_SECTIONS;

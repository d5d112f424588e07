/** Sections of the export of an account, in their order. */
export const EXPORT_SECTIONS = {
  account: 'The account: personal fields, expected countries, times, counts and averages.',
  identifiers: 'Identifiers that the account was seen with, as keyed hashes by kind.',
  sessions: 'Sessions bound to the account, with their facts, results and scores of the binding.',
  fraud_sightings: 'Networks of sessions that were decided FAKE, as keyed hashes.',
  links: 'Links to other accounts, which appear under a pseudonym.',
  identity_groups: 'Identity group of the account.',
  list_memberships: 'Lists that contain the account, with reasons.',
  list_keep_offs: 'Lists to which rules do not add the account.',
  pending_list_memberships: 'Memberships that wait for the account.',
  decisions: 'Decisions on the account, with their inputs.',
  rule_matches: 'Matches of rules.',
  outcomes: 'Reported outcomes, with notes.',
  verifications:
    'Verification sessions with consent, results, document data, reviews and signed URLs of images and videos.',
  face_templates: 'Descriptors of faces that are enrolled for the account or were seen in its checks.',
  documents: 'Documents that were seen in checks, as keyed hashes.',
  email_checks: 'Checks of the addresses of the account, with claims and results.',
  events: 'Events of the account with their data, and the kinds of events of other accounts that name it.',
  webhook_deliveries: 'Deliveries of these events to webhook endpoints, whose bodies are the events.',
} as const satisfies Record<string, string>;

export type ExportSection = keyof typeof EXPORT_SECTIONS;

/** Limits of the interface, stated in the documents and enforced by every face. */
export const LIMITS = {
  /** Longest time for which faces and documents of verifications are compared with later ones. */
  seenFaceDays: 3650,
  /** Longest address that a verification page returns to. */
  redirectUrlLength: 2000,
  accountIdLength: 256,
  emailLength: 320,
  phoneLength: 32,
  nameLength: 256,
  usernameLength: 256,
  groupLength: 256,
  /** Id numbers of an account: those that its client states, and those of its documents. */
  idNumbers: 10,
  idNumberLength: 64,
  /** Letters and digits, without which a number is none. */
  minIdNumberDigits: 3,
  metadataBytes: 16 * 1024,
  metadataDepth: 8,
  expectedCountries: 250,
  listsPerRequest: 100,
  listNameLength: 128,
  listDescriptionLength: 1024,
  listReasonLength: 1024,
  /** Records of a page of the export of an account. */
  exportedRecords: 100,
  accountsPerListCall: 1000,
  requestBodyBytes: 256 * 1024,
  requestBodyDepth: 64,
  emailsPerBatch: 1000,
  emailBatchNameLength: 256,
  /** Of a request that checks emails: 1,000 addresses with claims. */
  emailBodyBytes: 2 * 1024 * 1024,
  emailWaitSeconds: 10,
  pageSize: 100,
  /** Objects of a connection are counted up to this number. */
  countedObjects: 10_000,
  linksPerAccount: 1500,
  accountsFromDomain: 1000,
  browserTokenSeconds: 3600,
  allowedOrigins: 100,
  /** Of each list of a project's own mail domains. */
  emailDomains: 1000,
  /** Registered GraphQL operations of a project. */
  operations: 1000,
  operationBytes: 32 * 1024,
  /** Of all registered operations of a project. */
  operationsBytes: 4 * 1024 * 1024,
  sessionHours: 24,
  /** Of the facts of a session as JSON: those it was opened with, and all that were added. */
  sessionFactsBytes: 32 * 1024,
  subscriptionsPerSocket: 100,
  waitingBytesPerSubscriber: 1024 * 1024,
} as const;

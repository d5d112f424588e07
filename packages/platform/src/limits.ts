/** Limits of the interface, documented and enforced by every protocol. */
export const LIMITS = {
  /** Maximum time for which faces and documents of verifications are compared with later ones. */
  seenFaceDays: 3650,
  /** Maximum length of the redirect URL of a verification page. */
  redirectUrlLength: 2000,
  accountIdLength: 256,
  emailLength: 320,
  phoneLength: 32,
  nameLength: 256,
  usernameLength: 256,
  groupLength: 256,
  /** Id numbers of an account, separately from the client and from documents. */
  idNumbers: 10,
  idNumberLength: 64,
  /** Minimum number of letters and digits of an id number. */
  minIdNumberDigits: 3,
  metadataBytes: 16 * 1024,
  metadataDepth: 8,
  expectedCountries: 250,
  listsPerRequest: 100,
  listNameLength: 128,
  listDescriptionLength: 1024,
  listReasonLength: 1024,
  /** Records per page of the export of an account. */
  exportedRecords: 100,
  accountsPerListCall: 1000,
  requestBodyBytes: 256 * 1024,
  requestBodyDepth: 64,
  emailsPerBatch: 1000,
  emailBatchNameLength: 256,
  /** Body of a request that checks emails: 1,000 addresses with claims. */
  emailBodyBytes: 2 * 1024 * 1024,
  emailWaitSeconds: 10,
  pageSize: 100,
  /** Objects of a connection are counted up to this number. */
  countedObjects: 10_000,
  linksPerAccount: 1500,
  accountsFromDomain: 1000,
  browserTokenSeconds: 3600,
  allowedOrigins: 100,
  /** Entries of each list of a project's own mail domains. */
  emailDomains: 1000,
  /** Registered GraphQL operations per project. */
  operations: 1000,
  operationBytes: 32 * 1024,
  /** Total size of the registered operations of a project. */
  operationsBytes: 4 * 1024 * 1024,
  sessionHours: 24,
  /** Facts of a session as JSON, initial and added. */
  sessionFactsBytes: 32 * 1024,
  subscriptionsPerSocket: 100,
  /** A message counts once more for each full number of bytes against the budgets of sockets. */
  bytesPerCountedMessage: 4 * 1024,
  /** Seconds of its budget that a socket can use at once after a pause. */
  socketBurstSeconds: 5,
  keyBurstSeconds: 10,
  /** Longest time for which a socket can send more than its budget; then it is closed. */
  socketExcessSeconds: 10,
  /** HTTP requests of one address that were sent before the answer to the request before. */
  pipelinedRequestsPerSecond: 50,
  pipelinedRequestsAtOnce: 100,
  waitingBytesPerSubscriber: 1024 * 1024,
} as const;

/* Documents of the public schema that the commands of accounts run. */

import { RISK_SCORE_KEYS } from '@vouchgraph/signals';

const SCORES = `{ ${RISK_SCORE_KEYS.join(' ')} }`;
const CODE = '{ code confidence contributions observed source }';
const REASONS = `decisionTrace { winner byScore suspiciousFrom fakeFrom list { name effect reason actor expiresAt }
      rule { name version } requiredVerification { kind ruleName } }
    decisions(first: 1) { edges { node { flags rules { name } } } }
    riskSignalAverage ${SCORES}
    lastSession { riskSignalScores ${SCORES} riskSignalDetails { network ${CODE} device ${CODE} } }
    emailFacts { emailScore riskSignals trustSignals }`;

export const ACCOUNT = `query Account($id: ID!) {
  account(accountId: $id) { accountId email phone firstName lastName username group country decision accountScore
    riskSignalScore botScore multipleAccounts accountsLinked numSessions createdAt firstSeen lastSeen lastSessionId
    lists { name effect } keptOffLists { list { name } since actor }
    outcomeLabel reportedOutcomes(first: 20) { edges { node { outcome at note actor reportedAt } } }
    ${REASONS} } }`;

export const LINKED_ACCOUNTS = `query LinkedAccounts($id: ID!, $first: Int!, $after: String) {
  account(accountId: $id) { linkedAccounts(first: $first, after: $after) {
    edges { score matchTypes firstSeen lastSeen evidence { kind weight maskedValue sharedBy capped }
      node { accountId decision accountScore } }
    pageInfo { hasNextPage endCursor } } } }`;

export const ACCOUNTS = `query Accounts($first: Int!, $after: String, $filter: AccountFilter, $orderBy: AccountOrder) {
  accounts(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
    edges { node { accountId decision accountScore country numSessions createdAt lastSeen lists { name } } }
    pageInfo { hasNextPage endCursor } } }`;

const CHANGED = 'accountId isPending removedFrom lists { name } account { decision accountScore }';

export const BLOCK_ACCOUNT = `mutation BlockAccount($input: BlockAccountInput!) { changed: blockAccount(input: $input) { ${CHANGED} } }`;
export const ALLOW_ACCOUNT = `mutation AllowAccount($input: AllowAccountInput!) { changed: allowAccount(input: $input) { ${CHANGED} } }`;
export const CLEAR_ACCOUNT = `mutation ClearAccount($input: ClearAccountInput!) { changed: clearAccount(input: $input) { ${CHANGED} } }`;

export const REPORT_OUTCOME = `mutation ReportOutcome($input: ReportOutcomeInput!) {
  reportOutcome(input: $input) { isNew outcome { id accountId outcome at note actor reportedAt } account { outcomeLabel } } }`;

export const EXPORT_ACCOUNT = `mutation ExportAccount($input: ExportAccountInput!) {
  exportAccount(input: $input) { records { section data } endCursor } }`;

/** A tab of GraphiQL: operations, and their variables as JSON. */
export type ExampleTab = { readonly query: string; readonly variables?: string };

/** The page replaces an empty sessionId by that of a simulated session: see fetcher.ts. */
const EMPTY_SESSION = '{\n  "sessionId": ""\n}\n';

const ACCOUNTS = `# A query. Run it with the button or Ctrl-Enter.
# The other tabs contain a mutation, a subscription,
# two operations on rules, and operator queries.
query Accounts {
  project { name environment }
  accounts(
    first: 10
    orderBy: { field: LAST_SEEN, direction: DESC }
  ) {
    edges {
      node {
        accountId
        decision
        accountScore
        lastSeen
        linkedAccounts(first: 5) {
          edges {
            score
            matchTypes
            node { accountId }
          }
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`;

const AUTHENTICATE = `# A mutation: two accounts with the same phone in
# one session. If the variable sessionId is empty,
# the page creates a simulated session for each run.
mutation Authenticate($sessionId: ID!) {
  alice: authenticateSession(
    input: {
      sessionId: $sessionId
      account: {
        accountId: "example-alice"
        phone: "+14155550142"
      }
    }
  ) {
    decision
    account { accountId accountScore }
  }
  mallory: authenticateSession(
    input: {
      sessionId: $sessionId
      account: {
        accountId: "example-mallory"
        phone: "+14155550142"
      }
    }
  ) {
    decision
    account {
      accountId
      accountScore
      multipleAccounts
      linkedAccounts(first: 5) {
        edges {
          score
          evidence { kind maskedValue weight }
          node { accountId }
        }
      }
    }
    session {
      sessionId
      network { ipAddress serviceProvider }
      riskSignalScores { vpn datacenter }
    }
  }
}
`;

const WATCH = `# A subscription: receives events over WebSocket.
# Run it, then press "Sample visit" at the top of
# the page to emit an event.
subscription Watch {
  events {
    type
    createdAt
    accountId
    account { decision accountScore }
    cursor
  }
}
`;

const TEST_RULE = `# Tests a rule on a session, without changes. If
# the variable sessionId is empty, the page uses its
# latest simulated session, or creates one.
query TestRule($sessionId: ID!) {
  testRule(
    sessionId: $sessionId
    expression: """
    account.multiple_accounts >= 0.5
    OR session.risk_signals.vpn
    """
  ) {
    matched
    facts
    trace { text outcome reason }
  }
}
`;

const CREATE_RULE = `# Creates a rule that only records matches (SHADOW).
# Names are unique: change the name for a second run.
mutation CreateRule {
  createRule(
    input: {
      name: "Several accounts or VPN"
      trigger: ANY_SESSION
      expression: """
      account.multiple_accounts >= 0.5
      OR session.risk_signals.vpn
      """
      state: SHADOW
    }
  ) {
    rule { id name ruleState expression }
  }
}
`;

const OPERATORS = `# Queries for operators. Select one with the run
# button, or place the cursor in it and press
# Ctrl-Enter.

# Reasons of the decision, and linked accounts.
# Null if the account does not exist
query WhyThisAccount($id: ID = "example-alice") {
  account(accountId: $id) {
    decision
    accountScore
    riskSignalScore
    botScore
    multipleAccounts
    lastSession {
      network { ipAddress serviceProvider }
      riskSignalDetails {
        network { code observed contributions }
        device { code observed contributions }
      }
    }
    linkedAccounts(first: 10) {
      edges {
        score
        evidence { kind sharedBy weight }
        node { accountId decision }
      }
    }
    identityGroup { groupId size }
  }
}

# Accounts within two links of the latest account
query Around {
  accounts(
    first: 1
    orderBy: { field: LAST_SEEN, direction: DESC }
  ) {
    edges {
      node {
        accountId
        linkedAccounts(first: 10) {
          edges {
            score
            node {
              accountId
              linkedAccounts(first: 5) {
                edges { score node { accountId } }
              }
            }
          }
        }
      }
    }
  }
}

# Accounts with this phone number
query ByPhone($phone: String = "+14155550142") {
  accounts(filter: { phone: $phone }) {
    edges { node { accountId phone lastSeen } }
  }
}

# Sessions from data centers
query FromDatacenters {
  sessions(
    first: 10
    filter: { connectionType: HOSTING }
  ) {
    edges {
      node {
        sessionId
        startTime
        accountIds
        network { serviceProvider }
        riskSignalScores { datacenter vpn tor }
      }
    }
  }
}
`;

/** The tabs of the first visit, in this order. All run without errors in an empty sandbox project. */
export const EXAMPLE_TABS: readonly ExampleTab[] = [
  { query: ACCOUNTS },
  { query: AUTHENTICATE, variables: EMPTY_SESSION },
  { query: WATCH },
  { query: TEST_RULE, variables: EMPTY_SESSION },
  { query: CREATE_RULE },
  { query: OPERATORS },
];

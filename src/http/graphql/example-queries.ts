/** Queries that GraphiQL shows first, one for each question of an operator. Each runs without errors in an empty project. */
export const exampleQueries = `# Vouchgraph. Put your key into the headers below:  { "x-api-key": "vg_test_..." }
# Each query runs in an empty project too; place the cursor in one and press Ctrl-Enter.

query Me {
  project { projectId name environment settings { suspiciousFrom fakeFrom } }
}

# Who was seen last, and what they are taken for
query LatestAccounts {
  accounts(first: 10, orderBy: { field: LAST_SEEN, direction: DESC }) {
    edges { node { accountId decision accountScore accountsLinked lastSeen country lists { name } } }
    pageInfo { hasNextPage endCursor }
  }
}

# Why this account, and who else it is; null while there is no such account
query WhyThisAccount($id: ID = "alice") {
  account(accountId: $id) {
    decision accountScore riskSignalScore botScore multipleAccounts
    lastSession {
      network { ipAddress serviceProvider connectionType }
      riskSignalDetails { network { code observed contributions } device { code observed contributions } }
    }
    linkedAccounts(first: 10) {
      edges { score matchTypes evidence { kind maskedValue sharedBy weight } node { accountId decision } }
    }
    identityGroup { groupId size }
  }
}

# Accounts around the one seen last, over two links
query Around {
  accounts(first: 1, orderBy: { field: LAST_SEEN, direction: DESC }) {
    edges {
      node {
        accountId
        linkedAccounts(first: 10) {
          edges { score matchTypes node { accountId decision linkedAccounts(first: 5) { edges { score node { accountId } } } } }
        }
      }
    }
  }
}

# Who uses this phone number
query ByPhone($phone: String = "+14155552671") {
  accounts(filter: { phone: $phone }) { edges { node { accountId phone lastSeen } } }
}

# Sessions from datacenters
query FromDatacenters {
  sessions(first: 10, filter: { connectionType: HOSTING }) {
    edges { node { sessionId startTime accountIds network { serviceProvider } riskSignalScores { datacenter vpn tor } } }
  }
}

# Two more, for ids of your own accounts; unknown ones are the error account.not_found
#   { linkGraph(accountId: "alice", depth: 2) { nodes { key depth account { accountId decision } } edges { from to score matchTypes } truncated } }
#   { whyNotLinked(a: "alice", b: "bob") { linked score threshold reasons evidence { kind maskedValue sharedBy weight capped } } }
`;

/** What GraphiQL shows first: one query for each question that an operator asks. */
export const exampleQueries = `# Vouchgraph. Put your key into the headers below:  { "x-api-key": "vg_test_..." }

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

# Why this account, and who else it is
query WhyThisAccount($id: ID = "alice") {
  account(id: $id) {
    decision accountScore riskSignals bot multipleAccounts
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

# Who is around an account
query Around($id: ID! = "alice") {
  linkGraph(accountId: $id, depth: 2) {
    nodes { depth account { accountId decision } }
    edges { from to score matchTypes }
    truncated
  }
}

# What two accounts share, and why it is not enough
query WhyNotLinked($a: ID! = "alice", $b: ID! = "bob") {
  whyNotLinked(a: $a, b: $b) { linked score threshold reasons evidence { kind maskedValue sharedBy weight capped } }
}

# Who uses this phone number
query ByPhone($phone: String = "+14155552671") {
  accounts(filter: { phone: $phone }) { edges { node { accountId phone lastSeen } } }
}

# Sessions from datacenters
query FromDatacenters {
  sessions(first: 10, filter: { connectionType: "hosting" }) {
    edges { node { sessionId startTime accountIds network { serviceProvider } riskSignalScores { datacenter vpn tor } } }
  }
}
`;

import { graphql } from 'relay-runtime';

graphql`
  query DocumentsAccountsQuery($group: String, $first: Int, $last: Int) {
    ...DocumentsAccounts_query @arguments(group: $group, first: $first, last: $last)
  }
`;

graphql`
  fragment DocumentsAccounts_query on Query
  @refetchable(queryName: "DocumentsAccountsPageQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
    group: { type: "String" }
  ) {
    accounts(first: $first, after: $after, last: $last, before: $before, filter: { group: $group })
      @connection(key: "Documents_accounts") {
      edges {
        node {
          id
          accountId
          decision
        }
      }
    }
  }
`;

graphql`
  query DocumentsAccountQuery($accountId: ID!, $first: Int, $last: Int) {
    account(accountId: $accountId) {
      id
      username
      decision
      emailFacts {
        email
      }
      ...DocumentsLinks_account @arguments(first: $first, last: $last)
    }
  }
`;

graphql`
  fragment DocumentsLinks_account on Account
  @refetchable(queryName: "DocumentsLinksPageQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  ) {
    id
    linkedAccounts(first: $first, after: $after, last: $last, before: $before)
      @connection(key: "Documents_linkedAccounts") {
      edges {
        score
        matchTypes
        node {
          id
          accountId
        }
      }
    }
  }
`;

graphql`
  query DocumentsEndpointQuery($id: ID!, $first: Int, $last: Int) {
    webhookEndpoint(id: $id) {
      id
      ...DocumentsDeliveries_endpoint @arguments(first: $first, last: $last)
    }
  }
`;

graphql`
  fragment DocumentsDeliveries_endpoint on WebhookEndpoint
  @refetchable(queryName: "DocumentsDeliveriesPageQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  ) {
    id
    deliveries(first: $first, after: $after, last: $last, before: $before) @connection(key: "Documents_deliveries") {
      edges {
        node {
          id
          eventType
          deliveryState
        }
      }
    }
  }
`;

graphql`
  query DocumentsRuleQuery($id: ID!, $first: Int, $last: Int) {
    rule(id: $id) {
      id
      ...DocumentsMatches_rule @arguments(first: $first, last: $last)
    }
  }
`;

graphql`
  fragment DocumentsMatches_rule on Rule
  @refetchable(queryName: "DocumentsMatchesPageQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  ) {
    id
    matches(first: $first, after: $after, last: $last, before: $before) @connection(key: "Documents_matches") {
      edges {
        node {
          id
          accountId
        }
      }
    }
  }
`;

graphql`
  subscription DocumentsEventsSubscription($accountId: ID, $after: String) {
    events(accountId: $accountId, after: $after) {
      id
      type
      account {
        id
        username
        decision
        emailFacts {
          email
        }
      }
      ... on AccountAuthenticatedEvent {
        decision
        accountSnapshot {
          username
          decision
          emailFacts {
            email
          }
        }
      }
    }
  }
`;

import { graphql } from 'relay-runtime';

graphql`
  query DocumentsAccountsQuery($group: String, $count: Int) {
    ...DocumentsAccounts_query @arguments(group: $group, count: $count)
  }
`;

graphql`
  fragment DocumentsAccounts_query on Query
  @refetchable(queryName: "DocumentsAccountsPageQuery")
  @argumentDefinitions(
    count: { type: "Int", defaultValue: 2 }
    cursor: { type: "String" }
    group: { type: "String" }
  ) {
    accounts(first: $count, after: $cursor, filter: { group: $group }) @connection(key: "Documents_accounts") {
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
  query DocumentsAccountQuery($accountId: ID!) {
    account(accountId: $accountId) {
      id
      username
      decision
      ...DocumentsLinks_account
    }
  }
`;

graphql`
  fragment DocumentsLinks_account on Account
  @refetchable(queryName: "DocumentsLinksPageQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) {
    id
    linkedAccounts(first: $count, after: $cursor) @connection(key: "Documents_linkedAccounts") {
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
  query DocumentsLastAccountsQuery($group: String) {
    ...DocumentsLastAccounts_query @arguments(group: $group)
  }
`;

graphql`
  fragment DocumentsLastAccounts_query on Query
  @refetchable(queryName: "DocumentsLastAccountsPageQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int", defaultValue: 2 }
    before: { type: "String" }
    group: { type: "String" }
  ) {
    accounts(first: $first, after: $after, last: $last, before: $before, filter: { group: $group })
      @connection(key: "DocumentsLast_accounts") {
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
  query DocumentsEndpointQuery($id: ID!) {
    webhookEndpoint(id: $id) {
      id
      ...DocumentsDeliveries_endpoint
    }
  }
`;

graphql`
  fragment DocumentsDeliveries_endpoint on WebhookEndpoint
  @refetchable(queryName: "DocumentsDeliveriesPageQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) {
    id
    deliveries(first: $count, after: $cursor) @connection(key: "Documents_deliveries") {
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
  query DocumentsRuleQuery($id: ID!) {
    rule(id: $id) {
      id
      ...DocumentsMatches_rule
    }
  }
`;

graphql`
  fragment DocumentsMatches_rule on Rule
  @refetchable(queryName: "DocumentsMatchesPageQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) {
    id
    matches(first: $count, after: $cursor) @connection(key: "Documents_matches") {
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
      }
      ... on AccountAuthenticatedEvent {
        decision
        accountSnapshot {
          username
          decision
        }
      }
    }
  }
`;

/* Documents of the public schema that the commands of webhooks run. */

const ENDPOINT = `id endpointId url description eventTypes signatureFormat signatureKey ratePerMinute endpointState disabledReason
  failingSince createdAt`;

export const ENDPOINTS = `query Endpoints($first: Int!, $after: String) {
  webhookEndpoints(first: $first, after: $after) { edges { node { ${ENDPOINT} } } pageInfo { hasNextPage endCursor } } }`;

export const ENDPOINT_BY_ID = `query Endpoint($id: ID!) { webhookEndpoint(id: $id) { ${ENDPOINT} } }`;

export const CREATE_ENDPOINT = `mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { ${ENDPOINT} } secret } }`;

export const UPDATE_ENDPOINT = `mutation UpdateEndpoint($input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(input: $input) { endpoint { ${ENDPOINT} } } }`;

export const ROTATE_SECRET = `mutation RotateSecret($id: ID!) {
  rotateWebhookSecret(input: { id: $id }) { endpoint { ${ENDPOINT} previousSecretUntil } secret } }`;

export const SEND_TEST = `mutation SendTest($input: SendTestWebhookInput!) {
  sendTestWebhook(input: $input) { endpoint { endpointId url } eventId delivered status durationMs error responseBody } }`;

export const RESEND_DELIVERY = `mutation ResendDelivery($id: ID!) {
  resendWebhookDelivery(input: { id: $id }) { delivery { id } } }`;

export const RESEND_SINCE = `mutation ResendSince($input: ResendWebhooksSinceInput!) {
  resendWebhooksSince(input: $input) { count endCursor } }`;

export const ATTEMPTS = `query Attempts($first: Int!, $after: String, $since: DateTime) {
  webhookAttempts(first: $first, after: $after, since: $since) {
    edges { node { attemptId at status durationMs error
      delivery { deliveryId endpointId eventId eventType deliveryState attemptCount nextAttemptAt
        endpoint { url description } } } }
    pageInfo { hasNextPage endCursor } } }`;

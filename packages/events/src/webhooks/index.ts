export { BodyCache, type BodyKey, keyText } from './body-cache.ts';
export { type AttemptKind, DueEndpoints, type EndpointKey } from './due-endpoints.ts';
export {
  type AttemptError,
  DELIVERY_STATES,
  type DeliveryState,
  type DisabledReason,
  ENDPOINT_STATES,
  type Endpoint,
  type EndpointState,
  hostOf,
  isSuccess,
  MAX_ENDPOINTS,
  type Outcome,
  payloadFormatOf,
  type SignatureFormat,
  type SignatureKey,
  type Signing,
} from './endpoint.ts';
export {
  type EndpointChanges,
  endpointChangesShape,
  eventTypeShape,
  type NewEndpoint,
  newEndpointShape,
  orderedTypes,
  signatureFormatShape,
  signatureKeyShape,
} from './endpoint-input.ts';
export {
  deliveryNotFound,
  endpointNotEnabled,
  endpointNotFound,
  eventNotFound,
  tooManyEndpoints,
} from './errors.ts';
export { type DispatchPlan, planDeliveries } from './plan-deliveries.ts';
export { type PreviousSecret, previousSecretsOf, stillSigning, withReplaced } from './previous-secrets.ts';
export { RateLimits } from './rate-limits.ts';
export { DAY, FAILING_MS, nextState } from './schedule.ts';
export { newSecret, signedHeaders } from './signature.ts';
export { type Grant, MIN_ROOM, PER_ENDPOINT, type Slot, Slots } from './slots.ts';
export { isLoopbackAddress, isLoopbackHost, isPublicAddress, plainHost, urlProblem } from './target.ts';

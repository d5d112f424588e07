import {
  type AttemptError,
  DELIVERY_STATES,
  type DeliveryState,
  ENDPOINT_STATES,
  type EndpointState,
} from '../domain/webhooks/endpoint.ts';
import { signatureFormatShape } from '../domain/webhooks/endpoint-input.ts';
import type { SimulationReason } from '../domain/webhooks/simulation-service.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enum-values.ts';
import { setFieldType } from './input-from.ts';

export const WebhookSignatureFormat = builder.enumType('WebhookSignatureFormat', {
  description: 'Format of the signatures of deliveries.',
  values: {
    STANDARD: {
      value: 'standard',
      description: 'Standard Webhooks: the headers webhook-id, webhook-timestamp and webhook-signature.',
    },
    COMPAT: {
      value: 'compat',
      description: 'Standard Webhooks, and also the older headers x-event-id, x-event-type and x-signature.',
    },
  } as const,
});
setFieldType(signatureFormatShape, WebhookSignatureFormat);

export const WebhookEndpointState = builder.enumType('WebhookEndpointState', {
  description: 'State of an endpoint.',
  values: valuesOf<EndpointState>(ENDPOINT_STATES, {
    enabled: 'The endpoint receives events.',
    paused: 'The endpoint receives no events; it receives the missed ones when it is resumed.',
    disabled: 'The endpoint answered 410, or failed for five days. It can be resumed.',
  }),
});

export const WebhookDisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'Reason why an endpoint was disabled.',
  values: {
    GONE: { value: 'gone', description: 'The endpoint answered 410.' },
    FAILING: { value: 'failing', description: 'No delivery succeeded for five days.' },
  } as const,
});

export const WebhookDeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'State of a delivery.',
  values: valuesOf<DeliveryState>(DELIVERY_STATES, {
    waiting: 'The first or the next attempt is pending.',
    delivered: 'The receiver answered 2xx.',
    dead: 'All attempts failed, or the receiver answered 410.',
    dropped: 'Not sent: its event was erased or has expired, or its endpoint was resumed from a later time.',
  }),
});

/** Errors of attempts that ended. */
export type ShownAttemptError = Exclude<AttemptError, '' | 'interrupted'>;

const ATTEMPT_ERRORS: Readonly<Record<ShownAttemptError, string>> = {
  timeout: 'The receiver did not answer within 15 seconds.',
  dns: 'The name of the host could not be resolved.',
  address_refused: 'The host has an address that is not public.',
  tls: 'The TLS handshake or the certificate failed.',
  connection: 'The connection could not be opened, or was lost.',
  redirect: 'The receiver answered with a redirect; redirects are not followed.',
  invalid_answer: 'The answer was not valid HTTP.',
};

export const WebhookAttemptError = builder.enumType('WebhookAttemptError', {
  description: 'Reason of a failed attempt that the status of the answer does not show.',
  values: valuesOf<ShownAttemptError>(Object.keys(ATTEMPT_ERRORS) as ShownAttemptError[], ATTEMPT_ERRORS),
});

/** The error of an attempt as the schema shows it. */
export function shownError(error: string): ShownAttemptError | null {
  return error in ATTEMPT_ERRORS ? (error as ShownAttemptError) : null;
}

const SIMULATION_REASONS: Readonly<Record<SimulationReason, string>> = {
  type_chosen: 'The endpoint receives events of the type.',
  type_not_chosen: 'The endpoint does not receive events of the type.',
  endpoint_paused: 'The endpoint is paused.',
  endpoint_disabled: 'The endpoint is disabled.',
};

export const WebhookSimulationReason = builder.enumType('WebhookSimulationReason', {
  description: 'Reason why an endpoint receives an event, or does not.',
  values: valuesOf<SimulationReason>(
    Object.keys(SIMULATION_REASONS) as SimulationReason[],
    SIMULATION_REASONS,
  ),
});

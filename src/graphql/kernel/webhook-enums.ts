import {
  type AttemptError,
  DELIVERY_STATES,
  type DeliveryState,
  ENDPOINT_STATES,
  type EndpointState,
  signatureFormatShape,
  signatureKeyShape,
} from '@vouchgraph/events/webhooks';
import type { SimulationReason } from '../../domain/webhooks/simulation-service.ts';
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
      description:
        'Standard Webhooks with the older headers x-event-id, x-event-type and x-signature, and with the older body of ' +
        'email.intelligence.completed.',
    },
  } as const,
});
setFieldType(signatureFormatShape, WebhookSignatureFormat);

export const WebhookSignatureKey = builder.enumType('WebhookSignatureKey', {
  description: 'Key of the HMAC in the header x-signature.',
  values: {
    TEXT: {
      value: 'text',
      description:
        'Secret as UTF-8 text, including whsec_: for receivers that pass their secret to the HMAC as it is.',
    },
    DECODED: {
      value: 'decoded',
      description:
        'Bytes of the base64 text after whsec_, as for webhook-signature: for receivers that decode their secret.',
    },
  } as const,
});
setFieldType(signatureKeyShape, WebhookSignatureKey);

export const WebhookEndpointState = builder.enumType('WebhookEndpointState', {
  description: 'State of an endpoint.',
  values: valuesOf<EndpointState>(ENDPOINT_STATES, {
    enabled: 'Endpoint that receives events.',
    paused: 'Endpoint that receives no events. On resumption it receives the missed events.',
    disabled:
      'Endpoint that was disabled after a response 410, or after failures for five days. It can be resumed.',
  }),
});

export const WebhookDisabledReason = builder.enumType('WebhookDisabledReason', {
  description: 'Reason why an endpoint was disabled.',
  values: {
    GONE: { value: 'gone', description: 'Response 410 of the receiver.' },
    FAILING: { value: 'failing', description: 'No successful delivery for five days.' },
  } as const,
});

export const WebhookDeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'State of a delivery.',
  values: valuesOf<DeliveryState>(DELIVERY_STATES, {
    waiting: 'Delivery that waits for its first or next attempt.',
    delivered: 'Delivery that the receiver answered with 2xx.',
    dead: 'Delivery whose attempts all failed, or whose receiver answered 410.',
    dropped:
      'Delivery that is not sent: its event was erased or expired, or its endpoint was resumed from a ' +
      'later time.',
  }),
});

/** Errors of attempts that ended. */
export type ShownAttemptError = Exclude<AttemptError, '' | 'interrupted'>;

const ATTEMPT_ERRORS: Readonly<Record<ShownAttemptError, string>> = {
  timeout: 'No response within 15 seconds.',
  dns: 'Host name that could not be resolved.',
  address_refused: 'Host with an address that is not public.',
  tls: 'Failed TLS handshake, or invalid certificate.',
  connection: 'Connection that could not be opened, or was lost.',
  redirect: 'Redirect in the response. Redirects are not followed.',
  invalid_answer: 'Response that is not valid HTTP.',
};

export const WebhookAttemptError = builder.enumType('WebhookAttemptError', {
  description: 'Reason of a failed attempt that the HTTP status does not show.',
  values: valuesOf<ShownAttemptError>(Object.keys(ATTEMPT_ERRORS) as ShownAttemptError[], ATTEMPT_ERRORS),
});

/** The error of an attempt as the schema shows it. */
export function shownError(error: string): ShownAttemptError | null {
  return error in ATTEMPT_ERRORS ? (error as ShownAttemptError) : null;
}

const SIMULATION_REASONS: Readonly<Record<SimulationReason, string>> = {
  type_chosen: 'Event type that the endpoint receives.',
  type_not_chosen: 'Event type that the endpoint does not receive.',
  endpoint_paused: 'Paused endpoint.',
  endpoint_disabled: 'Disabled endpoint.',
};

export const WebhookSimulationReason = builder.enumType('WebhookSimulationReason', {
  description: 'Reason why an endpoint receives an event or does not receive it.',
  values: valuesOf<SimulationReason>(
    Object.keys(SIMULATION_REASONS) as SimulationReason[],
    SIMULATION_REASONS,
  ),
});

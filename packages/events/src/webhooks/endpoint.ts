import type { EventType } from '../catalogue/event-type.ts';
import { ENVELOPE_FORMAT, STANDARD_FORMAT } from '../event-body.ts';

export const ENDPOINT_STATES = ['enabled', 'paused', 'disabled'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export const SIGNATURE_FORMATS = ['standard', 'compat'] as const;
export type SignatureFormat = (typeof SIGNATURE_FORMATS)[number];

/** Key of `x-signature`: the secret as text, or its bytes, which are the key of `webhook-signature` too. */
export const SIGNATURE_KEYS = ['text', 'decoded'] as const;
export type SignatureKey = (typeof SIGNATURE_KEYS)[number];

/** How deliveries of an endpoint are signed. */
export type Signing = {
  readonly signatureFormat: SignatureFormat;
  readonly signatureKey: SignatureKey;
};

/** Receivers with the older headers expect bodies in the older envelope too. */
export function payloadFormatOf(signatureFormat: SignatureFormat): number {
  return signatureFormat === 'compat' ? ENVELOPE_FORMAT : STANDARD_FORMAT;
}

/** Why an endpoint was disabled: it answered 410, or it only failed for five days. */
export type DisabledReason = 'gone' | 'failing';

/** Endpoints of a project. */
export const MAX_ENDPOINTS = 100;

/** A receiver of events over HTTP, without its secrets. */
export type Endpoint = {
  readonly endpointId: string;
  readonly url: string;
  readonly description: string;
  /** Empty: all. */
  readonly eventTypes: EventType[];
  readonly signatureFormat: SignatureFormat;
  readonly signatureKey: SignatureKey;
  /** Format of the bodies that it receives. */
  readonly payloadFormat: number;
  readonly ratePerMinute: number | null;
  readonly state: EndpointState;
  readonly disabledReason: DisabledReason | '';
  readonly previousSecretUntil: Date | null;
  readonly failingSince: Date | null;
  /** Through which event of the project deliveries were made. */
  readonly position: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export const DELIVERY_STATES = ['waiting', 'delivered', 'dead', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why an attempt without a usable answer failed; empty for an attempt with an answer. */
export type AttemptError =
  | ''
  | 'timeout'
  | 'dns'
  | 'address_refused'
  | 'tls'
  | 'connection'
  | 'redirect'
  | 'invalid_answer'
  | 'interrupted';

/** Result of one request to a receiver. */
export type Outcome = {
  /** Status of the answer; null when none came. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: AttemptError;
  /** The beginning of the answer's body. */
  readonly answer: string;
  readonly retryAfter: string | null;
};

/** Whether a receiver accepted a delivery: any 2xx. */
export function isSuccess({ status, error }: Pick<Outcome, 'status' | 'error'>): boolean {
  return error === '' && status !== null && status >= 200 && status < 300;
}

/** The host of a URL: what logs of changes and events show of it, since the rest may hold a secret. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

import type { ParsedEmail } from '../email-address.ts';
import type { Breach, OnlineProfile } from '../email-evidence.ts';

/** Kinds of evidence of providers. */
export const PROVIDER_KINDS = ['breaches', 'profiles'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Reason of a missing answer. Categories only: nothing about the address. */
const UNKNOWN_REASONS = [
  'aborted',
  'circuit_open',
  'closed',
  'invalid_address',
  'malformed',
  'rate_limited',
  'redirected',
  'refused',
  'rejected',
  'server_error',
  'timeout',
  'too_large',
  'unreachable',
  'unreadable',
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** Findings of a provider. Empty lists: nothing found, or a kind that the provider does not have. */
export type Findings = {
  readonly breaches: readonly Breach[];
  readonly profiles: readonly OnlineProfile[];
};

export type ProviderAnswer =
  | ({ readonly isKnown: true } & Findings)
  | { readonly isKnown: false; readonly reason: UnknownReason };

/** State of a provider for operators. Contains no key and no personal data. */
export type ProviderStatus = {
  readonly name: string;
  readonly looksInto: readonly ProviderKind[];
  readonly isOnline: boolean;
  /** Whether the next look-up can be answered. */
  readonly isAvailable: boolean;
  /** State of the circuit breaker; null for a provider without one. */
  readonly breaker: 'closed' | 'open' | 'half_open' | null;
  /** Reason of its unavailability, or problem of its file; null without one. */
  readonly problem: string | null;
  /** Date of its data, YYYY-MM-DD; null when unknown. */
  readonly asOf: string | null;
  /** Hashes in its file; null for an online provider. */
  readonly entries: number | null;
};

/** A source of breaches or profiles. */
export type EmailProvider = {
  /** Stable name, such as hibp. */
  readonly name: string;
  readonly looksInto: readonly ProviderKind[];
  /** Whether a look-up uses the network. */
  readonly isOnline: boolean;
  /** Looks an address up. An unavailable provider returns an unknown answer instead of throwing, and has its own time limit. */
  lookUp(email: ParsedEmail, options: { signal: AbortSignal }): Promise<ProviderAnswer>;
  status(): ProviderStatus;
  close(): void | Promise<void>;
};

/** A provider that answers synchronously from local data. */
export type OfflineProvider = Omit<EmailProvider, 'lookUp' | 'close'> & {
  readonly isOnline: false;
  lookUpNow(email: ParsedEmail): ProviderAnswer;
};

export const NOTHING_FOUND: ProviderAnswer = { isKnown: true, breaches: [], profiles: [] };

export function unknownAnswer(reason: UnknownReason): ProviderAnswer {
  return { isKnown: false, reason };
}

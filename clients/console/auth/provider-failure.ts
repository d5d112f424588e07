import type { TextKey } from '../texts/en.ts';

/** Why a sign-in with a provider failed, as far as the person can act on it. */
export type ProviderFailure = 'unknown' | 'cancelled' | 'taken' | 'failed';

/** Codes of the gateway. */
const FAILURES: ReadonlyMap<string, ProviderFailure> = new Map([
  ['signup_disabled', 'unknown'],
  ['access_denied', 'cancelled'],
  ['account_already_linked_to_different_user', 'taken'],
]);

/** The failure of the parameter `error` of an address. */
export function providerFailure(error: unknown): ProviderFailure {
  const text = String(error);
  return Object.hasOwn(FAILURE_TEXTS, text) ? (text as ProviderFailure) : (FAILURES.get(text) ?? 'failed');
}

export const FAILURE_TEXTS: Readonly<Record<ProviderFailure, TextKey>> = {
  unknown: 'problem_provider_unknown',
  cancelled: 'problem_provider_cancelled',
  taken: 'problem_provider_taken',
  failed: 'problem_provider',
};

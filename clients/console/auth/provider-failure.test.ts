import { describe, expect, it } from 'vitest';
import { providerFailure } from './provider-failure.ts';

describe('the failure of a sign-in with a provider', () => {
  it.each([
    ['signup_disabled', 'unknown'],
    ['access_denied', 'cancelled'],
    ['account_already_linked_to_different_user', 'taken'],
    ['unknown', 'unknown'],
    ['invalid_code', 'failed'],
    ['toString', 'failed'],
    [['a', 'b'], 'failed'],
  ])('of %j is %s', (error, failure) => {
    expect(providerFailure(error)).toBe(failure);
  });
});

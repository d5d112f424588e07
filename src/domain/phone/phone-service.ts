import { describePhone, type PhoneFacts } from '@vouchgraph/phone';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { invalidPhoneNumber } from './errors.ts';
import { findPhoneHistories, type PhoneHistory } from './phone-history-store.ts';

export type { PhoneHistory } from './phone-history-store.ts';

/**
 * Describes a phone number for a key, or a token that is limited to no account or session. A text without a digit and one
 * of more than 32 characters are errors; one that no plan assigns is described as such.
 */
export function checkPhone(viewer: Viewer, text: string, country: string | null): PhoneFacts {
  assertMay(viewer, 'phone.check');
  if ([...text].length > LIMITS.phoneLength) throw invalidPhoneNumber();
  const facts = describePhone(text, country);
  if (facts.matchKey === '') throw invalidPhoneNumber();
  return facts;
}

/** Stored histories of phone numbers in the project, by their match keys, in this order. */
export function readPhoneHistories(
  viewer: Viewer,
  matchKeys: readonly string[],
  now: Date,
): Promise<PhoneHistory[]> {
  assertMay(viewer, 'phone.read_history');
  return findPhoneHistories(viewer.project, matchKeys, now);
}

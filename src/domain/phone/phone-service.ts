import { forbidden } from '../../platform/errors.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Viewer } from '../projects/access-service.ts';
import { describePhone, type PhoneFacts } from './describe-phone.ts';
import { invalidPhoneNumber } from './errors.ts';

/**
 * Describes a phone number for a key, or a token that is limited to no account or session. A text without a digit and one
 * of more than 32 characters are errors; one that no plan assigns is described as such.
 */
export function checkPhone(viewer: Viewer, text: string, country: string | null): PhoneFacts {
  if (viewer.accountId !== undefined || viewer.sessionId !== undefined) {
    throw forbidden('This token is limited to one account or session');
  }
  if ([...text].length > LIMITS.phoneLength) throw invalidPhoneNumber();
  const facts = describePhone(text, country);
  if (facts.matchKey === '') throw invalidPhoneNumber();
  return facts;
}

import { AppError } from '@vouchgraph/platform/errors';

/** A text that is no phone number at all; the message is the one that REST clients know. */
export function invalidPhoneNumber(): AppError {
  return new AppError('phone.invalid', 'invalid_input', 'Invalid phone number', { path: ['phoneNumber'] });
}

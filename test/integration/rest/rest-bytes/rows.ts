import { ACCOUNT_ROWS } from './account-rows.ts';
import { EMAIL_ROWS } from './email-rows.ts';
import { LIST_ROWS } from './list-rows.ts';
import { PHONE_ROWS } from './phone-rows.ts';
import type { BytesRow } from './recorder.ts';
import { SESSION_ROWS } from './session-rows.ts';
import { VERIFICATION_ROWS } from './verification-rows.ts';

/** Every route of the REST interface, once. */
export const BYTES_ROWS: readonly BytesRow[] = [
  ...SESSION_ROWS,
  ...ACCOUNT_ROWS,
  ...VERIFICATION_ROWS,
  ...LIST_ROWS,
  ...EMAIL_ROWS,
  ...PHONE_ROWS,
];

import { z } from 'zod';
import { countryCodeHint, isCountryCode } from './countries.ts';

/** A country as ISO 3166-1 alpha-2 code in any case. Other values are rejected with a hint. */
export const countryCodeShape = z.string().transform((code, context) => {
  const upper = code.toUpperCase();
  if (isCountryCode(upper)) return upper;
  const hint = countryCodeHint(upper);
  context.addIssue({
    code: 'custom',
    message: `must be an ISO 3166-1 alpha-2 country code${hint ? `: ${hint}` : ''}`,
  });
  return z.NEVER;
});

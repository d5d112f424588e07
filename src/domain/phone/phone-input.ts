import { countryCodeShape } from '@vouchgraph/platform/country-code-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { z } from 'zod';

/** A phone number to describe. The service rejects invalid text. */
export const checkPhoneShape = z.object({
  phoneNumber: z.string().meta({
    minLength: 1,
    maxLength: LIMITS.phoneLength,
    description: `Number in any spelling, at most ${LIMITS.phoneLength} characters. A number with +, 00 or tel: requires no country.`,
  }),
  country: countryCodeShape
    .meta({ minLength: 2, maxLength: 2 })
    .nullish()
    .describe(
      'Country of a national number, ISO 3166-1 alpha-2. Without it a national number is not parsed.',
    ),
});

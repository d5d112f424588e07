import type { ModelAccount } from './model-account.ts';

/** A line of a file for `vouchgraph import accounts`. */
export function importLine({ id, fields, expectedCountries }: ModelAccount): string {
  return JSON.stringify({
    id,
    email: fields.email,
    phone: fields.phone,
    first_name: fields.firstName,
    last_name: fields.lastName,
    username: fields.username,
    expected_countries: expectedCountries,
  });
}

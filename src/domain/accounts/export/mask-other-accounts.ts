import { isContainer } from '@vouchgraph/platform/exact-json';

/** Keys whose values are the client's ids of accounts. */
const NAMES_ACCOUNTS = /(^|_)account_ids?$|(^a|A)ccountIds?$/;

/** Copies a value and replaces ids of other accounts with `pseudonymOf`. Dates become ISO 8601, bytes hexadecimal. */
export function maskOtherAccounts(
  value: unknown,
  ownId: string,
  pseudonymOf: (accountId: string) => string,
): unknown {
  const mask = (id: unknown) => (typeof id === 'string' && id !== ownId ? pseudonymOf(id) : walk(id));
  function walk(part: unknown): unknown {
    if (part instanceof Date) return part.toISOString();
    if (part instanceof Uint8Array) return Buffer.from(part).toString('hex');
    if (Array.isArray(part)) return part.map(walk);
    if (!isContainer(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [
        key,
        NAMES_ACCOUNTS.test(key) ? (Array.isArray(inner) ? inner.map(mask) : mask(inner)) : walk(inner),
      ]),
    );
  }
  return walk(value);
}

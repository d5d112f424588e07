/** An identifier as it is stored: its kind's number and the keyed hash of its normal form, of which a blocking key is the first half. */
export type IdentifierKey = { readonly kind: number; readonly hash: Buffer };

let last: { readonly kind: number; readonly hash: Buffer; readonly key: string } | null = null;

/** Map key of an identifier. Caches the last key: consecutive calls are often for accounts of the same identifier. */
export function identifierKey(kind: number, hash: Buffer): string {
  if (last?.hash === hash && last.kind === kind) return last.key;
  last = { kind, hash, key: `${kind}:${hash.toString('latin1')}` };
  return last.key;
}

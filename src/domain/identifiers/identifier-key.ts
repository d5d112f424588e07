let last: { readonly kind: number; readonly hash: Buffer; readonly key: string } | null = null;

/** One text for a kind and its hash. Of the holders of an identifier, which follow one another, the text is made once. */
export function identifierKey(kind: number, hash: Buffer): string {
  if (last?.hash === hash && last.kind === kind) return last.key;
  last = { kind, hash, key: `${kind}:${hash.toString('latin1')}` };
  return last.key;
}

/** One text for a kind and its hash. */
export const identifierKey = (kind: number, hash: Buffer) => `${kind}:${hash.toString('latin1')}`;

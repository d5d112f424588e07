/** Name of a key in JSON output: fakeFrom is fake_from. */
export function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** A value with all keys in snake case, at every depth. Not for objects whose keys are data of a client. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [snakeCase(key), snakeKeys(part)]));
}

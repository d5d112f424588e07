/** The properties of an object with these keys, in their order. */
export function pick<T extends object, Key extends keyof T>(object: T, keys: readonly Key[]): Pick<T, Key> {
  const picked: Partial<T> = {};
  for (const key of keys) picked[key] = object[key];
  return picked as Pick<T, Key>;
}

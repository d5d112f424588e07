/** A name in snake case: fakeFrom is fake_from. */
export function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** A name of snake case in camel case: fake_from is fakeFrom. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

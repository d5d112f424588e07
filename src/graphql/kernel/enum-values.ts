/** Values of an enum in upper case, each with its description. */
export function valuesOf<Value extends string>(
  values: readonly Value[],
  descriptions: Record<Value, string>,
) {
  return Object.fromEntries(
    values.map((value) => [value.toUpperCase(), { value, description: descriptions[value] }]),
  ) as Record<Uppercase<Value>, { value: Value; description: string }>;
}

/** Options of an enum that gets further values in later versions: openapi.json does not close its set. */
export const GROWING = { extensions: { isGrowing: true } } as const;

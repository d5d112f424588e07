/** The sentence of a list command without rows. Conditions with the value undefined do not apply. */
export const noneText = (objects: string, conditions: object = {}): string =>
  Object.values(conditions).some((value) => value !== undefined)
    ? `No ${objects} meet the conditions.`
    : `No ${objects} yet.`;

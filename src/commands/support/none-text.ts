/** The sentence of a list command without rows. */
export const noneText = (objects: string, isFiltered = false): string =>
  isFiltered ? `No ${objects} meet the conditions.` : `No ${objects} yet.`;

/** Unknown text, which is stored as '', is null in the schema. */
export function known<Text extends string>(text: Text): Exclude<Text, ''> | null {
  return text === '' ? null : (text as Exclude<Text, ''>);
}

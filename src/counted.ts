/** Number and noun for people: 1 row, 2,000 rows. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}

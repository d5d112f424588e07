/** Number for people: 2,000. */
export const count = (number: number): string => number.toLocaleString('en');

/** Number and noun for people: 1 row, 2,000 rows. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

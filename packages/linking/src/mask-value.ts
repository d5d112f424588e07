/** Keeps the first and last letter of the local part, and the domain: `a…e@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 0 ? maskUsername(email) : `${maskUsername(email.slice(0, at))}${email.slice(at)}`;
}

/** Keeps the first two and the last two digits: `+14…71`. */
export function maskPhone(phone: string): string {
  return phone.length < 8 ? maskUsername(phone) : `${phone.slice(0, 3)}…${phone.slice(-2)}`;
}

/** Keeps the first and last character; only the first of three characters; none of fewer. */
export function maskUsername(text: string): string {
  const characters = [...text];
  if (characters.length === 0) return '';
  if (characters.length < 3) return '…';
  const last = characters.length > 3 ? characters.at(-1) : '';
  return `${characters[0]}…${last}`;
}

/** Keeps the initials: `A… L…`; no letters of names with fewer than three. */
export function maskName(firstName: string, lastName: string): string {
  return [firstName, lastName]
    .filter((name) => name !== '')
    .map((name) => ([...name].length < 3 ? '…' : `${[...name][0]}…`))
    .join(' ');
}

/** Keeps the year: `1984-…`. */
export function maskBirthDate(date: string): string {
  return date === '' ? '' : `${date.slice(0, 4)}-…`;
}

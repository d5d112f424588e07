/** The first letter and how it ends are left: `a…e@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 0 ? maskUsername(email) : `${maskUsername(email.slice(0, at))}${email.slice(at)}`;
}

/** The country code's first digits and the last two: `+14…71`. */
export function maskPhone(phone: string): string {
  return phone.length < 8 ? maskUsername(phone) : `${phone.slice(0, 3)}…${phone.slice(-2)}`;
}

/** First and last character; of a short one the first alone, and of one of two letters nothing. */
export function maskUsername(text: string): string {
  const characters = [...text];
  if (characters.length === 0) return '';
  if (characters.length < 3) return '…';
  const last = characters.length > 3 ? characters.at(-1) : '';
  return `${characters[0]}…${last}`;
}

/** Initials: `A… L…`; nothing of names of one or two letters. */
export function maskName(firstName: string, lastName: string): string {
  return [firstName, lastName]
    .filter((name) => name !== '')
    .map((name) => ([...name].length < 3 ? '…' : `${[...name][0]}…`))
    .join(' ');
}

/** The year: `1984-…`. */
export function maskBirthDate(date: string): string {
  return date === '' ? '' : `${date.slice(0, 4)}-…`;
}

/*
 * Masked forms of personal values. A masked value shows that a value exists, and enough of it to recognize a value that the
 * reader knows already. No function throws. An empty text stays empty: it means that the value is unknown.
 */

/** Replaces hidden characters, however many. */
export const HIDDEN = '•••';

/** A value of which nothing is shown. */
export function hideText(text: string): string {
  return text === '' ? '' : HIDDEN;
}

/** First letter of the mailbox and of the domain, and the last label: `j•••@g•••.com`. Nothing of a text without `@`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  if (at < 1) return hideText(email);
  return `${initial(email)}${HIDDEN}@${maskDomain(email.slice(at + 1))}`;
}

/** First letter and last label of a domain: `g•••.com`. Nothing of an address in place of a domain. */
export function maskDomain(domain: string): string {
  if (/^[[\d.:\]]*$/.test(domain)) return hideText(domain);
  const dot = domain.lastIndexOf('.');
  return `${initial(domain)}${HIDDEN}${dot > 0 && dot < domain.length - 1 ? domain.slice(dot) : ''}`;
}

/** The first and the last two digits: `+14•••71`. Only the last two of fewer than 10 digits, none of fewer than 7. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 7) return hideText(phone);
  const start = digits.length < 10 ? '' : `${/^\s*\+/.test(phone) ? '+' : ''}${digits.slice(0, 2)}`;
  return `${start}${HIDDEN}${digits.slice(-2)}`;
}

/** First letter: `J•••`. Nothing of one or two letters. */
export function maskName(name: string): string {
  const letters = graphemesOf(name.trim(), 3);
  return letters.length < 3 ? hideText(name) : `${letters[0]}${HIDDEN}`;
}

/** Shows that a date is known: `••••-••-••`. */
export function maskDate(date: string): string {
  return date === '' ? '' : '••••-••-••';
}

/** First part of an IPv4 or IPv6 address: `203.•••`, `2001:•••`. */
export function maskIp(address: string): string {
  const [start = ''] = /^(\d{1,3}\.|[\da-f]{1,4}:)/i.exec(address.trim()) ?? [];
  return start === '' ? hideText(address) : `${start}${HIDDEN}`;
}

/** The last two characters: `•••42`. Nothing of fewer than 8. */
export function maskNumber(number: string): string {
  const letters = graphemesOf(number.trim(), Number.POSITIVE_INFINITY);
  return letters.length < 8 ? hideText(number) : `${HIDDEN}${letters.slice(-2).join('')}`;
}

/** A value that was shortened for display with `…`, such as `a…e@example.com`, `+14…71`, `A… L…` and `1984-…`. */
export function maskShortened(text: string): string {
  if (/^[\da-f]{8}$/i.test(text) || /^[a-z_ ]+$/.test(text)) return text;
  if (text.includes('@')) return maskEmail(text);
  if (/^\+?\d+…\d+$/.test(text)) return text.replace('…', HIDDEN);
  const first = initial(text);
  return /\p{L}/u.test(first) ? `${first}${HIDDEN}` : hideText(text);
}

const EMAIL = /[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+/gu;
const IPV4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g;
const IPV6 =
  /(?<![\w:])(?:(?:[\da-f]{1,4}:){7}[\da-f]{1,4}|(?:[\da-f]{1,4}:)*(?:[\da-f]{1,4})?::(?:[\da-f]{1,4}:)*[\da-f]{0,4})(?![\w:])/gi;
const DATE = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g;
const DIGITS = /(?<![\w.])\+?\d(?:[ ()/-]{0,2}\d){6,}(?![\w.]?\d)/g;

/**
 * A sentence of the gateway, in which email addresses, IP addresses, dates and long numbers are masked. It cannot detect
 * names: texts that people wrote are hidden as a whole.
 */
export function maskSentence(text: string): string {
  return text
    .replace(EMAIL, (found) => maskEmail(found))
    .replace(IPV4, (found) => maskIp(found))
    .replace(IPV6, (found) => (/[\da-f]/i.test(found) ? maskIp(found) : found))
    .replace(DATE, (found) => maskDate(found))
    .replace(DIGITS, (found) => maskPhone(found));
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function initial(text: string): string {
  return graphemesOf(text.trim(), 1)[0] ?? '';
}

/** The first graphemes of a text. */
function graphemesOf(text: string, count: number): string[] {
  const found: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    if (found.length >= count) break;
    found.push(segment);
  }
  return found;
}

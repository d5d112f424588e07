type Mailbox = { local: string; domain: string; alias: boolean; isTagged: boolean; hasIgnoredDots: boolean };

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/** Domains of Yahoo mail, where `name-word@` are the disposable addresses of the mailbox of `name`. */
const YAHOO = new Set([
  'ymail.com',
  'rocketmail.com',
  'myyahoo.com',
  ...'com de fr it es ca in ie gr ro se dk no nl pl fi at be ch cz hu pt co.uk co.in co.id co.jp co.kr co.nz co.th co.za com.ar com.au com.br com.hk com.mx com.my com.ph com.sg com.tr com.tw com.vn'
    .split(' ')
    .map((suffix) => `yahoo.${suffix}`),
]);

/**
 * Gmail ignores dots. One or two dots are normal, as in `first.last` and `first.m.last`. Names do not have three.
 */
const MAX_DOTS_IN_A_NAME = 2;

/**
 * The mailbox that an address is delivered to: letter case dropped; a `+tag` dropped (every large provider, and most
 * mail servers as installed); Gmail's dots and Yahoo's `-word` dropped; googlemail.com is gmail.com. `isTagged` is true
 * when a tag or word was dropped, `hasIgnoredDots` when dots were, and `alias` when a tag was dropped or the dots are
 * more than a name has.
 */
export function canonicalMailbox(local: string, domain: string): Mailbox {
  const written = foldCase(local);
  const untagged = before(written, '+');
  if (GMAIL.has(domain)) return gmailMailbox(untagged, untagged !== written);
  const base = YAHOO.has(domain) ? before(untagged, '-') : untagged;
  const isTagged = base !== written;
  return { local: base, domain, alias: isTagged, isTagged, hasIgnoredDots: false };
}

function gmailMailbox(untagged: string, isTagged: boolean): Mailbox {
  const labels = untagged.split('.');
  return {
    local: labels.join(''),
    domain: 'gmail.com',
    alias: isTagged || labels.length - 1 > MAX_DOTS_IN_A_NAME,
    isTagged,
    hasIgnoredDots: labels.length > 1,
  };
}

function foldCase(local: string): string {
  return local.toLowerCase().normalize('NFC');
}

/** The text before the separator; the whole text if that would be empty. */
function before(text: string, separator: string): string {
  const index = text.indexOf(separator);
  return index > 0 ? text.slice(0, index) : text;
}

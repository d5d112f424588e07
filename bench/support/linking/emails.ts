import type { Random } from '../signals/random.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import type { Country } from './countries.ts';
import { latinOf, mistype, type Name } from './names.ts';

const LARGE_PROVIDER = 'gmail.com';
const WORDS =
  'sunny lucky blue happy crazy dark magic wolf tiger star music gamer king queen angel dragon moon coffee rock ninja'.split(
    ' ',
  );

/** Assigns mailboxes, each once: the second person with a name gets digits, as at any provider. */
export type Mailboxes = {
  open(name: Name, country: Country, random: Random): string;
  /** Another mailbox whose address is nearly the given one: other digits, or one character. */
  openNear(email: string, random: Random): string;
  /** A further one of a numbered series. */
  openNumbered(base: string, domain: string): string;
};

export function createMailboxes(): Mailboxes {
  const taken = new Set<string>();
  const take = (email: string): boolean => {
    const key = keyOf(email);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  const first = (candidates: () => string): string => {
    for (;;) {
      const email = candidates();
      if (take(email)) return email;
    }
  };
  return {
    open(name, country, random) {
      const domain = drawDomain(name, country, random);
      const local = drawLocal(name, random);
      const wished = `${local}@${domain}`;
      return take(wished) ? wished : first(() => `${local}${random.whole(1, 999)}@${domain}`);
    },
    openNear: (email, random) => first(() => nearOf(email, random)),
    openNumbered(base, domain) {
      let number = 0;
      return first(() => `${base}${++number}@${domain}`);
    },
  };
}

/** The same mailbox in another spelling of its owner. */
export function aliasOf(email: string, random: Random): string {
  const [local = '', domain = ''] = email.split('@');
  const plain = local.replaceAll('.', '');
  const tagged = `${local}+${random.pick(['shop', 'new', 'spam', '1', '2', 'news', 'bonus'])}@${domain}`;
  if (domain !== LARGE_PROVIDER || plain.length < 4) return tagged;
  const at = random.whole(1, plain.length - 1);
  return random.weighted([
    [tagged, 45],
    [`${plain.slice(0, at)}.${plain.slice(at)}@${domain}`, 40],
    [`${local}@googlemail.com`, 15],
  ]);
}

/** A typing error in the address, one of six in the domain. */
export function mistypeEmail(email: string, random: Random): string {
  const [local = '', domain = ''] = email.split('@');
  const dot = domain.indexOf('.');
  return random.chance(1 / 6)
    ? `${local}@${mistype(domain.slice(0, dot), random)}${domain.slice(dot)}`
    : `${mistype(local, random)}@${domain}`;
}

function keyOf(email: string): string {
  const [local = '', domain = ''] = email.split('@');
  return domain === LARGE_PROVIDER ? `${local.replaceAll('.', '')}@${domain}` : email;
}

function drawDomain(name: Name, country: Country, random: Random): string {
  if (random.chance(ASSUMPTIONS.ownDomain)) {
    const tail = country.code === 'US' ? 'com' : country.code === 'GB' ? 'co.uk' : country.code.toLowerCase();
    return `${latinOf(name).last}${random.pick(['', '-online', 'consult', 'family', 'studio'])}${random.whole(1, 99)}.${tail}`;
  }
  return random.chance(ASSUMPTIONS.greatProvider) ? LARGE_PROVIDER : random.pick(country.providers);
}

/** Short names at the large providers have been taken for twenty years: most have digits. */
function drawLocal(name: Name, random: Random): string {
  const { first, last } = latinOf(name);
  const year = random.whole(1955, 2006);
  const word = random.pick(WORDS);
  return random.weighted([
    [`${first}.${last}`, 22],
    [`${first}${last}`, 12],
    [`${first[0]}${last}${random.chance(0.5) ? year % 100 : ''}`, 12],
    [`${first}.${last}${random.chance(0.5) ? year : year % 100}`, 16],
    [`${first}${last}${random.whole(1, 999)}`, 15],
    [`${last}.${first}`, 5],
    [`${first}${year}`, 4],
    [`${word}${random.pick(WORDS)}${random.whole(1, 999)}`, 14],
  ]);
}

function nearOf(email: string, random: Random): string {
  const [local = '', domain = ''] = email.split('@');
  const letters = local.replace(/\d+$/, '');
  return random.chance(0.65)
    ? `${letters}${random.whole(1, 9999)}@${domain}`
    : `${mistype(local, random)}@${domain}`;
}

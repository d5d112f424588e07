import type { Person } from '../population.ts';

/*
 * Owners of the accounts. These fields cause no links: links are drawn separately with their own identifiers.
 * Only the number of accounts at the large mail provider depends on the total.
 */
const PER_DOMAIN = 30;

export function personOf(n: number): Person {
  const domain = n % 3 === 0 ? 'outlook.com' : `mail${Math.floor(n / PER_DOMAIN)}.example.com`;
  return {
    accountId: `user-${n}`,
    email: `${scattered(n)}@${domain}`,
    phone: `+1415${String(2_000_000 + n).padStart(7, '0')}`,
    firstName: `First${scattered(n)}`,
    lastName: `Last${scattered(n + 7)}`,
    username: '',
    ip: `${[90, 86, 81][n % 3]}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
    device: `device-${n}`,
  };
}

/** Seven letters of which those of two numbers differ in most places: emails are matched but for one of them. */
function scattered(n: number): string {
  let letters = '';
  let left = (BigInt(n) * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & ((1n << 62n) - 1n);
  left ^= left >> 31n;
  for (let place = 0; place < 7; place += 1) {
    letters += String.fromCharCode(97 + Number(left % 26n));
    left /= 26n;
  }
  return letters;
}

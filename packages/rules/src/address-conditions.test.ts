import { expect, test } from 'vitest';
import { testLanguage } from '../../../test/support/rule-language.ts';

const at = (address: string | null, condition: string) =>
  testLanguage.compile(testLanguage.parse(`session.ip_address ${condition}`))({
    'session.ip_address': address,
  });

test.each([
  ['203.0.113.7', 'IN NETWORK "203.0.113.0/24"', true],
  ['203.0.114.7', 'IN NETWORK "203.0.113.0/24"', false],
  ['203.0.114.7', 'NOT IN NETWORK "203.0.113.0/24"', true],
  ['203.0.113.7', 'NOT IN NETWORK "203.0.113.0/24"', false],
  // Bits after the prefix do not count, and a single address is a network of one.
  ['203.0.113.7', 'IN NETWORK "203.0.113.99/24"', true],
  ['203.0.113.7', 'IN NETWORK "203.0.113.7"', true],
  ['203.0.113.8', 'IN NETWORK "203.0.113.7"', false],
  ['203.0.113.7', 'IN NETWORK ["10.0.0.0/8", "203.0.113.0/24"]', true],
  ['203.0.113.7', 'NOT IN NETWORK ["10.0.0.0/8", "203.0.113.0/24"]', false],
  ['2001:db8:1::7', 'IN NETWORK "2001:db8::/32"', true],
  ['2001:db9::7', 'IN NETWORK "2001:db8::/32"', false],
  ['2001:db8:1::7', 'IN NETWORK "203.0.113.0/24"', false],
  ['203.0.113.7', 'IN NETWORK "2001:db8::/32"', false],
  // IPv4 addresses mapped into IPv6 are the IPv4 addresses.
  ['::ffff:203.0.113.7', 'IN NETWORK "203.0.113.0/24"', true],
  ['203.0.113.7', 'IN NETWORK "::ffff:203.0.113.0/120"', true],
  ['203.0.113.7', 'IN NETWORK "::/0"', false],
  ['203.0.113.7', 'NOT IN NETWORK "::/0"', true],
  ['::ffff:203.0.113.7', 'IN NETWORK "::/0"', false],
  ['2001:db8::7', 'IN NETWORK "::/0"', true],
  ['2001:db8::7', 'IN NETWORK "0.0.0.0/0"', false],
  ['203.0.113.7', 'IN NETWORK ["::/0", "0.0.0.0/0"]', true],
  ['203.0.113.7', '= "203.0.113.7"', true],
  ['203.0.113.7', '= "::ffff:203.0.113.7"', true],
  ['203.0.113.7', '!= "203.0.113.7"', false],
  ['2001:db8::7', '= "2001:DB8:0:0:0:0:0:7"', true],
  ['2001:db8::7', 'IN ["203.0.113.7", "2001:db8::7"]', true],
  ['2001:db8::7', 'NOT IN ["203.0.113.7", "2001:db8::7"]', false],
  ['203.0.113.7', 'IS PRESENT', true],
  [null, 'IS MISSING', true],
  ['', 'IS MISSING', true],
  [null, 'IN NETWORK "203.0.113.0/24"', null],
  ['', 'NOT IN NETWORK "203.0.113.0/24"', null],
  ['unknown', 'NOT IN NETWORK "203.0.113.0/24"', null],
])('%s %s is %s', (address, condition, outcome) => {
  expect(at(address, condition)).toBe(outcome);
});

test('a single network is stored as a list of one', () => {
  const one = { field: 'session.ip_address', op: 'in_network', value: ['10.0.0.0/8'] };
  expect(testLanguage.parse('session.ip_address IN NETWORK "10.0.0.0/8"')).toEqual(one);
  expect(testLanguage.parse('session.ip_address IN NETWORK ["10.0.0.0/8"]')).toEqual(one);
});

test.each([
  [
    'session.ip_address IN NETWORK "203.0.113.0/33"',
    '"203.0.113.0/33" is not a network: expected an address with a prefix length, such as "203.0.113.0/24" or "2001:db8::/32"',
    30,
  ],
  ['session.ip_address IN NETWORK ["10.0.0.0/8", "10.1"]', '"10.1" is not a network', 45],
  [
    'session.ip_address IN NETWORK 10',
    'Field "session.ip_address" is an IP address: expected an IP address, found 10',
    30,
  ],
  ['session.ip_address IN NETWORK "::ffff:10.0.0.0/8"', '"::ffff:10.0.0.0/8" is not a network', 30],
  ['session.ip_address IN NETWORK', 'Expected a value, found the end', 29],
  ['session.ip_address = "203.0.113.0/24"', '"203.0.113.0/24" is a network: use IN NETWORK', 21],
  [
    'session.ip_address = "somewhere"',
    '"somewhere" is not an IP address, such as "203.0.113.7" or "2001:db8::7"',
    21,
  ],
  ['session.ip_address = "fe80::1%eth0"', '"fe80::1%eth0" is not an IP address', 21],
  [
    'session.ip_address CONTAINS "203."',
    'Field "session.ip_address" is an IP address and does not support CONTAINS: use IN NETWORK, NOT IN NETWORK, =, !=, IN, NOT IN, IS MISSING or IS PRESENT',
    19,
  ],
  [
    'account.country IN NETWORK "10.0.0.0/8"',
    'Field "account.country" is a string and does not support IN NETWORK',
    16,
  ],
  ['session.ip_address', 'Field "session.ip_address" is an IP address and needs an operator', 18],
])('%s is rejected', (text, message, position) => {
  expect(() => testLanguage.parse(text)).toThrow(expect.objectContaining({ position }));
  expect(() => testLanguage.parse(text)).toThrow(message);
});

test.each([
  'session.ip_address IN NETWORK "10.0.0.0/8" AND session.ip_address IN NETWORK "192.168.0.0/16"',
  'session.ip_address = "203.0.113.7" AND session.ip_address NOT IN NETWORK "203.0.113.0/24"',
  'session.ip_address IN NETWORK "10.0.0.0/8" AND session.ip_address IN NETWORK "::/0"',
  'session.ip_address = "::ffff:10.0.0.1" AND session.ip_address IN NETWORK "::/0"',
  'session.ip_address IS MISSING AND session.ip_address IN NETWORK "10.0.0.0/8"',
])('%s is never true', (text) => {
  expect(testLanguage.neverTrueReason(testLanguage.parse(text), 'ANY_SESSION')).toMatch(/is never true/);
});

test.each([
  'session.ip_address IN NETWORK "10.0.0.0/8" AND session.ip_address IN NETWORK ["192.168.0.0/16", "10.1.0.0/16"]',
  'session.ip_address IN NETWORK "2001:db8::/32" AND session.ip_address IN NETWORK "::/0"',
  'session.ip_address IN NETWORK "::ffff:10.0.0.0/104" AND session.ip_address IN NETWORK "0.0.0.0/0"',
  'session.ip_address IN NETWORK "10.0.0.0/8" AND session.ip_address NOT IN NETWORK "10.0.0.0/24"',
  'session.ip_address = "203.0.113.7" AND session.ip_address IN NETWORK "203.0.113.0/24"',
])('%s can be true', (text) => {
  expect(testLanguage.neverTrueReason(testLanguage.parse(text), 'ANY_SESSION')).toBeNull();
});

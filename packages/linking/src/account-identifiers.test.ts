import { expect, test } from 'vitest';
import { contactValues, MATCH_KEY_VERSION } from './account-identifiers.ts';

const NO_FIELDS = { email: '', phone: '', firstName: '', lastName: '', username: '' };

/** Addresses whose normal form depends on a rule, with their values in this version. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'Jane.Doe+shop@GoogleMail.com': ['janedoe@gmail.com'],
  'a%0abcc+tag@example.com': ['a%0abcc+tag@example.com'],
  'a\u00adb+tag@example.com': ['a\u00adb+tag@example.com'],
  'jane+tag@xn--99999999.de': ['jane+tag@xn--99999999.de'],
  '𠮷野+tag@Example.jp': ['𠮷野@example.jp'],
  'می\u200cخواهم+tag@example.com': ['می\u200cخواهم@example.com'],
  'Ivan.Petrov@ya.ru': ['ivan-petrov@yandex.ru'],
  'jane@me.com': ['jane@icloud.com'],
  'Jane.Doe@pm.me': ['janedoe@proton.me'],
  'shop@jane.fastmail.com': ['jane@fastmail.com'],
  'jane-shop@yahoo.com': ['jane-@yahoo.com'],
  '"jane"@example.org': ['jane@example.org'],
};

const PHONES: Readonly<Record<string, readonly string[]>> = {
  '+52 55 1234 5678': ['+525512345678'],
  '+52 1 55 1234 5678': ['+525512345678'],
  '+49 151 12345678': ['+4915112345678'],
  '0151 12345678': ['015112345678'],
  '+39 0549 886377': ['+3780549886377'],
  '1-800-FLOWERS': ['18003569377'],
};

test('changed normal forms of addresses and phones require a new MATCH_KEY_VERSION', () => {
  const values = Object.keys(ADDRESSES).map((email) => {
    const found = contactValues({ ...NO_FIELDS, email }, []);
    return [email, found.get('email')];
  });
  const phones = Object.keys(PHONES).map((phone) => {
    const found = contactValues({ ...NO_FIELDS, phone }, []);
    return [phone, found.get('phone')];
  });
  expect({ version: MATCH_KEY_VERSION, ...Object.fromEntries([...values, ...phones]) }).toEqual({
    version: 1,
    ...ADDRESSES,
    ...PHONES,
  });
});

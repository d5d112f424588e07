import { decodeEducationDomains } from '@vouchgraph/email/internals/education-domains-format';
import { expect, test } from 'vitest';
import { encodeEducationDomains } from './encode-education-domains.ts';

const ABOUT = { source: 'a-package', sourceVersion: '1.2.3', licence: 'MIT', attribution: 'Its makers.' };
const BODY = { domains: ['mit.edu', 'ox.ac.uk'], suffixes: [], doubted: ['psu.edu'] };

test('the written file is read back, and its header counts its lists', () => {
  const { header, body } = decodeEducationDomains(encodeEducationDomains(ABOUT, BODY));
  expect(body).toEqual(BODY);
  expect(header).toMatchObject({ ...ABOUT, domains: 2, suffixes: 0, doubted: 1 });
});

test('equal lists produce equal bytes', () => {
  expect(encodeEducationDomains(ABOUT, BODY).equals(encodeEducationDomains(ABOUT, BODY))).toBe(true);
});

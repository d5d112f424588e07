import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearEmailBlocks, parseEmail } from './email-address.ts';

const canonical = (text: string) => parseEmail(text).canonical;

describe('parseEmail', () => {
  test('trims, lower-cases the domain and keeps the local part as sent', () => {
    expect(parseEmail('  Jane.Doe@Mail.Example.CO.UK ')).toEqual({
      valid: true,
      address: 'Jane.Doe@mail.example.co.uk',
      local: 'Jane.Doe',
      domain: 'mail.example.co.uk',
      registrableDomain: 'example.co.uk',
      canonical: 'jane.doe@mail.example.co.uk',
      alias: false,
    });
  });

  test('writes an international domain in ASCII', () => {
    expect(parseEmail('a@München.de').address).toBe('a@xn--mnchen-3ya.de');
    expect(canonical('a@München.de')).toBe(canonical('A@xn--mnchen-3ya.de'));
  });

  test.each([
    'a@b.invalidtld',
    'no-at-sign',
    '@example.com',
    'a@',
    'a@localhost',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    'a@com',
    'a b@example.com',
    'a..b@example.com',
    '"x y"@example.com',
    'a@ü%41.com',
    'a@ü/b.com',
    'a@example.com.',
    `${'x'.repeat(65)}@example.com`,
    'a\0@example.com',
    '',
  ])('%j is invalid and still matches an equal string', (text) => {
    const email = parseEmail(` ${text.toUpperCase()} `);
    expect(email).toMatchObject({ valid: false, local: '', domain: '', registrableDomain: '', alias: false });
    expect(email.canonical).toBe(text.toLowerCase());
  });

  test('an address at a public suffix has that suffix as its domain', () => {
    expect(parseEmail('x@gov.uk')).toMatchObject({ valid: true, registrableDomain: 'gov.uk' });
  });
});

describe('canonical', () => {
  test.each([
    ['J.Doe+x@googlemail.com', 'jdoe@gmail.com'],
    ['jane.doe@gmail.com', 'janedoe@gmail.com'],
    ['Jane-shop@yahoo.co.uk', 'jane@yahoo.co.uk'],
    ['jane-doe@example.com', 'jane-doe@example.com'],
    ['jane.doe+a+b@example.com', 'jane.doe@example.com'],
    ['+jane@example.com', '+jane@example.com'],
    ['-jane@yahoo.com', '-jane@yahoo.com'],
  ])('%s is %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test('is idempotent and blind to case and to space around', () => {
    const domain = fc.constantFrom(
      'gmail.com',
      'googlemail.com',
      'yahoo.fr',
      'example.com',
      'Example.ORG',
      'b.invalidtld',
    );
    const local = fc.stringMatching(/^[A-Za-z0-9+._-]{1,20}$/);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(local, domain).map((parts) => parts.join('@')),
        ),
        (text) => {
          const once = canonical(text);
          expect(canonical(once)).toBe(once);
          expect(canonical(` ${once.toUpperCase()}\n`)).toBe(canonical(once.toUpperCase()));
        },
      ),
    );
  });
});

describe('alias', () => {
  test.each([
    'j.doe+x@googlemail.com',
    'jane+shop@example.com',
    'jane-shop@yahoo.com',
    'j.a.n.e.doe@gmail.com',
  ])('%s is one', (text) => expect(parseEmail(text).alias).toBe(true));

  test.each([
    'jane.doe@gmail.com',
    'jane@googlemail.com',
    'Jane.Doe@example.com',
    'j.a.n.e@example.com',
    'a-b@example.com',
  ])('%s is how somebody writes their address', (text) => expect(parseEmail(text).alias).toBe(false));
});

describe('nearEmailBlocks', () => {
  const shares = (left: string, right: string) => {
    const blocks = new Set(nearEmailBlocks(left));
    return nearEmailBlocks(right).some((block) => blocks.has(block));
  };

  const character = fc.constantFrom(...'abcdeXYZ019_.'.replace('.', ''));
  const localPart = fc.array(character, { minLength: 5, maxLength: 40 }).map((letters) => letters.join(''));
  const edit = fc.record({ at: fc.nat(), kind: fc.constantFrom('insert', 'delete', 'replace'), character });

  test('any two local parts one edit apart share a block', () => {
    fc.assert(
      fc.property(localPart, edit, (local, { at, kind, character }) => {
        const index = at % (local.length + (kind === 'insert' ? 1 : 0));
        const inserted = kind === 'delete' ? '' : character;
        const edited = local.slice(0, index) + inserted + local.slice(kind === 'insert' ? index : index + 1);
        fc.pre(edited.length >= 5);
        expect(shares(`${local}@example.com`, `${edited}@example.com`)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('there are at most 12, all different', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        const blocks = nearEmailBlocks(email);
        expect(blocks.length).toBeLessThanOrEqual(12);
        expect(new Set(blocks).size).toBe(blocks.length);
      }),
    );
  });

  test('digits, tags and letter case do not matter', () => {
    expect(shares('jane.doe1987@example.com', 'Jane.Doe2024+x@example.com')).toBe(true);
    expect(shares('john@example.com', 'john77@example.com')).toBe(true);
  });

  test('other domains, other names and short names are not near', () => {
    expect(shares('jane.doe1@example.com', 'jane.doe2@example.org')).toBe(false);
    expect(shares('alexander.smith@example.com', 'alexander.jones@example.com')).toBe(false);
    expect(shares('anna@example.com', 'anne@example.com')).toBe(false);
    expect(shares('a1@example.com', 'a2@example.com')).toBe(false);
    expect(nearEmailBlocks('not an address')).toEqual([]);
    expect(nearEmailBlocks('')).toEqual([]);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEmail } from './email-address.ts';

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
    '"x y@example.com',
    '""@example.com',
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

  test('uses a public suffix as the domain of an address at it', () => {
    expect(parseEmail('x@gov.uk')).toMatchObject({ valid: true, registrableDomain: 'gov.uk' });
  });
});

describe('canonical form', () => {
  test.each([
    ['J.Doe+x@googlemail.com', 'jdoe@gmail.com'],
    ['jane.doe@gmail.com', 'janedoe@gmail.com'],
    // The base of a disposable address is no address: jane@yahoo.com can belong to another person.
    ['Jane-shop@yahoo.com', 'jane-@yahoo.com'],
    ['jane-news@yahoo.com', 'jane-@yahoo.com'],
    ['jane@yahoo.com', 'jane@yahoo.com'],
    // Not documented for the domains of other countries; yahoo.co.jp belongs to another company.
    ['jean-paul@yahoo.fr', 'jean-paul@yahoo.fr'],
    ['taro-news@yahoo.co.jp', 'taro-news@yahoo.co.jp'],
    ['jane@googlemail.com', 'jane@gmail.com'],
    ['shop@John.fastmail.com', 'john@fastmail.com'],
    ['shop+1@john.sent.com', 'john@sent.com'],
    ['john+shop@fastmail.com', 'john@fastmail.com'],
    ['john@fastmail.fm', 'john@fastmail.fm'],
    ['a@b.john.fastmail.com', 'a@b.john.fastmail.com'],
    ['a@john.fastmailer.com', 'a@john.fastmailer.com'],
    ['Ivan.Petrov@ya.ru', 'ivan-petrov@yandex.ru'],
    ['ivan-petrov@yandex.com', 'ivan-petrov@yandex.ru'],
    ['ivanpetrov@yandex.kz', 'ivanpetrov@yandex.ru'],
    ['ivan.petrov@yandex.com.ua', 'ivan.petrov@yandex.com.ua'],
    ['ivan.petrov+shop@narod.ru', 'ivan-petrov@yandex.ru'],
    ['jane.doe@me.com', 'jane.doe@icloud.com'],
    ['jane.doe+x@mac.com', 'jane.doe@icloud.com'],
    ['janedoe@icloud.com', 'janedoe@icloud.com'],
    ['Jane.Doe@protonmail.com', 'janedoe@proton.me'],
    ['jane-doe_x+shop@pm.me', 'janedoex@proton.me'],
    ['jane@protonmail.ch', 'jane@proton.me'],
    ['jane@outlook.com', 'jane@outlook.com'],
    ['jane@hotmail.com', 'jane@hotmail.com'],
    ['jane+shop@live.com', 'jane@live.com'],
    ['jane.doe@mail.ru', 'jane.doe@mail.ru'],
    ['jane@bk.ru', 'jane@bk.ru'],
    ['shop@john.33mail.com', '*@john.33mail.com'],
    ['news@john.anonaddy.com', '*@john.anonaddy.com'],
    ['"jane"@example.com', 'jane@example.com'],
    ['"Jane.\\Doe"@example.com', 'jane.doe@example.com'],
    ['"john doe"@example.com', '"john doe"@example.com'],
    ['"john\\ doe"@Example.com', '"john doe"@example.com'],
    ['"john doe+shop"@example.com', '"john doe"@example.com'],
    ['"a\\"b"@example.com', '"a\\"b"@example.com'],
    ['jane-doe@example.com', 'jane-doe@example.com'],
    ['jane.doe+a+b@example.com', 'jane.doe@example.com'],
    ['+jane@example.com', '+jane@example.com'],
    ['-jane@yahoo.com', '-jane@yahoo.com'],
  ])('of %s is %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test('is idempotent and ignores case and surrounding spaces', () => {
    const domain = fc.constantFrom(
      'gmail.com',
      'googlemail.com',
      'yahoo.com',
      'example.com',
      'Example.ORG',
      'ya.ru',
      'me.com',
      'pm.me',
      'john.fastmail.com',
      'john.33mail.com',
      'b.invalidtld',
    );
    const local = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9+._-]{1,20}$/),
      fc.stringMatching(/^"(?:[ -!#-[\]-~]|\\[ -~]){1,10}"$/),
    );
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
    'j.a-n_e@proton.me',
    'shop@john.fastmail.com',
    'shop@john.33mail.com',
    'ivan.petrov+shop@ya.ru',
    '"john doe+shop"@example.com',
  ])('%s is an alias', (text) => expect(parseEmail(text).alias).toBe(true));

  test.each([
    'jane.doe@gmail.com',
    'jane@googlemail.com',
    'Jane.Doe@example.com',
    'j.a.n.e@example.com',
    'a-b@example.com',
    'jane.doe@proton.me',
    'ivan.petrov@ya.ru',
    'jane.doe@me.com',
    'john@fastmail.com',
    '"john doe"@example.com',
  ])('%s is not an alias', (text) => expect(parseEmail(text).alias).toBe(false));
});

const times = (count: number, text: string) => text.repeat(count);

describe('syntax of an address', () => {
  test.each([
    ['letters beyond ASCII', 'jörg@example.com', 'example.com'],
    ['another script on both sides', '用户@例え.jp', 'xn--r8jz45g.jp'],
    ['Greek', 'δοκιμή@παράδειγμα.gr', 'xn--hxajbheg2az3al.gr'],
    ['a letter of a supplementary plane', '𠮷野@example.jp', 'example.jp'],
    ['punycode in upper case', 'jane@XN--BCHER-KVA.de', 'xn--bcher-kva.de'],
    ['a quoted local part', '"john doe"@example.com', 'example.com'],
    ['a quoted local part with dots', '"john..doe."@example.com', 'example.com'],
    ['a quoted local part with an @ and a comma', '"a@b,c"@example.com', 'example.com'],
    ['a quoted local part with escapes', '"a\\"b\\\\c"@example.com', 'example.com'],
    ['a quoted local part beyond ASCII', '"jörg müller"@example.com', 'example.com'],
    ['a quoted local part of one space', '" "@example.com', 'example.com'],
    ['64 bytes in quotes', `"${times(62, 'x')}"@example.com`, 'example.com'],
    ['a full-width domain', 'a@ｅｘａｍｐｌｅ.com', 'example.com'],
    ['an ideographic full stop', 'a@example。com', 'example.com'],
    ['surrounding space and line ends', ' a@example.com\r\n', 'example.com'],
    ['unusual legal characters', "o'brien!#$&*@example.com", 'example.com'],
    ['a plus alone', '+@example.com', 'example.com'],
    ['a domain of digits', 'a@163.com', '163.com'],
    ['a joiner after a virama', 'क्\u200dष@example.com', 'example.com'],
    ['a Persian word with a joiner that does not join', 'می\u200cخواهم@example.com', 'example.com'],
    ['64 bytes before the @', `${times(64, 'x')}@example.com`, 'example.com'],
    ['64 bytes of 32 letters', `${times(32, 'ü')}@example.com`, 'example.com'],
    ['254 characters', `${times(64, 'x')}@${times(3, `${times(60, 'y')}.`)}abc.de`, null],
  ])('%s is valid', (_case, text, domain) => {
    const parsed = parseEmail(text);
    expect(parsed.valid).toBe(true);
    if (domain) expect(parsed.domain).toBe(domain);
  });

  test.each([
    ['no @', 'example.com'],
    ['no local part', '@example.com'],
    ['no domain', 'a@'],
    ['two @', 'a@b@example.com'],
    ['a full-width @', 'a＠example.com'],
    ['a trailing dot of the domain', 'a@example.com.'],
    ['a trailing dot of the local part', 'a.@example.com'],
    ['a trailing dot on both sides', 'a.@.'],
    ['a leading dot', '.a@example.com'],
    ['two consecutive dots', 'a..b@example.com'],
    ['two consecutive dots in the domain', 'a@example..com'],
    ['an empty quoted local part', '""@example.com'],
    ['a quote that is not closed', '"a b@example.com'],
    ['a quote inside a local part', 'a"b"@example.com'],
    ['a quoted word and a plain one', '"a b".c@example.com'],
    ['a quote that is not escaped', '"a"b"@example.com'],
    ['an escape without a character', '"a\\"@example.com'],
    ['a line end in quotes', '"a\r\nBcc: x"@example.com'],
    ['a tab in quotes', '"a\tb"@example.com'],
    ['a NUL in quotes', '"a\u0000b"@example.com'],
    ['a no-break space in quotes', '"a\u00a0b"@example.com'],
    ['a percent-encoded line end in quotes', '"a%0d%0ab"@example.com'],
    ['65 bytes in quotes', `"${times(63, 'x')}"@example.com`],
    ['a comment', 'jane(comment)@example.com'],
    ['a comment of the domain', 'jane@(comment)example.com'],
    ['a header after a line end', 'a@example.com\r\nBcc: x@example.org'],
    ['a line end before the @', 'a\nBcc: x@example.org'],
    ['a percent-encoded line feed', 'a%0abcc@example.com'],
    ['a percent-encoded line end', 'a%0D%0Ab@example.com'],
    ['a percent-encoded NUL', 'a%00b@example.com'],
    ['a NUL', '\u0000a@example.com'],
    ['a tab inside', 'a\tb@example.com'],
    ['a space inside', 'a b@example.com'],
    ['a no-break space inside', 'a\u00a0b@example.com'],
    ['a comma', 'a@example.com,b@example.com'],
    ['a semicolon', 'a@example.com;b@example.com'],
    ['angle brackets', '<a@example.com>'],
    ['a display name', 'Jane <jane@example.com>'],
    ['a zero-width character', 'a\u200b@example.com'],
    ['a joiner between Latin letters', 'a\u200db@example.com'],
    ['a joiner at the end of an Arabic word', 'علی\u200c@example.com'],
    ['a bidirectional control mark', 'a\u202e@example.com'],
    ['an IP literal', 'a@[127.0.0.1]'],
    ['an IPv6 literal', 'a@[IPv6:::1]'],
    ['an IP address', 'a@127.0.0.1'],
    ['a host without a suffix', 'a@localhost'],
    ['an unregistered suffix', 'a@gmail.con'],
    ['punycode that decodes to nothing', 'a@xn--99999999.de'],
    ['an underscore in the domain', 'a@exa_mple.com'],
    ['a label that starts with a hyphen', 'a@-example.com'],
    ['65 bytes before the @', `${times(65, 'x')}@example.com`],
    ['66 bytes of 33 letters', `${times(33, 'ü')}@example.com`],
    ['255 characters', `${times(64, 'x')}@${times(3, `${times(60, 'y')}.`)}abcd.de`],
    ['320 characters: 64, the @ and 255', `${times(64, 'x')}@${times(4, `${times(62, 'y')}.`)}com`],
  ])('%s is not valid', (_case, text) => {
    expect(parseEmail(text)).toMatchObject({ valid: false, domain: '', local: '' });
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBotDeclaration } from './bot-declaration.ts';

const ENGINE = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const CHROME = `${ENGINE} Chrome/118.0.0.0`;

describe('a program is declared', () => {
  test.each([
    ['curl/8.5.0', 'url'],
    ['Googlebot/2.1 (+http://www.google.com/bot.html)', /google/i],
    ['Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)', /bot/i],
    [
      `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${CHROME} Mobile Safari/537.36 (compatible; Google-InspectionTool/1.0)`,
      'Google-InspectionTool',
    ],
    [`Mozilla/5.0 (Linux; Android 5.0; SM-G900P; PetalBot/1.0) ${CHROME} Mobile Safari/537.36`, 'PetalBot/1'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36; Devin/1.0; +devin.ai`, /devin/i],
    [`Mozilla/5.0 (X11; Datanyze; Linux x86_64) ${CHROME} Safari/537.36`, 'Datanyze'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${ENGINE} HeadlessChrome/125.0.0.0 Safari/537.36`, 'Headless'],
    [
      `Mozilla/5.0 (Linux; Android 7.0; Moto G (4)) ${CHROME} Mobile Safari/537.36 Chrome-Lighthouse`,
      /lighthouse/i,
    ],
    ['wget/1.21 (linux-android)', 'wget'],
    ['AnyCrawler (iPhone; iOS 17.1; Scale/3.00)', /crawl/i],
    [`Mozilla/5.0 (Linux; Android 9; Pixel 3; crawler@example.com) ${CHROME} Mobile Safari/537.36`, '.com'],
  ])('by %s', (userAgent, word) => {
    const declaration = readBotDeclaration(userAgent);
    expect(declaration?.strength).toBe('plain');
    expect(declaration?.word).toMatch(word);
  });
});

describe('a bot word is a hint', () => {
  test.each([
    [`Mozilla/5.0 (Linux; Android 9; GM Discovery II) ${CHROME} Mobile Safari/537.36`, 'Discovery'],
    [`Mozilla/5.0 (Linux; Android 7.0; M bot 54) ${CHROME} Mobile Safari/537.36`, 'bot'],
    [`Mozilla/5.0 (Linux; Android 13; Spider 8) ${CHROME} Safari/537.36`, 'Spider'],
    [
      `Mozilla/5.0 (Linux armv7l) ${CHROME} Safari/537.36 OPR/46.0.2207.0 OMI/4.21.4.112.Catcher4.69 Model/Hisense-MT9602`,
      'Catch',
    ],
    [`Mozilla/5.0 (Linux; Android 9; X) ${CHROME} Mobile Safari/537.36 SogouSearch Android1.0`, 'Sogou'],
    ['ReutersNews/6.0.3 iPad14,4 iPadOS/17.5.1 CFNetwork/1.0 Darwin/23.5.0', 'News'],
    [
      'Mozilla/5.0 (compatible; MSIE 9.0; Windows Phone OS 7.5; Trident/5.0; IEMobile/9.0; HTC; Radar 4G)',
      'Radar',
    ],
    [
      `Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) ${CHROME} Mobile Safari/537.36 [FBAN/FB4A;FBMF/Google;FBBD/google]`,
      'Google',
    ],
    [
      'UCWEB/2.0 (Java; U; MIDP-2.0; Nokia203/20.37) U2/1.0.0 UCMini/11.0 (SpeedMode; Proxy; Android 5.1; A33f)',
      'Proxy',
    ],
  ])('in %s', (userAgent, word) => {
    expect(readBotDeclaration(userAgent)).toEqual({ strength: 'hint', word: expect.stringContaining(word) });
  });
});

test.each([
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`,
  'Mozilla/5.0 (SAMSUNG; SAMSUNG-GT-S8600/1.0; U; Bada/2.0; en-us) AppleWebKit/534.20 (KHTML, like Gecko) Dolfin/3.0 Mobile',
  `Mozilla/5.0 (Linux; Android 6.0; CG|EON Blaze GOLD) ${CHROME} Mobile Safari/537.36`,
])('no program is declared by %s', (userAgent) => {
  expect(readBotDeclaration(userAgent)).toBeNull();
});

test('a user agent without an operating system declares a program even without a bot word', () => {
  expect(readBotDeclaration('MyShop/3.1')).toEqual({ strength: 'plain', word: '' });
});

test('any text has a result, which contains its bot word', () => {
  const pieces = fc.constantFrom(
    'Mozilla/5.0 (',
    'Android 9; ',
    'bot',
    'google',
    ') ',
    '/',
    '@a.',
    'compatible; ',
    '+',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(pieces, fc.string())).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (userAgent) => {
      const declaration = readBotDeclaration(userAgent);
      if (declaration) expect(userAgent).toContain(declaration.word);
    }),
  );
});

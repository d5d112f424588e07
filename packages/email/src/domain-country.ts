import { domainToASCII } from 'node:url';
import { isCountryCode } from '@vouchgraph/platform/countries';

/** Country-code domains that are mostly used as a word or an abbreviation, or were free of charge: no country. */
export const GENERIC_COUNTRY_SUFFIXES: ReadonlySet<string> = new Set(
  'ac ad ag ai am as bz cc cd cf co cx dj fm ga gd gg gl gq gs im io la lc me ml ms nf nu pn pw sb sc sh so st tc tf tk tl to tv vc vg vu ws'.split(
    ' ',
  ),
);

/** Countries of .uk and of top-level domains in other scripts. */
const OTHER_SUFFIXES: Readonly<Record<string, string>> = {
  uk: 'GB',
  ...inAscii({
    AE: 'امارات',
    AM: 'հայ',
    BD: 'বাংলা',
    BG: 'бг',
    BY: 'бел',
    CN: '中国 中國',
    DZ: 'الجزائر',
    EG: 'مصر',
    GE: 'გე',
    GR: 'ελ',
    HK: '香港',
    IL: 'ישראל',
    IN: 'भारत ভারত భారత్ இந்தியா ભારત ਭਾਰਤ بھارت ಭಾರತ ഭാരതം ଭାରତ',
    IQ: 'عراق',
    IR: 'ایران',
    JO: 'الاردن',
    KR: '한국',
    KZ: 'қаз',
    LA: 'ລາວ',
    LK: 'ලංකා இலங்கை',
    MA: 'المغرب',
    MK: 'мкд',
    MN: 'мон',
    MO: '澳門',
    MR: 'موريتانيا',
    MY: 'مليسيا',
    OM: 'عمان',
    PK: 'پاکستان',
    PS: 'فلسطين',
    QA: 'قطر',
    RS: 'срб',
    RU: 'рф',
    SA: 'السعودية',
    SD: 'سودان',
    SG: '新加坡 சிங்கப்பூர்',
    SY: 'سورية',
    TH: 'ไทย',
    TN: 'تونس',
    TW: '台湾 台灣',
    UA: 'укр',
    YE: 'اليمن',
  }),
};

/**
 * Country of a domain's country-code top-level domain, ISO 3166-1 alpha-2; null for other top-level domains and those in
 * generic use.
 */
export function countryOfDomain(domain: string): string | null {
  const suffix = domain.slice(domain.lastIndexOf('.') + 1);
  const other = Object.hasOwn(OTHER_SUFFIXES, suffix) ? OTHER_SUFFIXES[suffix]! : null;
  if (other !== null || suffix.length !== 2 || GENERIC_COUNTRY_SUFFIXES.has(suffix)) return other;
  const code = suffix.toUpperCase();
  return isCountryCode(code) ? code : null;
}

function inAscii(suffixes: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(suffixes).flatMap(([country, written]) =>
    written.split(' ').map((suffix) => [domainToASCII(suffix), country] as const),
  );
  return Object.fromEntries(pairs);
}

/** The languages of browsers in a country; where we name none, English. */
const LANGUAGES: Readonly<Record<string, string>> = {
  US: 'en-US',
  GB: 'en-GB',
  CA: 'en-CA',
  AU: 'en-AU',
  DE: 'de-DE',
  AT: 'de-AT',
  FR: 'fr-FR',
  ES: 'es-ES',
  MX: 'es-MX',
  AR: 'es-AR',
  IT: 'it-IT',
  NL: 'nl-NL',
  PL: 'pl-PL',
  SE: 'sv-SE',
  BR: 'pt-BR',
  PT: 'pt-PT',
  RU: 'ru-RU',
  UA: 'uk-UA',
  TR: 'tr-TR',
  JP: 'ja-JP',
  KR: 'ko-KR',
  CN: 'zh-CN',
  TW: 'zh-TW',
  IN: 'en-IN',
  ID: 'id-ID',
  VN: 'vi-VN',
  TH: 'th-TH',
};

export function languagesOf(countryCode: string): string[] {
  const first = LANGUAGES[countryCode] ?? 'en-US';
  return [first, first.split('-')[0]!];
}

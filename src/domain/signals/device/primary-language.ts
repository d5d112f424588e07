/** What some systems still call by an older name (IANA language subtag registry), and Norwegian's written forms. */
const SAME: Readonly<Record<string, string>> = {
  iw: 'he',
  in: 'id',
  ji: 'yi',
  tl: 'fil',
  nb: 'no',
  nn: 'no',
  cmn: 'zh',
  yue: 'zh',
  mo: 'ro',
};

/** The language of a tag (BCP 47) without script and region, by its present name; '' for none. */
export function primaryLanguage(tag: string): string {
  const subtag = /^([a-z]{2,3})(?:[-_]|$)/i.exec(tag.trim())?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(SAME, subtag) ? SAME[subtag]! : subtag;
}

const LONGEST_HEADER = 1024;

/** The languages of an Accept-Language header, the most wanted first; without `*` and what is no language. */
export function headerLanguages(header: string | undefined): string[] {
  const ranked = (header ?? '')
    .slice(0, LONGEST_HEADER)
    .split(',')
    .map((item) => {
      const [tag = '', ...parameters] = item.split(';');
      return { language: primaryLanguage(tag), quality: qualityOf(parameters) };
    });
  return ranked
    .filter(({ language, quality }) => language !== '' && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ language }) => language);
}

/** Without a number it is 1 (RFC 9110 section 12.4.2). */
function qualityOf(parameters: readonly string[]): number {
  const quality = Number(/^\s*q=([\d.]+)\s*$/i.exec(parameters.at(-1) ?? '')?.[1] ?? 1);
  return Number.isNaN(quality) ? 1 : quality;
}

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

/** Codes of ISO 639 for no language: undetermined, several, uncoded, no linguistic content. */
const NO_LANGUAGE: ReadonlySet<string> = new Set(['und', 'mul', 'mis', 'zxx']);

/** The language of a tag (BCP 47) without script and region, by its present name; '' for none and a malformed tag. */
export function primaryLanguage(tag: string): string {
  const subtag = /^([a-z]{2,3})(?:[-_][a-z\d]{1,8})*$/i.exec(tag.trim())?.[1]?.toLowerCase() ?? '';
  if (NO_LANGUAGE.has(subtag)) return '';
  return Object.hasOwn(SAME, subtag) ? SAME[subtag]! : subtag;
}

const MAX_HEADER_LENGTH = 1024;

/** Languages of an Accept-Language header, the most wanted first; without `*` and malformed items. */
export function headerLanguages(header: string | undefined): string[] {
  return headerTags(header).map(primaryLanguage);
}

/** Language tags of an Accept-Language header as sent, the most wanted first; without `*` and malformed items. */
export function headerTags(header: string | undefined): string[] {
  const ranked = (header ?? '')
    .slice(0, MAX_HEADER_LENGTH)
    .split(',')
    .map((item) => {
      const [tag = '', ...parameters] = item.split(';');
      return { tag: tag.trim(), quality: qualityOf(parameters) };
    });
  return ranked
    .filter(({ tag, quality }) => primaryLanguage(tag) !== '' && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

/** 1 without a weight (RFC 9110 section 12.4.2); 0, as for a refused language, when the parameters are malformed. */
function qualityOf(parameters: readonly string[]): number {
  if (parameters.length === 0) return 1;
  const weight =
    parameters.length === 1 ? /^\s*q\s*=\s*(\d?\.?\d{1,8})\s*$/i.exec(parameters[0]!)?.[1] : undefined;
  const quality = Number(weight ?? 0);
  return quality <= 1 ? quality : 0;
}

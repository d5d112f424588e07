import { deviceEvidence } from '../device/device-evidence.ts';
import { type SessionFacts, type SignalCode, weigh } from '../evidence.ts';
import { DEVICE_WEIGHTS, LANGUAGE_CONFIDENCE, LANGUAGE_NETWORK_MISMATCH } from '../weights.ts';

export const languageMismatch = {
  code: 'language_mismatch',
  family: 'device',
  describes: 'A browser that asks servers for one language and tells its pages another has been disguised.',
  needs: "the request's Accept-Language, navigator.languages and the locale of Intl",
  evaluate(facts) {
    const found = headerContradiction(facts) ?? localeContradiction(facts);
    if (!found) return null;
    return {
      ...deviceEvidence({
        code: 'language_mismatch',
        group: 'tamper',
        weight: DEVICE_WEIGHTS.languageMismatch,
        source: 'languages',
        ...found,
      }),
      contributions: weigh(
        { deviceRisk: DEVICE_WEIGHTS.languageMismatch, deviceNetworkMismatch: LANGUAGE_NETWORK_MISMATCH },
        found.confidence,
      ),
    };
  },
} satisfies SignalCode;

type Found = { confidence: number; observed: string };

/** The first language, since browsers send fewer than they tell; regions apart are honest. */
function headerContradiction({ headers, browser }: SessionFacts): Found | null {
  const asked = primaryTag((headers['accept-language'] ?? '').split(/[,;]/, 1)[0]!);
  const told = primaryTag(browser.languages[0] ?? '');
  if (asked === '' || told === '' || asked === told) return null;
  // In a private window some browsers ask for one of the further languages only.
  const isAmongOthers = browser.languages.some((language) => primaryTag(language) === asked);
  return {
    confidence: isAmongOthers ? LANGUAGE_CONFIDENCE.otherOrder : LANGUAGE_CONFIDENCE.header,
    observed: `asks for ${asked}, tells ${told}`,
  };
}

/** The browser's own language often differs from those it prefers for pages: a weak sign, and none within the list. */
function localeContradiction({ browser, checks }: SessionFacts): Found | null {
  const locale = primaryTag(checks?.locale ?? '');
  if (locale === '' || browser.languages.length === 0) return null;
  if (browser.languages.some((language) => primaryTag(language) === locale)) return null;
  return { confidence: LANGUAGE_CONFIDENCE.locale, observed: `locale ${locale} is none of its languages` };
}

/** BCP 47's primary subtag; '' for `*` and for what is no tag. Old and new codes of one language are the same. */
function primaryTag(tag: string): string {
  const primary = /^([a-z]{2,3})(?=$|[-_])/i.exec(tag.trim())?.[1]?.toLowerCase() ?? '';
  return RENAMED[primary] ?? primary;
}

const RENAMED: Readonly<Record<string, string>> = {
  iw: 'he',
  in: 'id',
  ji: 'yi',
  nb: 'no',
  nn: 'no',
  tl: 'fil',
};

import type { Finding } from '../automation/finding.ts';
import { deviceEvidence, pageFinding } from '../device/device-evidence.ts';
import { headerLanguages, primaryLanguage } from '../device/primary-language.ts';
import type { SessionFacts, SignalCode } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.3, deviceNetworkMismatch: 0.2 } as const;

/** Signs that the page's languages were changed. Browsers may request the one of a person's languages that a site has. */
const LANGUAGE_CONFIDENCE = {
  nowhere: 0.8,
  elsewhereInList: 0.3,
  /** Added when the browser's interface has the language of the header. */
  interfaceAgrees: 0.3,
} as const;

export const languageMismatch = {
  code: 'language_mismatch',
  family: 'device',
  describes: 'Different first languages in the request header and in the page.',
  needs: '`Accept-Language`; `navigator.languages`; locale of `Intl`',
  limits: "Fraud by itself: some browsers request another of the user's languages, which counts less.",
  weights: WEIGHTS,
  evaluate(facts) {
    return deviceEvidence(
      { code: 'language_mismatch', group: 'tamper', weights: WEIGHTS },
      headerFindings(facts),
    );
  },
} satisfies SignalCode;

/**
 * Only the first language is compared: private windows, Safari and newer Chromium request only one language, and name
 * more to the page. The language of the interface often differs from that of pages, so that it only confirms.
 */
function headerFindings({ headers, browser, checks }: SessionFacts): Finding[] {
  const asked = headerLanguages(headers['accept-language']);
  const pageLanguage = primaryLanguage(browser.languages[0] ?? '');
  if (asked.length === 0 || pageLanguage === '' || asked[0] === pageLanguage) return [];
  const observed = `header ${asked[0]}, page ${pageLanguage}`;
  const isElsewhere =
    asked.includes(pageLanguage) ||
    browser.languages.some((language) => primaryLanguage(language) === asked[0]);
  const found = pageFinding(
    'header',
    isElsewhere ? LANGUAGE_CONFIDENCE.elsewhereInList : LANGUAGE_CONFIDENCE.nowhere,
    observed,
    'languages',
  );
  if (isElsewhere || primaryLanguage(checks?.locale ?? '') !== asked[0]) return [found];
  return [
    found,
    pageFinding('interface', LANGUAGE_CONFIDENCE.interfaceAgrees, `interface ${asked[0]}`, 'languages'),
  ];
}

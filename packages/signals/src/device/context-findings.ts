import type { Finding } from '../automation/finding.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { CONTEXT_MISMATCH_CONFIDENCE } from '../evidence/weights.ts';
import type { ContextValues } from './checks.ts';
import { claimedEngine, claimedVersion } from './claimed-engine.ts';
import { otherTime } from './clock-findings.ts';
import { pageFinding } from './device-evidence.ts';
import { isUniformFirefoxHeader } from './header-user-agent.ts';
import { primaryLanguage } from './primary-language.ts';
import { kernelOfPlatform, kernelOfUserAgent } from './system-kernel.ts';

/**
 * Where a worker and a frame contradict the window. Missing values are no contradiction. Only the meaning of names is
 * compared, as honest browsers write them differently: an iPad with the desktop page is a Mac to the window and an iPad
 * to its workers, and apps add their own name to the window's user agent.
 */
export function contextFindings(facts: SessionFacts): Finding[] {
  const { worker, iframe } = facts.checks ?? {};
  return [
    ...(worker ? findingsOf(facts, worker, 'worker') : []),
    ...(iframe ? findingsOf(facts, iframe, 'frame') : []),
  ];
}

type Place = 'worker' | 'frame';

function findingsOf(facts: SessionFacts, context: ContextValues, place: Place): Finding[] {
  return [
    ...browserFindings(facts, context, place),
    ...platformFindings(facts, context, place),
    ...timeFindings(facts, context, place),
    ...languageFindings(facts, context, place),
    ...coreFindings(facts, context, place),
    ...webdriverFindings(facts, context, place),
  ];
}

function differ<Value>(one: Value | null, other: Value | null): boolean {
  return one !== null && other !== null && one !== other;
}

function browserFindings(facts: SessionFacts, { userAgent }: ContextValues, place: Place): Finding[] {
  const claimed = facts.userAgent;
  if (userAgent === '' || userAgent === claimed || isUniformFirefoxHeader(facts)) return [];
  if (differ(kernelOfUserAgent(claimed), kernelOfUserAgent(userAgent))) {
    return [finding('system', `another system in a ${place}`)];
  }
  if (differ(claimedEngine(claimed), claimedEngine(userAgent))) {
    return [finding('browser', `another browser in a ${place}`)];
  }
  if (claimedEngine(claimed) === 'WebKit' || !differ(claimedVersion(claimed), claimedVersion(userAgent)))
    return [];
  return [
    finding(
      'version',
      `version ${claimedVersion(userAgent)} in a ${place}, ${claimedVersion(claimed)} outside`,
    ),
  ];
}

function platformFindings({ browser }: SessionFacts, { platform }: ContextValues, place: Place): Finding[] {
  const outside = kernelOfPlatform(browser.platform);
  const inside = kernelOfPlatform(platform);
  if (!differ(outside, inside)) return [];
  return [finding('system', `platform ${inside} in a ${place}, ${outside} outside`)];
}

function timeFindings(facts: SessionFacts, context: ContextValues, place: Place): Finding[] {
  const other = otherTime(facts, context);
  return other ? [finding('timezone', `${other} in a ${place}`)] : [];
}

function languageFindings({ browser }: SessionFacts, context: ContextValues, place: Place): Finding[] {
  const outside = primaryLanguage(browser.languages[0] ?? browser.language);
  const inside = primaryLanguage(context.languages?.[0] ?? context.language);
  if (outside === '' || inside === '' || outside === inside) return [];
  return [finding('language', `language ${inside} in a ${place}, ${outside} outside`)];
}

/** Brave reports a random number to each context. */
function coreFindings(
  { device, checks }: SessionFacts,
  { cpuCores }: ContextValues,
  place: Place,
): Finding[] {
  const outside = device.cpuCores;
  if (outside === null || cpuCores === null || outside === cpuCores || checks?.features.brave) return [];
  const observed = `${cpuCores} processors in a ${place}, ${outside} outside`;
  if (outside > cpuCores) return [pageFinding('cores', CONTEXT_MISMATCH_CONFIDENCE.moreCores, observed)];
  if (outside === CONTEXT_MISMATCH_CONFIDENCE.usualFewCores) return [];
  return [pageFinding('cores', CONTEXT_MISMATCH_CONFIDENCE.fewerCores, observed)];
}

function webdriverFindings({ checks }: SessionFacts, { webdriver }: ContextValues, place: Place): Finding[] {
  if (webdriver !== true || checks?.webdriver === true) return [];
  return [finding('webdriver', `webdriver in a ${place} only`)];
}

type Sign = 'system' | 'browser' | 'version' | 'timezone' | 'language' | 'webdriver';

function finding(sign: Sign, observed: string): Finding {
  return pageFinding(sign, CONTEXT_MISMATCH_CONFIDENCE[sign], observed);
}

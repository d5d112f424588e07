import type { Brand } from '../checks.ts';
import { chromiumMajor, claimedEngine } from '../device/claimed-engine.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import { engineTraits } from '../device/engine-traits.ts';
import type { SessionFacts, SignalCode } from '../evidence.ts';
import { BROWSER_VERSION_CONFIDENCE, DEVICE_WEIGHTS } from '../weights.ts';

export const browserVersionMismatch = {
  code: 'browser_version_mismatch',
  family: 'device',
  describes: 'A browser that is another one, or another version, than it says has been disguised.',
  needs: 'the user agent, the client hints, and values that each engine fixes',
  evaluate(facts) {
    const found = hintsOfAnotherEngine(facts) ?? versionContradiction(facts) ?? engineContradiction(facts);
    if (!found) return null;
    return deviceEvidence({
      code: 'browser_version_mismatch',
      group: 'tamper',
      weight: DEVICE_WEIGHTS.browserVersionMismatch,
      ...found,
    });
  },
} satisfies SignalCode;

type Contradiction = { confidence: number; source: string; observed: string };

/** Only Chromium has client hints: Firefox and Safari, and every browser on iOS, send none. */
function hintsOfAnotherEngine({ userAgent, checks, headers }: SessionFacts): Contradiction | null {
  const engine = claimedEngine(userAgent);
  const hasHints = hintedMajor(checks?.userAgentData?.brands ?? []) ?? majorInHeader(headers);
  if (engine === null || engine === 'Blink' || hasHints === null) return null;
  return {
    confidence: BROWSER_VERSION_CONFIDENCE.hintsOfAnotherEngine,
    source: 'client_hints',
    observed: `user agent ${engine}, client hints of Chromium ${hasHints}`,
  };
}

/** The user agent and the hints come from one place in the browser, and an update changes both at once. */
function versionContradiction({ userAgent, checks, headers }: SessionFacts): Contradiction | null {
  const named = chromiumMajor(userAgent);
  if (named === null || claimedEngine(userAgent) !== 'Blink') return null;
  const hinted = [
    hintedMajor(checks?.userAgentData?.brands ?? []),
    hintedMajor(checks?.userAgentData?.fullVersionList ?? []),
    majorInHeader(headers),
  ].find((major) => major !== null && major !== named);
  if (hinted === undefined || hinted === null) return null;
  return {
    confidence: BROWSER_VERSION_CONFIDENCE.hintedVersion,
    source: 'client_hints',
    observed: `user agent Chromium ${named}, client hints ${hinted}`,
  };
}

/** Two traits of another engine are no accident; one may be a page's own replacement. */
function engineContradiction({ userAgent, checks }: SessionFacts): Contradiction | null {
  const engine = claimedEngine(userAgent);
  if (engine === null || !checks) return null;
  const foreign = engineTraits(checks).filter(({ engines }) => !engines.includes(engine));
  if (foreign.length === 0) return null;
  const { oneTrait, moreTraits } = BROWSER_VERSION_CONFIDENCE;
  return {
    confidence: foreign.length === 1 ? oneTrait : moreTraits,
    source: 'page_checks',
    observed: `user agent ${engine}, but ${foreign.map(({ name }) => name).join(', ')}`,
  };
}

/** The version of Chromium itself; the other brands count their own, and one of them is made up (GREASE). */
function hintedMajor(brands: readonly Brand[]): number | null {
  const chromium = brands.find(({ brand }) => brand === 'Chromium');
  const match = /^(\d{1,4})(\.|$)/.exec(chromium?.version ?? '');
  return match ? Number(match[1]) : null;
}

function majorInHeader(headers: Readonly<Record<string, string>>): number | null {
  const match = /"Chromium";\s*v="(\d{1,4})/.exec(headers['sec-ch-ua'] ?? '');
  return match ? Number(match[1]) : null;
}

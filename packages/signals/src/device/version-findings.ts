import type { Finding } from '../automation/finding.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { BROWSER_VERSION_CONFIDENCE } from '../evidence/weights.ts';
import { claimedEngine, claimedVersion, type Engine } from './claimed-engine.ts';
import { hintedVersions } from './client-hints.ts';
import { pageFinding } from './device-evidence.ts';
import { engineTraits } from './engine-traits.ts';
import { featureContradictions } from './feature-versions.ts';

/** Where client hints, engine and features contradict the browser and the version of the user agent. */
export function versionFindings(facts: SessionFacts): Finding[] {
  const engine = claimedEngine(facts.userAgent);
  if (engine === null || facts.source !== 'web') return [];
  return [
    ...hintFindings(facts, engine),
    ...engineFindings(facts, engine),
    ...featureFindings(facts, engine),
  ];
}

/** Reduced user agents (`Chrome/137.0.0.0`) name the release truly, so that the releases are compared alone. */
function hintFindings(facts: SessionFacts, engine: Engine): Finding[] {
  const claimed = engine === 'Blink' ? claimedVersion(facts.userAgent) : null;
  return hintedVersions(facts)
    .filter(({ major }) => major !== claimed)
    .map(({ place, major }) =>
      claimed === null
        ? finding('hints', 'hints', `${place} of Chromium ${major} beside ${engine}'s user agent`)
        : finding('hints', 'hints', `user agent of version ${claimed}, ${place} of ${major}`),
    );
}

function engineFindings(facts: SessionFacts, engine: Engine): Finding[] {
  return engineTraits(facts)
    .filter(({ engines }) => !engines.includes(engine))
    .map(({ name, kind }) => finding(name, kind, `${name} in ${engine}`));
}

function featureFindings({ userAgent, checks }: SessionFacts, engine: Engine): Finding[] {
  const version = claimedVersion(userAgent);
  if (!checks || version === null) return [];
  const { tooNew, missing } = featureContradictions(checks.features, engine, version);
  const found: Finding[] = [];
  if (tooNew.length > 0) {
    found.push(finding('new features', 'newFeature', `${tooNew[0]} is newer than version ${version}`));
  }
  if (missing.length > 0) {
    const isMany = missing.length >= BROWSER_VERSION_CONFIDENCE.manyFeatures;
    const sign = isMany ? 'missingFeatures' : 'missingFeature';
    found.push(
      finding('missing features', sign, `${missing.length} features of version ${version} are missing`),
    );
  }
  return found;
}

type Sign = Exclude<keyof typeof BROWSER_VERSION_CONFIDENCE, 'manyFeatures'>;

function finding(kind: string, sign: Sign, observed: string) {
  const source = kind === 'hints' ? 'client_hints' : 'page_checks';
  return pageFinding(kind, BROWSER_VERSION_CONFIDENCE[sign], observed, source);
}

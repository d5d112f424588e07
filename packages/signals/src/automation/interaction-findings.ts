import type { Checks } from '../device/checks.ts';
import type { InteractionCounts, SessionFacts } from '../evidence/evidence.ts';
import { NO_INTERACTION_CONFIDENCE } from '../evidence/weights.ts';
import type { Finding } from './finding.ts';
import { isMobileDevice } from './mobile-device.ts';

/** Every sign that no person filled in the form. Missing counts are no sign. */
export function interactionFindings(facts: SessionFacts): Finding[] {
  const { checks, interaction } = facts;
  if (!checks) return [];
  return [
    ...(interaction ? countFindings(interaction, checks, facts) : []),
    ...keyFindings(checks, facts),
    ...pasteFindings(checks),
  ];
}

function countFindings(counts: InteractionCounts, checks: Checks, facts: SessionFacts): Finding[] {
  return [
    ...nothingFindings(counts, checks),
    ...untrustedEventFindings(counts, checks),
    ...movementFindings(counts, checks, facts),
  ];
}

/** A form that was sent without any event of a person. A password manager still needs a click or a key. */
function nothingFindings(counts: InteractionCounts, { formCompleted }: Checks): Finding[] {
  if (formCompleted !== true || total(counts) > 0) return [];
  return [
    finding('counts', NO_INTERACTION_CONFIDENCE.nothingCounted, 'a form was completed without any event'),
  ];
}

function untrustedEventFindings(counts: InteractionCounts, { untrustedEvents }: Checks): Finding[] {
  const made = untrustedEvents ?? 0;
  if (made < NO_INTERACTION_CONFIDENCE.madeEventsFrom || made <= total(counts)) return [];
  return [finding('made events', NO_INTERACTION_CONFIDENCE.madeEvents, 'a script created most events')];
}

/** A mouse moves before it clicks; fingers and keyboards do not. */
function movementFindings(
  counts: InteractionCounts,
  { formCompleted }: Checks,
  facts: SessionFacts,
): Finding[] {
  const { mouse, touch, keyboard, click } = counts;
  if (formCompleted !== true || isMobileDevice(facts) || (facts.device.touchPoints ?? 0) > 0) return [];
  if (mouse + touch + keyboard > 0 || click < NO_INTERACTION_CONFIDENCE.clicksFrom) return [];
  const observed = 'clicks without any movement';
  return [finding('movement', NO_INTERACTION_CONFIDENCE.clicksWithoutMovement, observed)];
}

/**
 * The rhythm of a keyboard. The ratio of deviation to mean of human typing is several times the limit. On-screen keyboards
 * send whole words, so they are not examined.
 */
function keyFindings(checks: Checks, facts: SessionFacts): Finding[] {
  const { keyIntervalCount: count, keyIntervalMeanMs: mean, keyIntervalDeviationMs: deviation } = checks;
  if (count === null || mean === null || count < NO_INTERACTION_CONFIDENCE.minKeyIntervals) return [];
  if (mean < 0 || isMobileDevice(facts)) return [];
  const { fastKeys, fastKeysBelowMs, evenKeysRatio } = NO_INTERACTION_CONFIDENCE;
  if (mean < fastKeysBelowMs) return [finding('keys', fastKeys, 'keys faster than human typing')];
  if (deviation === null || deviation < 0 || deviation > mean * evenKeysRatio) return [];
  return [finding('keys', evenKeysConfidence(mean), 'keys at even intervals')];
}

function evenKeysConfidence(meanMs: number): number {
  const { heldKey, heldKeyFromMs, heldKeyToMs, evenKeys } = NO_INTERACTION_CONFIDENCE;
  return meanMs >= heldKeyFromMs && meanMs <= heldKeyToMs ? heldKey : evenKeys;
}

function pasteFindings({ pastedFields, filledFields }: Checks): Finding[] {
  if (pastedFields === null || filledFields === null) return [];
  if (pastedFields < NO_INTERACTION_CONFIDENCE.pastedFieldsFrom || pastedFields < filledFields) return [];
  return [finding('paste', NO_INTERACTION_CONFIDENCE.pastedOnly, 'every field was pasted')];
}

function total({ mouse, click, keyboard, touch, clipboard }: InteractionCounts): number {
  return mouse + click + keyboard + touch + clipboard;
}

function finding(sign: string, confidence: number, observed: string): Finding {
  return { sign, confidence, source: 'interaction', observed };
}

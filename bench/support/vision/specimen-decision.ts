import type { Decision } from '@vouchgraph/decisions';
import { RISK_SCORE_KEYS, type RiskScoreKey } from '@vouchgraph/signals';
import { UNKNOWN_LOCATION } from '@vouchgraph/signals/internals/network/ip-location';
import { assessVerification } from '@vouchgraph/verification/internals/assess-verification';
import type { DocumentJudgment } from '@vouchgraph/vision';
import { parseSettings } from '../../../src/domain/projects/settings.ts';

/** Settings of a project without changes. */
const DEFAULTS = parseSettings({});
const THRESHOLDS = {
  suspiciousFrom: DEFAULTS.verificationSuspiciousFrom,
  fakeFrom: DEFAULTS.verificationFakeFrom,
};

/**
 * The decision on a document without other evidence: no risk signal, no repeat, and neither its expiry nor its
 * age counted, since specimens are old and their people invented. null without a portrait to compare.
 */
export function specimenDecision(document: DocumentJudgment): Decision | null {
  if (document.signals.idFaceMatchScore === null) return null;
  const { decision } = assessVerification(
    {
      document: { ...document, isExpired: null, signals: { ...document.signals, idAge: null } },
      face: { isRecaptured: false, isVirtualCamera: false },
      session: {
        riskSignals: everySignal(false),
        riskSignalScores: everySignal(0),
        location: UNKNOWN_LOCATION,
      },
      referring: null,
      repeats: { face: 0, id: 0, device: false, fraudFace: false, fraudId: false, otherEnrolledFace: false },
    },
    THRESHOLDS,
  );
  return decision;
}

function everySignal<Value>(value: Value): Record<RiskScoreKey, Value> {
  return Object.fromEntries(RISK_SCORE_KEYS.map((key) => [key, value])) as Record<RiskScoreKey, Value>;
}

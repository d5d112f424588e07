import type { ProjectCipher } from '../../platform/crypto.ts';
import type { Decision } from '../decisions/decide.ts';
import type { IdentifierKey } from '../linking/account-identifiers.ts';
import type { Facts } from '../rules/language/expression.ts';
import type { DocumentJudgement } from '../vision/document-signals.ts';
import type { ChallengeResult } from '../vision/readings.ts';
import type { VerificationAssessment } from './assess-verification.ts';
import type { ReferringSignals } from './referring-signals.ts';
import type { VerificationKind } from './state-table.ts';

/** What a completed verification found, as it is stored. */
export type VerificationResult = VerificationAssessment & {
  readonly kind: VerificationKind;
  readonly weightsVersion: string;
  /** Of an ID check. */
  readonly document: DocumentJudgement | null;
  /** null without a referring session. */
  readonly referring: ReferringSignals | null;
  /** null where no pictures were looked at. */
  readonly face: {
    readonly ageYears: number | null;
    readonly recaptureScore: number | null;
    readonly isVirtualCamera: boolean;
    readonly challenge: readonly ChallengeResult[];
  } | null;
  /** What accounts are found by that share the face or the document: kinds with keyed hashes in base64. */
  readonly identifiers: readonly (readonly [kind: number, hash: string])[];
};

const TABLE = 'verification_sessions';

export function sealResult(cipher: ProjectCipher, sessionId: string, result: VerificationResult): Buffer {
  return cipher.sealJson(TABLE, sessionId, result);
}

export function openResult(cipher: ProjectCipher, sessionId: string, sealed: Uint8Array): VerificationResult {
  return cipher.openJson<VerificationResult>(TABLE, sessionId, sealed);
}

export function identifiersOf({ identifiers }: VerificationResult): IdentifierKey[] {
  return identifiers.map(([kind, hash]) => ({ kind, hash: Buffer.from(hash, 'base64') }));
}

/** What rules read of a verification, by the names of their fields. */
export function verificationFacts(result: VerificationResult): Facts {
  const { document } = result;
  const facts: Record<string, Facts[string]> = {
    'verification.kind': result.kind,
    'verification.decision': result.decision satisfies Decision,
    'verification.risk_score': result.riskScore,
    'verification.risk_flags': [...result.riskFlags],
  };
  if (!document) return facts;
  const { signals, data, isExpired } = document;
  const { templateType, documentCountryCode, documentState } = data.templateInfo;
  return {
    ...facts,
    'verification.id_age': signals.idAge,
    'verification.face_age_estimate': signals.faceAgeEstimate,
    'verification.id_face_match_score': signals.idFaceMatchScore,
    'verification.template_type': templateType,
    'verification.id_country': documentCountryCode || null,
    'verification.id_state': documentState || null,
    'verification.id_expired': isExpired,
    'verification.is_digital_id': signals.isDigitalId,
    'verification.name_not_found': signals.nameNotFound,
    'verification.name_partially_missing': signals.namePartiallyMissing,
    'verification.id_barcode_status': signals.idBarcodeStatus,
    'verification.id_face_status': signals.idFaceStatus,
    'verification.id_text_status': signals.idTextStatus,
    'verification.is_id_digital_spoof': signals.isIdDigitalSpoof,
    'verification.is_full_id_captured': signals.isFullIdCaptured,
    'verification.id_validity': signals.idValidity,
  };
}

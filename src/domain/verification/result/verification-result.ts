import type { ProjectCipher } from '../../../platform/crypto.ts';
import type { Decision, Thresholds } from '../../decisions/decide.ts';
import type { IdentifierKey } from '../../linking/account-identifiers.ts';
import type { DocumentIdentity } from '../../model/document-identity.ts';
import type { VerificationKind } from '../../model/verification-kind.ts';
import type { Facts } from '../../rules/language/expression.ts';
import type { DocumentJudgement } from '../../vision/document-signals.ts';
import type { ChallengeResult } from '../../vision/readings.ts';
import {
  type Repeats,
  reassessRepeats,
  VERIFICATION_WEIGHTS_VERSION,
  type VerificationAssessment,
} from './assess-verification.ts';
import { documentIdentityOf } from './document-identity.ts';
import type { ReferringSignals } from './referring-signals.ts';
import { type FaceStanding, REPEAT_FACE_WEIGHTS, weighFaces } from './repeat-faces.ts';

/** What an assessment follows from besides the flags that never change: enough to make it again. */
export type AssessmentBasis = {
  readonly faces: FaceStanding;
  /**
   * How a repeated document counts: like the face, where it came with nobody else's; otherwise by its own weight, 0
   * for none.
   */
  readonly document: 'like face' | number;
  readonly thresholds: Thresholds;
  /** ISO 8601. */
  readonly at: string;
};

/** One assessment with what it was made of. */
export type StoredAssessment = VerificationAssessment & {
  readonly weightsVersion: string;
  readonly basis: AssessmentBasis;
};

/** What a completed verification found, as it is stored, with the assessment that is in force. */
export type VerificationResult = VerificationAssessment & {
  readonly kind: VerificationKind;
  readonly weightsVersion: string;
  /** Absent in simulated results and those of earlier versions: they are never assessed anew. */
  readonly basis?: AssessmentBasis;
  /** The assessments before the one in force, oldest first; absent for none. */
  readonly earlier?: readonly StoredAssessment[];
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

/** The flags of repeats that a basis comes to. */
export function repeatsOfBasis({
  faces,
  document,
}: Pick<AssessmentBasis, 'faces' | 'document'>): Pick<Repeats, 'face' | 'id' | 'fraudFace'> {
  const { weight, isFraud } = weighFaces(faces);
  return { face: weight, id: document === 'like face' ? weight : document, fraudFace: isFraud };
}

/** The result with an assessment by another standing of its face, and of its document; null when that changes nothing. */
export function reassess(
  result: VerificationResult,
  faces: FaceStanding,
  at: Date,
  document = result.basis?.document,
): VerificationResult | null {
  const { basis, earlier = [] } = result;
  if (!basis || document === undefined) return null;
  const repeats = repeatsOfBasis({ faces, document });
  if (JSON.stringify(repeats) === JSON.stringify(repeatsOfBasis(basis))) return null;
  return {
    ...result,
    ...reassessRepeats(result, repeats, basis.thresholds),
    weightsVersion: VERIFICATION_WEIGHTS_VERSION,
    basis: { ...basis, faces, document, at: at.toISOString() },
    earlier: [...earlier, assessmentOf(result, basis)],
  };
}

function assessmentOf(
  { decision, riskScore, riskFlags, contributions, weightsVersion }: VerificationResult,
  basis: AssessmentBasis,
): StoredAssessment {
  return { decision, riskScore, riskFlags, contributions, weightsVersion, basis };
}

/** All assessments with what they were made of, oldest first; none of simulated results and of earlier versions. */
export function assessmentsOf(result: VerificationResult): StoredAssessment[] {
  return result.basis ? [...(result.earlier ?? []), assessmentOf(result, result.basis)] : [];
}

/** Whether an assessment comes out the same when it is made again from what is stored. */
export function isReproducible(stored: StoredAssessment): boolean {
  const { decision, riskScore, contributions, basis } = stored;
  const again = reassessRepeats(stored, repeatsOfBasis(basis), basis.thresholds);
  const byFlag = (list: StoredAssessment['contributions']) =>
    JSON.stringify(list.map(({ flag, value }) => [flag, value]).sort());
  return (
    again.decision === decision &&
    again.riskScore === riskScore &&
    byFlag(again.contributions) === byFlag(contributions)
  );
}

const TABLE = 'verification_sessions';

export function sealResult(cipher: ProjectCipher, sessionId: string, result: VerificationResult): Buffer {
  return cipher.encryptJson(TABLE, sessionId, result);
}

export function openResult(cipher: ProjectCipher, sessionId: string, sealed: Uint8Array): VerificationResult {
  return cipher.decryptJson<VerificationResult>(TABLE, sessionId, sealed);
}

export function identifiersOf({ identifiers }: VerificationResult): IdentifierKey[] {
  return identifiers.map(([kind, hash]) => ({ kind, hash: Buffer.from(hash, 'base64') }));
}

/** What the document of a check says of its holder; null without one that does. That of a simulated result is nobody's. */
export function documentOf(
  cipher: ProjectCipher,
  { document, identifiers }: VerificationResult,
): DocumentIdentity | null {
  if (!document || identifiers.length === 0) return null;
  return documentIdentityOf(document, (kind, value) => cipher.blindIndex(kind, value));
}

/**
 * Whether the face and the document are those of another account. Without a basis only the flags are known. That an
 * account is known for fraud does not make its own face another one's.
 */
function ofAnotherAccount({ basis, riskFlags }: VerificationResult): { face: boolean; document: boolean } {
  if (!basis) return { face: riskFlags.includes('repeat_face'), document: riskFlags.includes('repeat_id') };
  const { owner, matches } = basis.faces;
  const faces = { owner, matches: matches.map((match) => ({ ...match, isFraud: false })) };
  const { face, id } = repeatsOfBasis({ ...basis, faces });
  const { otherAccount } = REPEAT_FACE_WEIGHTS;
  return { face: face >= otherAccount, document: id >= otherAccount };
}

/** What rules read of a verification, by the names of their fields. */
export function verificationFacts(result: VerificationResult): Facts {
  const { document } = result;
  const isOfAnother = ofAnotherAccount(result);
  const facts: Record<string, Facts[string]> = {
    'verification.kind': result.kind,
    'verification.decision': result.decision satisfies Decision,
    'verification.risk_score': result.riskScore,
    'verification.risk_flags': [...result.riskFlags],
    'verification.face_of_another_account': isOfAnother.face,
    'verification.document_of_another_account': result.kind === 'id' ? isOfAnother.document : null,
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

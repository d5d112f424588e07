import type { Decision, Thresholds, VerificationKind } from '@vouchgraph/decisions';
import type { IdentifierKey } from '@vouchgraph/linking';
import type { DocumentIdentity } from '@vouchgraph/persons';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { Facts } from '@vouchgraph/rules';
import type { ChallengeResult, DocumentJudgment } from '@vouchgraph/vision';
import {
  type Repeats,
  reassessRepeats,
  VERIFICATION_WEIGHTS_VERSION,
  type VerificationAssessment,
} from './assess-verification.ts';
import { documentIdentityOf } from './document-identity.ts';
import type { ReferringSignals } from './referring-signals.ts';
import { type FaceStanding, REPEAT_FACE_WEIGHTS, weighFaces } from './repeat-faces.ts';

/** Inputs of an assessment besides its constant flags, sufficient to recompute it. */
export type AssessmentBasis = {
  readonly faces: FaceStanding;
  /**
   * Weight of a repeated document: that of the face if the document appeared with no other face; otherwise its own
   * weight, 0 for none.
   */
  readonly document: 'like face' | number;
  readonly thresholds: Thresholds;
  /** ISO 8601. */
  readonly at: string;
};

/** Assessment with its inputs. */
export type StoredAssessment = VerificationAssessment & {
  readonly weightsVersion: string;
  readonly basis: AssessmentBasis;
};

/** Stored result of a completed verification, with its current assessment. */
export type VerificationResult = VerificationAssessment & {
  readonly kind: VerificationKind;
  readonly weightsVersion: string;
  /** Absent in simulated results, which are never reassessed. */
  readonly basis?: AssessmentBasis;
  /** Earlier assessments, oldest first; absent for none. */
  readonly earlier?: readonly StoredAssessment[];
  /** Only for ID checks. */
  readonly document: DocumentJudgment | null;
  /** null without a referring session. */
  readonly referring: ReferringSignals | null;
  /** null if no images were read. */
  readonly face: {
    readonly ageYears: number | null;
    readonly recaptureScore: number | null;
    readonly isVirtualCamera: boolean;
    readonly challenge: readonly ChallengeResult[];
  } | null;
  /** Identifiers by which accounts with the same face or document are found: kinds with keyed hashes in base64. */
  readonly identifiers: readonly (readonly [kind: number, hash: string])[];
};

/** Flags of repeated faces and documents by a basis. */
export function repeatsOfBasis({
  faces,
  document,
}: Pick<AssessmentBasis, 'faces' | 'document'>): Pick<Repeats, 'face' | 'id' | 'fraudFace'> {
  const { weight, isFraud } = weighFaces(faces);
  return { face: weight, id: document === 'like face' ? weight : document, fraudFace: isFraud };
}

/** Result reassessed by another standing of its face and document; null if nothing changes. */
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

/** All assessments with their inputs, oldest first; empty for simulated results. */
export function assessmentsOf(result: VerificationResult): StoredAssessment[] {
  return result.basis ? [...(result.earlier ?? []), assessmentOf(result, result.basis)] : [];
}

/** Whether recomputing an assessment from its stored inputs returns the same. */
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

/** Stored form of a result. The id of its session is authenticated. */
export function encryptResult(cipher: ProjectCipher, sessionId: string, result: VerificationResult): Buffer {
  return cipher.encryptJson(TABLE, sessionId, result);
}

/** The result of a stored form. Throws when it belongs to another session. */
export function decryptResult(
  cipher: ProjectCipher,
  sessionId: string,
  encrypted: Uint8Array,
): VerificationResult {
  return cipher.decryptJson<VerificationResult>(TABLE, sessionId, encrypted);
}

/** Identifiers of a check that can link its account: its document and its face. */
export function identifiersOf({ identifiers }: VerificationResult): IdentifierKey[] {
  return identifiers.map(([kind, hash]) => ({ kind, hash: Buffer.from(hash, 'base64') }));
}

/** Facts of the holder on the document of a check; null without one and for simulated results. */
export function documentOf(
  cipher: ProjectCipher,
  { document, identifiers }: VerificationResult,
  now: Date,
): DocumentIdentity | null {
  if (!document || identifiers.length === 0) return null;
  return documentIdentityOf(document, (kind, value) => cipher.blindIndex(kind, value), now);
}

/**
 * Whether the face and the document belong to another account. Of a simulated result only the flags are known. An account known
 * for fraud still owns its own face.
 */
function ofAnotherAccount({ basis, riskFlags }: VerificationResult): { face: boolean; document: boolean } {
  if (!basis) return { face: riskFlags.includes('repeat_face'), document: riskFlags.includes('repeat_id') };
  const { owner, matches } = basis.faces;
  const faces = { owner, matches: matches.map((match) => ({ ...match, isFraud: false })) };
  const { face, id } = repeatsOfBasis({ ...basis, faces });
  const { otherAccount } = REPEAT_FACE_WEIGHTS;
  return { face: face >= otherAccount, document: id >= otherAccount };
}

/** Fields of a verification that rules read. */
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

import type { Decision, VerificationKind } from '@vouchgraph/decisions';
import type { RiskFlag } from '@vouchgraph/signals';
import { ageOn, type DocumentJudgment, today } from '@vouchgraph/vision';
import { VERIFICATION_WEIGHTS_VERSION } from './assess-verification.ts';
import type { VerificationResult } from './verification-result.ts';

/** The person on the document of every simulated ID check. */
const PERSON = {
  firstName: 'Jane',
  lastName: 'Sample',
  dateOfBirth: '06/15/1990',
  dateOfExpiration: '06/15/2032',
  dateOfIssue: '06/15/2024',
  idNumber: 'S1234567',
  idNumber2: '',
  address: { city: 'Sacramento', country: 'US', postalCode: '95818', state: 'CA', street: '123 Sample St' },
};

/** Result of a simulated session: its outcome, and a document that agrees with its flags. */
export function simulatedResult(
  kind: VerificationKind,
  outcome: { decision: Decision; riskScore: number; riskFlags: readonly RiskFlag[] },
  now: Date,
): VerificationResult {
  const { decision, riskScore, riskFlags } = outcome;
  return {
    kind,
    decision,
    riskScore,
    riskFlags,
    contributions: [],
    weightsVersion: VERIFICATION_WEIGHTS_VERSION,
    document: kind === 'id' ? simulatedDocument(new Set(riskFlags), now) : null,
    referring: null,
    face: null,
    identifiers: [],
  };
}

function simulatedDocument(flags: ReadonlySet<RiskFlag>, now: Date): DocumentJudgment {
  const isYoung = flags.has('id_age_below_16');
  const isExpired = flags.has('id_expired');
  const isFake = flags.has('likely_fake_id');
  const isDoubtful = isFake || flags.has('cannot_confirm_id_is_authentic');
  const age = isYoung ? 15 : ageOn({ year: 1990, month: 6, day: 15 }, today(now))!;
  return {
    signals: {
      idAge: age,
      faceAgeEstimate: isYoung ? 'over8' : 'over25',
      idFaceMatchScore: flags.has('low_id_face_match_score')
        ? 0.12
        : flags.has('moderate_id_face_match_score')
          ? 0.62
          : 0.94,
      idBarcodeStatus: 'success',
      idFaceStatus: isDoubtful ? 'cannot_confirm_id_is_authentic' : 'likely_original_face',
      idTextStatus: isDoubtful ? 'cannot_confirm_id_is_authentic' : 'likely_original_text',
      isIdDigitalSpoof: flags.has('digital_id')
        ? 'could_not_confidently_determine_physical_id_user_needs_to_retry'
        : 'likely_physical_id',
      isFullIdCaptured: 'full_id_detected',
      idValidity: isFake
        ? 'likely_fake_id'
        : isDoubtful
          ? 'cannot_confirm_id_is_authentic'
          : 'likely_authentic_id',
      nameNotFound: flags.has('name_not_found'),
      namePartiallyMissing: flags.has('name_partially_missing'),
      isDigitalId: flags.has('digital_id'),
    },
    data: {
      templateInfo: { documentCountryCode: 'US', documentState: 'CA', templateType: 'driver_license' },
      userData: {
        ...PERSON,
        ...(isYoung ? { dateOfBirth: `01/01/${now.getUTCFullYear() - 15}` } : {}),
        ...(isExpired ? { dateOfExpiration: '06/15/2020', dateOfIssue: '06/15/2012' } : {}),
        ...(flags.has('name_not_found') ? { firstName: '', lastName: '' } : {}),
        ...(flags.has('name_partially_missing') ? { firstName: '' } : {}),
      },
    },
    isExpired,
    doubt: isDoubtful && !isFake ? 'open' : 'none',
    reasons: ['simulated'],
  };
}

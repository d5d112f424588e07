import { type Decision, decideByScore, type Thresholds } from '@vouchgraph/decisions';
import type { Contribution } from '@vouchgraph/platform/noisy-or';
import { combine, RISK_FLAGS, type RiskFlag, type SessionResult } from '@vouchgraph/signals';
import type { DocumentDoubt, DocumentJudgment } from '@vouchgraph/vision';
import { type DeviceComparison, differs, type ReferringSignals } from './referring-signals.ts';
import { REPEAT_FACE_WEIGHTS } from './repeat-faces.ts';

/** Evidence for and against a verification. */
export type VerificationEvidence = {
  /** null for a face check. */
  readonly document: DocumentJudgment | null;
  readonly face: {
    /** Whether the image looks like a photo of a screen or a print. */
    readonly isRecaptured: boolean;
    /** Whether the camera is a virtual one. */
    readonly isVirtualCamera: boolean;
  };
  readonly session: Pick<SessionResult, 'riskSignals' | 'riskSignalScores' | 'location'>;
  /** null without a referring session. */
  readonly referring: { readonly signals: ReferringSignals; readonly devices: DeviceComparison } | null;
  readonly repeats: Repeats;
};

/** Earlier sessions and accounts with the same face or document. */
export type Repeats = {
  /** Weights of a repeated face and of a repeated document; 0 if the flag is not raised. */
  readonly face: number;
  readonly id: number;
  readonly device: boolean;
  /** The face belongs to an account on a blocking list or decided Fake; the document, to one on a blocking list. */
  readonly fraudFace: boolean;
  readonly fraudId: boolean;
  /** The face differs from the face enrolled for the account. */
  readonly otherEnrolledFace: boolean;
};

export type VerificationAssessment = {
  /** By the score only. */
  readonly decision: Decision;
  /** 0 to 1, four decimals. */
  readonly riskScore: number;
  readonly riskFlags: readonly RiskFlag[];
  /** Contribution of each flag, for operators. */
  readonly contributions: readonly { flag: RiskFlag; group: string; value: number }[];
};

/** Version of the weights below, stored with every result. */
export const VERIFICATION_WEIGHTS_VERSION = '3';

/**
 * Weight of an unconfirmed document, by its doubt. `little`: the assumed share of forged documents among all (see
 * docs/verification-accuracy.md), since genuine and forged ones look alike in this class. `open`: the lower limit of Suspicious by
 * default, so that a person whose document proves nothing is never Real; it has no further weight.
 */
const DOUBT_WEIGHTS = { none: 0, little: 0.05, open: 0.4 } as const satisfies Record<DocumentDoubt, number>;

/**
 * Risk weights of the flags, as expert priors. Contradictions of the claim (a forged document, another face, a face known
 * for fraud) weigh most, doubts less, and common habits of honest people (a VPN, another network than before) least. Flags
 * of a group have one cause, so only the largest weight counts; groups combine by noisy-or.
 */
const WEIGHTS = {
  likely_fake_id: ['authenticity', 0.85],
  // The largest weight: see DOUBT_WEIGHTS.
  cannot_confirm_id_is_authentic: ['authenticity', DOUBT_WEIGHTS.open],
  id_expired: ['expiry', 0.45],
  id_age_below_16: ['age', 0.45],
  low_id_face_match_score: ['match', 0.75],
  moderate_id_face_match_score: ['match', 0.35],
  // An unreadable document also has an unreadable name.
  name_not_found: ['authenticity', 0.25],
  name_partially_missing: ['authenticity', 0.1],
  digital_id: ['recapture', 0.45],
  screen_recapture_suspected: ['recapture', 0.55],
  virtual_camera_detected: ['camera', 0.6],
  // Largest weights of repeats; the matches decide the actual ones. A returning person with the same document raises both
  // flags for one cause.
  repeat_face: ['repeat', REPEAT_FACE_WEIGHTS.otherAccount],
  enrolled_face_mismatch: ['mismatch', 0.7],
  known_fraud_face: ['fraud', 0.9],
  repeat_id: ['repeat', REPEAT_FACE_WEIGHTS.otherAccount],
  known_fraud_id: ['fraud', 0.9],
  repeat_device: ['device', 0.2],
  high_device_risk: ['device', 0.5],
  proxy_detected: ['network', 0.3],
  vpn_detected: ['network', 0.2],
  datacenter_detected: ['network', 0.35],
  recent_fraud_ip: ['reputation', 0.35],
  impossible_travel_detected: ['travel', 0.45],
  location_spoofing: ['location', 0.4],
  ip_document_country_mismatch: ['country', 0.15],
  different_device_type_same_category: ['referral', 0.25],
  same_device_type_different_ip: ['referral', 0.1],
  potential_link_sharing: ['referral', 0.5],
  referring_ip_mismatch: ['referral network', 0.1],
  referring_user_agent_mismatch: ['referral', 0.1],
  referring_device_timezone_mismatch: ['referral place', 0.15],
  referring_ip_timezone_mismatch: ['referral place', 0.15],
} as const satisfies Record<RiskFlag, readonly [group: string, weight: number]>;

/** Below the first value the face hardly matches the document; below the second it may be another person's. */
const LOW_MATCH_BELOW = 0.5;
const MODERATE_MATCH_BELOW = 0.75;
const YOUNG_BELOW = 16;

/** Score, decision and flags of a verification. Deterministic. */
export function assessVerification(
  evidence: VerificationEvidence,
  thresholds: Thresholds,
): VerificationAssessment {
  return concludeFlags(
    flagsOf(evidence).map((flag) => contributionOf(flag, evidence.repeats, evidence.document?.doubt)),
    thresholds,
  );
}

/** Assessment with other weights of the repeats; all other contributions are kept. */
export function reassessRepeats(
  { contributions }: Pick<VerificationAssessment, 'contributions'>,
  repeats: Pick<Repeats, 'face' | 'id' | 'fraudFace'>,
  thresholds: Thresholds,
): VerificationAssessment {
  const raised: [RiskFlag, boolean][] = [
    ['repeat_face', repeats.face > 0],
    ['repeat_id', repeats.id > 0],
    ['known_fraud_face', repeats.fraudFace],
  ];
  const kept = contributions.filter(({ flag }) => raised.every(([name]) => name !== flag));
  const own = raised.flatMap(([flag, isRaised]) => (isRaised ? [contributionOf(flag, repeats)] : []));
  const place = ({ flag }: { flag: RiskFlag }) => RISK_FLAGS.indexOf(flag);
  return concludeFlags(
    [...kept, ...own].sort((a, b) => place(a) - place(b)),
    thresholds,
  );
}

type FlagContribution = VerificationAssessment['contributions'][number];

function contributionOf(
  flag: RiskFlag,
  { face, id }: Pick<Repeats, 'face' | 'id'>,
  doubt: DocumentDoubt = 'open',
): FlagContribution {
  const [group, weight] = WEIGHTS[flag];
  switch (flag) {
    case 'repeat_face':
      return { flag, group, value: face };
    case 'repeat_id':
      return { flag, group, value: id };
    case 'cannot_confirm_id_is_authentic':
      return { flag, group, value: DOUBT_WEIGHTS[doubt] };
    default:
      return { flag, group, value: weight };
  }
}

function concludeFlags(
  contributions: readonly FlagContribution[],
  thresholds: Thresholds,
): VerificationAssessment {
  const riskScore = combine([...contributions] satisfies Contribution[]);
  const riskFlags = contributions.map(({ flag }) => flag);
  return { decision: decideByScore(riskScore, thresholds), riskScore, riskFlags, contributions };
}

function flagsOf({ document, face, session, referring, repeats }: VerificationEvidence): RiskFlag[] {
  const flags = new Map<RiskFlag, boolean>([
    ...sessionFlags(session, referring),
    ...(document ? documentFlags(document, session.location.countryCode) : []),
    ['repeat_face', repeats.face > 0],
    ['repeat_id', repeats.id > 0],
    ['repeat_device', repeats.device],
    ['known_fraud_face', repeats.fraudFace],
    ['known_fraud_id', repeats.fraudId],
    ...(referring ? referringFlags(referring) : []),
    ['virtual_camera_detected', face.isVirtualCamera],
    ['screen_recapture_suspected', face.isRecaptured],
    ['enrolled_face_mismatch', repeats.otherEnrolledFace],
  ]);
  return [...flags].filter(([, isRaised]) => isRaised).map(([flag]) => flag);
}

type Flags = [RiskFlag, boolean][];

function sessionFlags(
  { riskSignals, riskSignalScores }: VerificationEvidence['session'],
  referring: VerificationEvidence['referring'],
): Flags {
  const travel = Math.max(riskSignalScores.impossibleTravel, referring?.signals.impossibleTravel ?? 0);
  return [
    ['high_device_risk', riskSignals.deviceRisk],
    ['proxy_detected', riskSignals.proxy || riskSignals.tor],
    ['vpn_detected', riskSignals.vpn],
    ['datacenter_detected', riskSignals.datacenter],
    ['recent_fraud_ip', riskSignals.recentFraudIp],
    ['impossible_travel_detected', differs(travel)],
    ['location_spoofing', riskSignals.locationSpoofing],
  ];
}

function documentFlags({ signals, data, isExpired }: DocumentJudgment, country: string): Flags {
  const { documentCountryCode } = data.templateInfo;
  const { idFaceMatchScore: match, idAge } = signals;
  return [
    [
      'ip_document_country_mismatch',
      country !== '' && documentCountryCode !== '' && country !== documentCountryCode,
    ],
    ['cannot_confirm_id_is_authentic', signals.idValidity === 'cannot_confirm_id_is_authentic'],
    ['likely_fake_id', signals.idValidity === 'likely_fake_id'],
    ['id_expired', isExpired === true],
    ['id_age_below_16', idAge !== null && idAge < YOUNG_BELOW],
    ['low_id_face_match_score', match !== null && match < LOW_MATCH_BELOW],
    [
      'moderate_id_face_match_score',
      match !== null && match >= LOW_MATCH_BELOW && match < MODERATE_MATCH_BELOW,
    ],
    ['digital_id', signals.isDigitalId],
    ['name_not_found', signals.nameNotFound],
    ['name_partially_missing', signals.namePartiallyMissing],
  ];
}

function referringFlags({ signals, devices }: NonNullable<VerificationEvidence['referring']>): Flags {
  return [
    ['different_device_type_same_category', devices.isOtherTypeOfCategory],
    ['same_device_type_different_ip', devices.isSameTypeElsewhere],
    ['potential_link_sharing', devices.isSharedLink],
    ['referring_ip_mismatch', differs(signals.ipMismatch)],
    ['referring_user_agent_mismatch', differs(signals.userAgentMismatch)],
    ['referring_device_timezone_mismatch', differs(signals.deviceTimezoneMismatch)],
    ['referring_ip_timezone_mismatch', differs(signals.ipTimezoneMismatch)],
  ];
}

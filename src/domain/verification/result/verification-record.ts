import { sessionRecord } from '../../sessions/session-record.ts';
import { documentedMatchTypes, type VerificationMatch, type VerificationView } from './verification.ts';

/*
 * A completed verification under the interface's names, as its event tells it. The answers of the verify endpoints are
 * the same but for what a moment decides: request id, time, lists, rules, matches and addresses of pictures.
 */

/** The whole record. */
export function verificationRecord(
  view: Omit<VerificationView, 'matches'>,
  matches: readonly Omit<VerificationMatch, 'id'>[],
  requestId: string,
  at: Date,
): Record<string, unknown> {
  const { result, verification } = view;
  const isDocument = result.kind === 'id';
  return {
    metadata: {
      project_id: verification.project.projectId,
      session_id: verification.sessionId,
      account_id: view.accountId,
      referring_session_id: verification.row.referring_session_id,
      request_id: requestId,
      timestamp: at.toISOString(),
    },
    decision: view.decision,
    risk_score: result.riskScore,
    risk_flags: result.riskFlags,
    lists: view.lists,
    rules: view.rules,
    ...(isDocument ? documentRecord(view) : {}),
    device_network_signals: deviceNetworkSignals(view),
    referring_session_signals: referringRecord(view),
    photo_urls: photoUrls(view, isDocument),
    video_urls: view.media.videos,
    session_data: sessionData(view),
    matches: {
      num_accounts_linked: matches.length,
      accounts_linked: matches.map(({ accountId, matchTypes }) => ({
        account_id: accountId,
        match_types: documentedMatchTypes(matchTypes),
        match_kinds: matchTypes,
      })),
    },
  };
}

/** Keys of sides without an image are left out. */
function photoUrls({ media }: Pick<VerificationView, 'media'>, isDocument: boolean): Record<string, string> {
  const sides = {
    face: media.face,
    ...(isDocument ? { id_scan_front: media.idScanFront, id_scan_back: media.idScanBack } : {}),
  };
  return Object.fromEntries(
    Object.entries(sides).flatMap(([side, url]) => (url === null ? [] : [[side, url]])),
  );
}

const DEVICE_NETWORK_KEYS = [
  'deviceRisk',
  'proxy',
  'vpn',
  'datacenter',
  'tor',
  'spoofedIp',
  'recentFraudIp',
  'deviceNetworkMismatch',
  'locationSpoofing',
] as const;

/** Exactly nine: travel is told beside the referring session. */
function deviceNetworkSignals({
  session,
}: Pick<VerificationView, 'session' | 'result'>): Record<string, number> {
  const name = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const scores = session?.result.riskSignalScores;
  return Object.fromEntries(DEVICE_NETWORK_KEYS.map((key) => [name(key), scores?.[key] ?? 0]));
}

/** Zeros without a referring session. */
function referringRecord({
  result: { referring },
}: Pick<VerificationView, 'session' | 'result'>): Record<string, number> {
  return {
    impossible_travel: referring?.impossibleTravel ?? 0,
    ip_mismatch: referring?.ipMismatch ?? 0,
    user_agent_mismatch: referring?.userAgentMismatch ?? 0,
    device_timezone_mismatch: referring?.deviceTimezoneMismatch ?? 0,
    ip_timezone_mismatch: referring?.ipTimezoneMismatch ?? 0,
  };
}

/** The session's facts without the size of its screen. */
function sessionData({ session }: Pick<VerificationView, 'session' | 'result'>): Record<string, unknown> {
  if (!session) return {};
  const { true_country_code, network, location, browser, device } = sessionRecord(session);
  const { screen_height: _, screen_width: __, ...shown } = device as Record<string, unknown>;
  return {
    ...(true_country_code === undefined ? {} : { true_country_code }),
    network,
    location,
    browser,
    device: shown,
  };
}

function documentRecord({
  result: { document },
}: Pick<VerificationView, 'session' | 'result'>): Record<string, unknown> {
  if (!document) return {};
  const { signals, data } = document;
  const { templateInfo, userData } = data;
  return {
    document_signals: {
      id_age: signals.idAge,
      face_age_estimate: signals.faceAgeEstimate,
      id_face_match_score: signals.idFaceMatchScore,
      id_barcode_status: signals.idBarcodeStatus,
      id_face_status: signals.idFaceStatus,
      id_text_status: signals.idTextStatus,
      is_id_digital_spoof: signals.isIdDigitalSpoof,
      is_full_id_captured: signals.isFullIdCaptured,
      id_validity: signals.idValidity,
      name_not_found: signals.nameNotFound,
      name_partially_missing: signals.namePartiallyMissing,
      is_digital_id: signals.isDigitalId,
    },
    document_data: {
      template_info: {
        document_country_code: templateInfo.documentCountryCode,
        document_state: templateInfo.documentState,
        template_type: templateInfo.templateType,
      },
      user_data: {
        first_name: userData.firstName,
        last_name: userData.lastName,
        date_of_birth: userData.dateOfBirth,
        date_of_expiration: userData.dateOfExpiration,
        date_of_issue: userData.dateOfIssue,
        id_number: userData.idNumber,
        id_number2: userData.idNumber2,
        address: {
          city: userData.address.city,
          country: userData.address.country,
          postal_code: userData.address.postalCode,
          state: userData.address.state,
          street: userData.address.street,
        },
      },
    },
  };
}

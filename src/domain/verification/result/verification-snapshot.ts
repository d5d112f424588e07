import { pick } from '@vouchgraph/platform/pick';
import { RISK_SCORE_KEYS, type RiskScoreKey } from '@vouchgraph/signals';
import type { ReferringSignals } from '@vouchgraph/verification';
import type { DocumentData, DocumentSignals } from '@vouchgraph/vision';
import { sessionSnapshot } from '../../sessions/session-snapshot.ts';
import { type CompletedCheck, documentedMatchTypes, type VerificationMatch } from './verification.ts';

/**
 * The facts of a completed verification that its event contains. The answers of the verify endpoints have the same, except for
 * request id, time, lists, rules, matches and addresses of images.
 */
export function verificationSnapshot(
  check: {
    readonly projectId: string;
    readonly sessionId: string;
    readonly referringSessionId: string | null;
  },
  view: CompletedCheck,
  matches: readonly Omit<VerificationMatch, 'id'>[],
  requestId: string,
  at: Date,
) {
  const { result } = view;
  const isDocument = result.kind === 'id';
  return {
    eventMetadata: {
      projectId: check.projectId,
      sessionId: check.sessionId,
      accountId: view.accountId,
      referringSessionId: check.referringSessionId,
      requestId,
      timestamp: at.toISOString(),
    },
    decision: view.decision,
    riskScore: result.riskScore,
    riskFlags: result.riskFlags,
    lists: view.lists,
    rules: view.rules,
    ...(isDocument ? documentSnapshot(view) : {}),
    deviceNetworkSignals: deviceNetworkSignals(view),
    referringSessionSignals: { ...NO_DIFFERENCES, ...result.referring },
    photoUrls: photoUrls(view, isDocument),
    videoUrls: view.media.videos,
    sessionData: sessionData(view),
    matches: {
      numAccountsLinked: matches.length,
      accountsLinked: matches.map(({ accountId, matchTypes }) => ({
        accountId,
        matchTypes: documentedMatchTypes(matchTypes),
        matchKinds: matchTypes,
      })),
    },
  };
}

const NO_DIFFERENCES: ReferringSignals = {
  impossibleTravel: 0,
  ipMismatch: 0,
  userAgentMismatch: 0,
  deviceTimezoneMismatch: 0,
  ipTimezoneMismatch: 0,
};

/** Keys of sides without an image are left out. */
function photoUrls({ media }: Pick<CompletedCheck, 'media'>, isDocument: boolean): Record<string, string> {
  const { face, idScanFront, idScanBack } = media;
  const sides = isDocument ? { face, idScanFront, idScanBack } : { face };
  return Object.fromEntries(
    Object.entries(sides).flatMap(([side, url]) => (url === null ? [] : [[side, url]])),
  );
}

/** Impossible travel is one of the signals of the referring session. The first keys keep their order in payloads. */
export const DEVICE_NETWORK_KEYS: readonly RiskScoreKey[] = [
  ...new Set<RiskScoreKey>(['deviceRisk', 'proxy', 'vpn', 'datacenter', ...RISK_SCORE_KEYS]),
].filter((key) => key !== 'impossibleTravel');

type OfSession = Pick<CompletedCheck, 'session'>;

function deviceNetworkSignals({ session }: OfSession): Record<string, number> {
  const scores = session?.result.riskSignalScores;
  return Object.fromEntries(DEVICE_NETWORK_KEYS.map((key) => [key, scores?.[key] ?? 0]));
}

/** The session's facts without the size of its screen. */
function sessionData({ session }: OfSession): Record<string, unknown> {
  if (!session) return {};
  const { trueCountryCode, network, location, browser, device } = sessionSnapshot(session);
  const { screenHeight: _, screenWidth: __, ...shown } = device;
  return {
    trueCountryCode: trueCountryCode ?? null,
    network,
    location,
    browser,
    device: shown,
  };
}

const SIGNALS = [
  'idAge',
  'faceAgeEstimate',
  'idFaceMatchScore',
  'idBarcodeStatus',
  'idFaceStatus',
  'idTextStatus',
  'isIdDigitalSpoof',
  'isFullIdCaptured',
  'idValidity',
  'nameNotFound',
  'namePartiallyMissing',
  'isDigitalId',
] as const satisfies (keyof DocumentSignals)[];

const TEMPLATE = ['documentCountryCode', 'documentState', 'templateType'] as const;

const USER_DATA = [
  'firstName',
  'lastName',
  'dateOfBirth',
  'dateOfExpiration',
  'dateOfIssue',
  'idNumber',
  'idNumber2',
] as const satisfies (keyof DocumentData['userData'])[];

const ADDRESS = ['city', 'country', 'postalCode', 'state', 'street'] as const;

function documentSnapshot({ result: { document } }: Pick<CompletedCheck, 'result'>) {
  if (!document) return {};
  const { signals, data } = document;
  const { templateInfo, userData } = data;
  return {
    documentSignals: pick(signals, SIGNALS),
    documentData: {
      templateInfo: pick(templateInfo, TEMPLATE),
      userData: { ...pick(userData, USER_DATA), address: pick(userData.address, ADDRESS) },
    },
  };
}

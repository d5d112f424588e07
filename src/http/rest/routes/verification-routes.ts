import { MATCH_TYPES, type MatchType } from '@vouchgraph/linking';
import { AppError } from '@vouchgraph/platform/errors';
import { betweenText, oneOfText } from '@vouchgraph/platform/wording';
import {
  always,
  at,
  checked,
  count,
  described,
  each,
  extended,
  field,
  fields,
  named,
  object,
} from '@vouchgraph/rest';
import { RISK_FLAGS } from '@vouchgraph/signals';
import { languageOf, SIMULATIONS, type VerifyError, verificationError } from '@vouchgraph/verification';
import { documentedMatchTypes } from '../../../domain/verification/result/verification.ts';
import { documentOf, fieldsOf } from '../documents.ts';
import type { VerificationEvidenceFragment, VerificationRequestFragment } from '../generated/operations.ts';
import { type Part, type Route, route } from '../route.ts';
import { identityBody, verifyBody } from './shapes.ts';
import { knownMatchTypes, PROJECT_ID, REQUEST_ID, TIMESTAMP } from './shared-parts.ts';
import { meantSimulation } from './simulation-parameters.ts';

const textParameter = (description: string) => ({ type: 'string' as const, description });

/** Throws the documented errors of the verify endpoints unless there is a result of a session of the kind. */
const checkResult = (kind: 'id' | 'face') => (shown: VerificationRequestFragment | null) => {
  if (!shown) throw verificationError('session_not_found');
  if (shown.kind !== kind) throw verificationError('session_not_valid_for_this_endpoint');
  if (shown.result_error) throw verificationError(shown.result_error as VerifyError);
};

/** Request and decision. */
const RESULT = {
  metadata: object('VerificationMetadata', {
    project_id: PROJECT_ID,
    ...fields('session_id', 'account_id', 'referring_session_id'),
    request_id: REQUEST_ID,
    timestamp: TIMESTAMP,
  }),
  decision: field('decision'),
  ...fieldsOf('VerificationOutcome'),
};

type Matches = NonNullable<VerificationEvidenceFragment['matches']>;

const MATCH: Part<Matches[number]> = object(
  'VerificationMatch',
  fieldsOf('MatchBody', {
    match_kinds: {
      match_types: {
        value: ({ match_kinds }: Matches[number]) =>
          documentedMatchTypes(match_kinds as readonly MatchType[]),
        schema: () => knownMatchTypes(documentedMatchTypes(MATCH_TYPES)),
      },
      match_kinds: field('match_kinds'),
    },
  }),
);

const MATCHES: Part<Matches> = object('VerificationMatches', {
  num_accounts_linked: {
    value: (matches: Matches) => matches.length,
    schema: () => described(count, 'Number of accounts in accounts_linked.'),
  },
  accounts_linked: each(MATCH),
});

/** Evidence of the decision. */
const EVIDENCE = fieldsOf('VerificationEvidence', {
  session: {
    session_data: at(
      'session',
      object(
        'VerificationSession',
        fieldsOf('VerificationSessionBody', {
          device: { device: at('device', named('VerificationDevice')) },
        }),
      ),
    ),
  },
  matches: { matches: at('matches', MATCHES) },
});

/** A number of the query as sent; an invalid one is rejected with the other errors of simulation. */
function scoreOf(text: string | undefined): number | null {
  if (!text) return null;
  const score = /^-?\d*\.?\d+(e-?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (score >= 0 && score <= 1) return score;
  throw misuse(`simulate_risk_score: ${betweenText(0, 1)}`);
}

const DECISIONS = ['Real', 'Suspicious', 'Fake'] as const;
function decisionOf(text: string | undefined) {
  if (!text) return null;
  const decision = DECISIONS.find((each) => each === text);
  if (!decision) throw misuse('simulate_decision: must be Real, Suspicious or Fake');
  return decision;
}

const INVALID_SIMULATION = 'verification.invalid_simulated_session';

/**
 * The simulation of a query. The enums of the schema cannot contain unknown words: flags without an outcome represent them,
 * which the service rejects after the role of the key. `explainUnknown` names the word.
 */
function simulationOf(query: Readonly<Record<string, string>>, unknown: readonly string[]) {
  const simulateDecision = decisionOf(query.simulate_decision);
  const simulateRiskScore = scoreOf(query.simulate_risk_score);
  if (problemOf(query, unknown) !== null) return { simulateRiskFlags: [] };
  const simulate = SIMULATIONS.find((each) => each === query.simulate);
  const names = query.simulate_risk_flags ? flagNames(query.simulate_risk_flags) : null;
  const simulateRiskFlags = names?.flatMap((name) => RISK_FLAGS.filter((each) => each === name));
  return { simulate, simulateDecision, simulateRiskScore, simulateRiskFlags };
}

const flagNames = (text: string) => text.split(',').map((name) => name.trim());
const isOneOf = (values: readonly string[], text: string) => values.includes(text);

/** The unknown word of a simulation with the accepted ones; null if all are known. */
function problemOf(
  { simulate, simulate_risk_flags }: Readonly<Record<string, string>>,
  unknown: readonly string[],
): string | null {
  const [misspelled] = unknown.flatMap((name) => {
    const meant = meantSimulation(name);
    return meant === null ? [] : [`Unknown query parameter ${JSON.stringify(name)}: must be ${meant}`];
  });
  if (misspelled !== undefined) return misspelled;
  if (simulate && !isOneOf(SIMULATIONS, simulate)) return `simulate: ${oneOfText(SIMULATIONS)}`;
  if (!simulate_risk_flags || flagNames(simulate_risk_flags).every((name) => isOneOf(RISK_FLAGS, name)))
    return null;
  return `simulate_risk_flags: must contain only ${RISK_FLAGS.join(', ')}`;
}

function explainUnknown(
  query: Readonly<Record<string, string>>,
  unknown: readonly string[],
  code: unknown,
): AppError | null {
  const problem = code === INVALID_SIMULATION ? problemOf(query, unknown) : null;
  return problem === null ? null : misuse(problem);
}

function misuse(message: string): AppError {
  return new AppError(INVALID_SIMULATION, 'invalid_input', message);
}

/** Verification sessions and their results. */
export const VERIFICATION_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/liveness/session',
    operation: 'verification.create',
    creates: true,
    summary: 'Create a verification session',
    description:
      'Creates an ID check with id=true, otherwise a face check. The person must open session_url ' +
      'within 24 hours. The simulate parameters determine the outcome in a sandbox project.',
    access: 'key',
    body: null,
    query: {
      id: { type: 'boolean', description: 'Whether to create an ID check instead of a face check.' },
      account_id: textParameter(
        'Id of the account, assigned by the client. On completion the face is enrolled for the account, ' +
          'unless it has an enrolled face.',
      ),
      referring_session_id: textParameter('Id of the session that the person came from.'),
      redirect_url: textParameter(
        'URL to redirect the person to at the end, with session_id, success and, on failure, error_message.',
      ),
      lng: textParameter('Language of the page: en, es, fr, de or ar.'),
      simulate: textParameter(
        'Simulated outcome, in sandbox projects: success, invalid_session_id, session_id_not_found, ' +
          'failed_to_get_camera_permission, failed_to_complete_face_scan, failed_to_process_id_scan, ' +
          'failed_to_collect_device_data or liveness_check_failed.',
      ),
      simulate_decision: textParameter(
        'Simulated decision, with simulate=success: Real, Suspicious or Fake.',
      ),
      simulate_risk_score: textParameter('Simulated risk score, 0 to 1, with simulate=success.'),
      simulate_risk_flags: {
        type: 'list',
        description:
          'Simulated risk flags, separated by commas, repeated, or repeated as simulate_risk_flags[], with simulate=success.',
      },
    },
    document: documentOf('RestCreateVerification'),
    variables: ({ query, flags, unknownQuery }) => ({
      input: {
        kind: flags.id ? 'id' : 'face',
        accountId: query.account_id || null,
        referringSessionId: query.referring_session_id || null,
        redirectUrl: query.redirect_url || null,
        language: languageOf(query.lng),
        ...simulationOf(query, unknownQuery),
      },
    }),
    explain: ({ query, unknownQuery }, code) => explainUnknown(query, unknownQuery, code),
    answer: at('create_verification_session', extended('CreatedVerification', { request_id: REQUEST_ID })),
  }),
  route({
    method: 'POST',
    path: '/liveness/verify-id',
    operation: 'verification.verify_id',
    summary: 'Get the result of an ID check',
    description:
      'Result of the check, for 30 days. Lists and matches are current. Rules are those that acted. ' +
      'URLs of images and videos are valid for 15 minutes.',
    access: 'key',
    body: verifyBody,
    query: {
      excludePII: {
        type: 'exclusion',
        description:
          'Whether the answer omits document_data, photo_urls and video_urls. All values except false, ' +
          '0 and no, in any case, are true. The name of the parameter is accepted in any case. If it is ' +
          'repeated, one true value is sufficient.',
      },
    },
    document: documentOf('RestVerifyId'),
    variables: ({ body, flags }) => ({ ...body, withPersonalData: flags.excludePII === false }),
    answer: checked(
      'verification',
      checkResult('id'),
      object('IdCheckResult', { ...RESULT, ...fieldsOf('DocumentBody'), ...EVIDENCE }),
    ),
  }),
  route({
    method: 'POST',
    path: '/liveness/verify-face',
    operation: 'verification.verify_face',
    summary: 'Get the result of a face check',
    description:
      'Result of the check, for 30 days. Lists and matches are current. Rules are those that acted. ' +
      'URLs of images and videos are valid for 15 minutes.',
    access: 'key',
    body: verifyBody,
    query: {},
    document: documentOf('RestVerifyFace'),
    variables: ({ body }) => body,
    answer: checked(
      'verification',
      checkResult('face'),
      object('FaceCheckResult', {
        ...RESULT,
        ...EVIDENCE,
        photo_urls: at('photo_urls', named('FacePhotoUrls')),
        video_urls: field('video_urls'),
      }),
    ),
  }),
  route({
    method: 'POST',
    path: '/liveness/verify-identity',
    operation: 'verification.verify_identity',
    summary: 'Compare a face with the enrolled face of an account',
    description: 'Compares the face of a completed face check with the enrolled face of the account.',
    access: 'key',
    body: identityBody,
    query: {},
    document: documentOf('RestVerifyIdentity'),
    variables: ({ body }) => body,
    answer: at(
      'identity_match',
      extended('IdentityResult', { request_id: REQUEST_ID, success: always(true) }),
    ),
  }),
  route({
    method: 'POST',
    path: '/liveness/enroll',
    operation: 'verification.enroll',
    summary: 'Enroll the face of a session',
    description:
      'Binds a completed session to a new or known account, and enrolls its face unless the account has ' +
      'an enrolled face.',
    access: 'key',
    body: identityBody,
    query: {},
    document: documentOf('RestEnrollFace'),
    variables: ({ body }) => ({ input: body }),
    answer: object('EnrolledFace', { request_id: REQUEST_ID, success: always(true) }),
  }),
];

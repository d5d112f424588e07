import { isLimited } from '../domain/projects/assert-may.ts';
import type { SessionResult } from '../domain/sessions/session-result.ts';
import type { ReferringSignals } from '../domain/verification/result/referring-signals.ts';
import type {
  Verification,
  VerificationMatch,
  VerificationView,
} from '../domain/verification/result/verification.ts';
import {
  assessmentsOf,
  isReproducible,
  type StoredAssessment,
} from '../domain/verification/result/verification-result.ts';
import { VERIFICATION_STATES, type VerificationState } from '../domain/verification/state-table.ts';
import type { DocumentData, DocumentJudgement, DocumentSignals } from '../domain/vision/document-signals.ts';
import { CHALLENGE_STEPS, type ChallengeStep } from '../domain/vision/readings.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { MatchTypeEnum } from './link.ts';
import { DecisionType } from './risk.ts';
import { SessionRef } from './session.ts';
import { VerificationRetakeType } from './verification-retake.ts';

export const VerificationKindType = builder.enumType('VerificationKind', {
  description: 'What is verified.',
  values: {
    ID_CHECK: { description: 'A document, and the face of who shows it.', value: 'id' },
    FACE_CHECK: { description: 'A face.', value: 'face' },
  } as const,
});

const STATE_MEANINGS: Readonly<Record<VerificationState, string>> = {
  created: 'Its page was not asked for yet.',
  opened: 'Its page was shown; nobody has started.',
  capturing: 'Pictures are being taken.',
  processing: 'Pictures were submitted and are being read.',
  completed: 'There is a result.',
  failed: 'There is none; failure says why.',
  expired: 'Nobody started within 24 hours, or the capture was not over 24 hours later.',
};

export const VerificationStateType = builder.enumType('VerificationState', {
  description:
    'Where a verification session stands: created, opened, capturing, processing, then completed or failed; expired ' +
    'when it was not started within 24 hours, or not captured within 24 more. Processing returns to capturing when the document has to be captured again (retake). None is left once it is completed, failed or expired.',
  values: Object.fromEntries(
    VERIFICATION_STATES.map((state) => [
      state.toUpperCase(),
      { description: STATE_MEANINGS[state], value: state },
    ]),
  ) as Record<Uppercase<VerificationState>, { description: string; value: VerificationState }>,
});

export const ChallengeStepType = builder.enumType('ChallengeStep', {
  description: 'What the head did.',
  values: Object.fromEntries(
    CHALLENGE_STEPS.map((step) => [
      step.toUpperCase(),
      {
        description: step === 'center' ? 'Looked into the camera.' : `Turned to the person’s ${step}.`,
        value: step,
      },
    ]),
  ) as Record<
    Uppercase<(typeof CHALLENGE_STEPS)[number]>,
    { description: string; value: (typeof CHALLENGE_STEPS)[number] }
  >,
});

const text = (description: string) => ({ description: `${description} Empty when it could not be read.` });

const DocumentSignalsType = builder.objectRef<DocumentSignals>('DocumentSignals').implement({
  description:
    'What was found out about a document from its pictures. Nothing here says that security features are genuine: ' +
    'they are not looked at.',
  fields: (t) => ({
    idAge: t.int({
      nullable: true,
      description: 'Whole years since the date of birth on the document; null when it could not be read.',
      resolve: (s) => s.idAge,
    }),
    faceAgeEstimate: t.string({
      nullable: true,
      description:
        'Highest bracket that the face clearly exceeds: under8, over8, over13, over16, over18, over21, over25, over30, ' +
        'over40, over50, over65. Null without an estimate. The estimate is some five years off on average.',
      resolve: (s) => s.faceAgeEstimate,
    }),
    idFaceMatchScore: t.float({
      nullable: true,
      description:
        'How well the face fits the portrait on the document, 0 to 1: 1 / (1 + e^(50 (d - 0.385))) of the distance d of ' +
        'their descriptors. Null when no portrait was found.',
      resolve: (s) => s.idFaceMatchScore,
    }),
    idBarcodeStatus: t.exposeString('idBarcodeStatus', {
      description:
        'no_barcode_specificed_by_template, barcode_requested_but_not_found, barcode_requested_but_error_reading, success ' +
        'or barcode_requested_and_read_but_could_not_parse.',
    }),
    idFaceStatus: t.exposeString('idFaceStatus', {
      description:
        'not_available, likely_original_face, cannot_confirm_id_is_authentic or ocr_template_does_not_support_detection.',
    }),
    idTextStatus: t.exposeString('idTextStatus', {
      description: 'not_available, likely_original_text or cannot_confirm_id_is_authentic.',
    }),
    isIdDigitalSpoof: t.exposeString('isIdDigitalSpoof', {
      description: 'likely_physical_id or could_not_confidently_determine_physical_id_user_needs_to_retry.',
    }),
    isFullIdCaptured: t.exposeString('isFullIdCaptured', {
      description: 'full_id_detected or could_not_confidently_determine_full_id_user_needs_to_retry.',
    }),
    idValidity: t.exposeString('idValidity', {
      description:
        'likely_authentic_id: a machine readable part holds and print confirms it. likely_fake_id: parts of the document ' +
        'contradict each other. cannot_confirm_id_is_authentic: everything else.',
    }),
    nameNotFound: t.exposeBoolean('nameNotFound', { description: 'Whether no name was found.' }),
    namePartiallyMissing: t.exposeBoolean('namePartiallyMissing', {
      description: 'Whether only part of the name was found.',
    }),
    isDigitalId: t.exposeBoolean('isDigitalId', {
      description: 'Whether the document is shown on a screen.',
    }),
  }),
});

const TemplateInfo = builder.objectRef<DocumentData['templateInfo']>('DocumentTemplate').implement({
  description: 'What kind of document it is, and who issued it.',
  fields: (t) => ({
    documentCountryCode: t.exposeString('documentCountryCode', text('Country, ISO 3166-1 alpha-2.')),
    documentState: t.exposeString('documentState', text('State or province, as its code.')),
    templateType: t.exposeString('templateType', {
      description:
        'passport, driver_license, state_id, national_id, residence_permit, medical_id, school_id, employee_id, other ' +
        'or unknown.',
    }),
  }),
});

const DocumentAddress = builder.objectRef<DocumentData['userData']['address']>('DocumentAddress').implement({
  description: 'The address on a document.',
  fields: (t) => ({
    city: t.exposeString('city', text('City.')),
    country: t.exposeString('country', text('Country, ISO 3166-1 alpha-2.')),
    postalCode: t.exposeString('postalCode', text('Postal code.')),
    state: t.exposeString('state', text('State or province.')),
    street: t.exposeString('street', text('Street with number.')),
  }),
});

const UserData = builder.objectRef<DocumentData['userData']>('DocumentUserData').implement({
  description: 'The person on a document.',
  fields: (t) => ({
    firstName: t.exposeString('firstName', text('Given names.')),
    lastName: t.exposeString('lastName', text('Family name.')),
    dateOfBirth: t.exposeString('dateOfBirth', text('MM/DD/YYYY.')),
    dateOfExpiration: t.exposeString('dateOfExpiration', text('MM/DD/YYYY.')),
    dateOfIssue: t.exposeString('dateOfIssue', text('MM/DD/YYYY.')),
    idNumber: t.exposeString('idNumber', text('Number of the document.')),
    idNumber2: t.exposeString(
      'idNumber2',
      text('A second number where there is one, such as a personal one.'),
    ),
    address: t.field({ type: DocumentAddress, description: 'Address.', resolve: (u) => u.address }),
  }),
});

const DocumentDataType = builder.objectRef<DocumentData>('DocumentData').implement({
  description: 'What stands on a document. A field whose check digit fails is empty.',
  fields: (t) => ({
    templateInfo: t.field({
      type: TemplateInfo,
      description: 'The kind of document.',
      resolve: (d) => d.templateInfo,
    }),
    userData: t.field({ type: UserData, description: 'The person.', resolve: (d) => d.userData }),
  }),
});

type Scores = SessionResult['riskSignalScores'];
const score = (description: string) => ({ description: `${description} 0 to 1.` });

const DeviceNetworkSignals = builder.objectRef<Scores>('DeviceNetworkSignals').implement({
  description: 'What the session of a verification says of its device and network, as in RiskSignalScores.',
  fields: (t) => ({
    deviceRisk: t.exposeFloat('deviceRisk', score('The device is disguised, automated or tampered with.')),
    proxy: t.exposeFloat('proxy', score('The address is a proxy’s.')),
    vpn: t.exposeFloat('vpn', score('The address is a VPN’s.')),
    datacenter: t.exposeFloat('datacenter', score('The address is a server’s.')),
    tor: t.exposeFloat('tor', score('The address is an exit of Tor.')),
    spoofedIp: t.exposeFloat('spoofedIp', score('The address is not the one that the client has.')),
    recentFraudIp: t.exposeFloat(
      'recentFraudIp',
      score('Accounts on this network were decided Fake lately.'),
    ),
    deviceNetworkMismatch: t.exposeFloat(
      'deviceNetworkMismatch',
      score('What the device says does not fit the network.'),
    ),
    locationSpoofing: t.exposeFloat('locationSpoofing', score('The location is made up.')),
  }),
});

const ReferringSessionSignals = builder.objectRef<ReferringSignals>('ReferringSessionSignals').implement({
  description: 'How the session of a verification differs from the session that referred to it.',
  fields: (t) => ({
    impossibleTravel: t.exposeFloat('impossibleTravel', score('Nobody travels that fast between the two.')),
    ipMismatch: t.exposeFloat(
      'ipMismatch',
      score('Same network 0, neighbourhood .2, operator .3, country .5, another country 1.'),
    ),
    userAgentMismatch: t.exposeFloat(
      'userAgentMismatch',
      score('Same text 0, browser .2, device .4, class of device .7, another class 1.'),
    ),
    deviceTimezoneMismatch: t.exposeFloat(
      'deviceTimezoneMismatch',
      score('By how far the clocks of the devices are apart; 1 from three hours on.'),
    ),
    ipTimezoneMismatch: t.exposeFloat(
      'ipTimezoneMismatch',
      score('By how far the clocks at the places of the addresses are apart; 1 from three hours on.'),
    ),
  }),
});

const PhotoUrls = builder.objectRef<VerificationView['media']>('VerificationPhotoUrls').implement({
  description:
    'Signed URLs of images, valid for 15 minutes. Null for a side that was not taken, was erased, or is older than the ' +
    'retention. A simulated success has placeholder images with the text SIMULATED.',
  fields: (t) => ({
    face: t.exposeString('face', {
      nullable: true,
      description: 'URL of the face, cropped from the best frame.',
    }),
    idScanFront: t.exposeString('idScanFront', {
      nullable: true,
      description: 'URL of the front of the document; null for a face check.',
    }),
    idScanBack: t.exposeString('idScanBack', {
      nullable: true,
      description: 'URL of the back of the document; null for a face check and for documents without one.',
    }),
  }),
});

const MatchType = builder.objectRef<VerificationMatch>('VerificationMatch').implement({
  description: 'An account that shares something with a verification.',
  fields: (t) => ({
    accountId: t.exposeString('accountId', { description: "The client's own id." }),
    matchTypes: t.exposeStringList('matchTypes', {
      description: 'What is shared: face, ip_address, browser, document_number, document_name.',
    }),
    matchKinds: t.field({
      type: [MatchTypeEnum],
      description:
        'Every kind of evidence that the link to the account rests on, under the names of LinkedAccountEdge.matchTypes, ' +
        'contact data and names included. Not empty.',
      resolve: ({ matchKinds }) => [...matchKinds],
    }),
  }),
});

type Contribution = NonNullable<Verification['result']>['contributions'][number];
const FlagContribution = builder.objectRef<Contribution>('RiskFlagContribution').implement({
  description:
    'How much a flag adds to the risk score. Of a group the largest counts; groups combine by 1 - Π(1 - x).',
  fields: (t) => ({
    flag: t.exposeString('flag', { description: 'The flag.' }),
    group: t.exposeString('group', { description: 'What has one cause.' }),
    value: t.exposeFloat('value', { description: '0 to 1.' }),
  }),
});

const VerificationAssessment = builder.objectRef<StoredAssessment>('VerificationAssessment').implement({
  description: 'One assessment of a completed check: by score alone, before lists and rules.',
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      description: 'Time of the assessment.',
      resolve: ({ basis }) => new Date(basis.at),
    }),
    decision: t.field({
      type: DecisionType,
      description: 'Decision by the score and the thresholds of the completion.',
      resolve: ({ decision }) => decision,
    }),
    riskScore: t.exposeFloat('riskScore', { description: 'Risk score, 0 to 1; higher is riskier.' }),
    riskFlags: t.stringList({
      description: 'Flags, each once.',
      resolve: ({ riskFlags }) => [...riskFlags],
    }),
    contributions: t.field({
      type: [FlagContribution],
      description: 'Contribution of each flag to the score.',
      resolve: ({ contributions }) => [...contributions],
    }),
    weightsVersion: t.exposeString('weightsVersion', { description: 'Version of the weights.' }),
    reproducible: t.boolean({
      description:
        'Whether the stored evidence gives the same flags, score and decision when it is assessed again; false after the weights changed.',
      resolve: isReproducible,
    }),
  }),
});

/** A session with its view, which is made once for all fields that ask for it. */
export class ShownVerification {
  readonly verification: Verification;
  /** Whether its view was given, and costs nothing to look at. */
  readonly isViewed: boolean;
  readonly #make: () => Promise<VerificationView | null>;
  #view: Promise<VerificationView | null> | undefined;

  constructor(verification: Verification, make: () => Promise<VerificationView | null>, isViewed = false) {
    this.verification = verification;
    this.isViewed = isViewed;
    this.#make = make;
  }

  view(): Promise<VerificationView | null> {
    this.#view ??= this.#make();
    return this.#view;
  }
}

/** One of them; `view` where it was made already. */
export function shownVerification(
  verification: Verification,
  { services }: GraphQLContext,
  view?: VerificationView,
): ShownVerification {
  return new ShownVerification(
    verification,
    async () => view ?? services.verifications.viewIfComplete(verification),
    view !== undefined,
  );
}

/** A page of them, whose views are made together when the first is asked for. */
function shownPage(found: readonly Verification[], context: GraphQLContext): ShownVerification[] {
  let views: Promise<(VerificationView | null)[]> | undefined;
  return found.map(
    (verification, index) =>
      new ShownVerification(verification, async () => {
        views ??= context.services.verifications.viewsIfComplete(context.viewer.project, found);
        return (await views)[index] ?? null;
      }),
  );
}

const NOT_COMPLETE = 'Null until it is completed, and when its result is older than 30 days.';
const ofView =
  <T>(read: (view: VerificationView) => T) =>
  async (shown: ShownVerification): Promise<T | null> => {
    const view = await shown.view();
    return view && read(view);
  };
const document = (view: VerificationView): DocumentJudgement | null => view.result.document;

export const VerificationType = builder.objectRef<ShownVerification>('Verification').implement({
  description:
    'A check of a face, or of a face and a document: its session, and what came of it. Lists and matches are ' +
    'those of the moment at which they are asked for.',
  fields: (t) => ({
    sessionId: t.field({
      type: 'UUID',
      description: 'Id of its session, also that of the session that its page collects.',
      resolve: ({ verification: { row } }) => row.session_id,
    }),
    kind: t.field({
      type: VerificationKindType,
      description: 'What is verified.',
      resolve: ({ verification: { row } }) => row.kind,
    }),
    state: t.field({
      type: VerificationStateType,
      description: 'Where it stands.',
      resolve: ({ verification }, _args, { services }) => verification.stateAt(services.clock.now()),
    }),
    retake: t.field({
      type: VerificationRetakeType,
      nullable: true,
      description:
        'Request to capture the document again, because its images could not be judged. Null unless the session waits for ' +
        'new images of the document; face, consent and turns of the head stay.',
      resolve: ({ verification }, _args, { services }) => verification.retakeAt(services.clock.now()),
    }),
    failure: t.string({
      nullable: true,
      description:
        'Why it failed: failed_to_get_camera_permission, failed_to_complete_face_scan, failed_to_process_id_scan, ' +
        'failed_to_collect_device_data, liveness_check_failed, invalid_session_id or session_id_not_found. Null otherwise.',
      resolve: ({ verification: { row } }) => row.failure || null,
    }),
    accountId: t.string({
      nullable: true,
      description: "The client's own id of the account that it was made for, or bound to; null without one.",
      resolve: async (shown, _args, { services, viewer }) => {
        if (shown.isViewed) return (await shown.view())?.accountId ?? null;
        const { verification } = shown;
        return (
          verification.row.account_id ?? (await services.verifications.boundAccount(viewer, verification))
        );
      },
    }),
    referringSessionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The session that referred to it; null without one.',
      resolve: ({ verification: { row } }) => row.referring_session_id,
    }),
    challenge: t.field({
      type: [ChallengeStepType],
      description: 'The turns of the head that are asked for, in order.',
      resolve: ({ verification: { row } }) => row.challenge as ChallengeStep[],
    }),
    simulated: t.boolean({
      description: 'Whether its outcome was asked for rather than found out.',
      resolve: ({ verification: { row } }) => row.simulation !== null,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: ({ verification: { row } }) => row.created_at,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Until when it may be started.',
      resolve: ({ verification: { row } }) => row.expires_at,
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its page, or an app, began to capture.',
      resolve: ({ verification: { row } }) => row.started_at,
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was completed, or failed.',
      resolve: ({ verification: { row } }) => row.completed_at,
    }),
    consentAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the person agreed to pictures being taken.',
      resolve: ({ verification: { row } }) => row.consent_at,
    }),
    consentVersion: t.string({
      description: 'Version of the text that was agreed to; empty before.',
      resolve: ({ verification: { row } }) => row.consent_version,
    }),
    decision: t.field({
      type: DecisionType,
      nullable: true,
      description: `Fake on a list that blocks, Real on one that allows, otherwise by the score. ${NOT_COMPLETE}`,
      resolve: ofView((view) => view.decision),
    }),
    rawDecision: t.field({
      type: DecisionType,
      nullable: true,
      description: `By the score and the thresholds of its time alone. ${NOT_COMPLETE}`,
      resolve: ofView((view) => view.result.decision),
    }),
    riskScore: t.float({
      nullable: true,
      description: `0 to 1, higher is riskier; lists do not change it. ${NOT_COMPLETE}`,
      resolve: ofView((view) => view.result.riskScore),
    }),
    riskFlags: t.stringList({
      nullable: true,
      description: `What speaks against it, such as repeat_face (docs/verification.md lists all). ${NOT_COMPLETE}`,
      resolve: ofView((view) => [...view.result.riskFlags]),
    }),
    contributions: t.field({
      type: [FlagContribution],
      nullable: true,
      description: `What each flag adds to the score. ${NOT_COMPLETE}`,
      resolve: ofView((view) => [...view.result.contributions]),
    }),
    assessments: t.field({
      type: [VerificationAssessment],
      nullable: true,
      description:
        'Assessments of the check, oldest first; the last one is in force. Binding the session to an account can append ' +
        `one (docs/verification.md). Empty for simulated checks and for checks of earlier versions. ${NOT_COMPLETE}`,
      resolve: ofView((view) => assessmentsOf(view.result)),
    }),
    reasons: t.stringList({
      nullable: true,
      description: `Why the signals of the document are what they are, as codes. Null for a face check. ${NOT_COMPLETE}`,
      resolve: ofView((view) => (document(view) ? [...document(view)!.reasons] : null)),
    }),
    lists: t.stringList({
      nullable: true,
      description: `Names of the lists that its account is on now. ${NOT_COMPLETE}`,
      resolve: ofView((view) => [...view.lists]),
    }),
    rules: t.stringList({
      nullable: true,
      description:
        'Current names, each once: first of the rules that were triggered for its account with its session, then of rules ' +
        `of earlier sessions that put the account on the list that decides. ${NOT_COMPLETE}`,
      resolve: ofView((view) => [...view.rules]),
    }),
    documentSignals: t.field({
      type: DocumentSignalsType,
      nullable: true,
      description: `What was found out about the document. Null for a face check. ${NOT_COMPLETE}`,
      resolve: ofView((view) => document(view)?.signals ?? null),
    }),
    documentData: t.field({
      type: DocumentDataType,
      nullable: true,
      description: `What stands on the document. Null for a face check. ${NOT_COMPLETE}`,
      resolve: ofView((view) => document(view)?.data ?? null),
    }),
    deviceNetworkSignals: t.field({
      type: DeviceNetworkSignals,
      nullable: true,
      description: `What its session says of device and network. ${NOT_COMPLETE}`,
      resolve: ofView((view) => view.session?.result.riskSignalScores ?? null),
    }),
    referringSessionSignals: t.field({
      type: ReferringSessionSignals,
      nullable: true,
      description: `How it differs from the session that referred to it. Null without one. ${NOT_COMPLETE}`,
      resolve: ofView((view) => view.result.referring),
    }),
    photoUrls: t.field({
      type: PhotoUrls,
      nullable: true,
      description: `Signed URLs of its images. ${NOT_COMPLETE}`,
      resolve: ofView((view) => view.media),
    }),
    videoUrls: t.stringList({
      nullable: true,
      description: `Signed URLs of its videos, valid for 15 minutes. Empty for a simulated session. ${NOT_COMPLETE}`,
      resolve: ofView((view) => [...view.media.videos]),
    }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: `The session that its page collected. ${NOT_COMPLETE}`,
      resolve: ofView((view) => view.session),
    }),
    matches: t.field({
      type: [MatchType],
      nullable: true,
      description:
        `Accounts that share its face, document, network or browser, the strongest links first, 1,500 at most. ` +
        `A browser token that names an account or a session sees none. ${NOT_COMPLETE}`,
      resolve: async (shown, _args, { viewer }) => {
        const view = await shown.view();
        return view && (isLimited(viewer) ? [] : [...(await view.matches())]);
      },
    }),
  }),
});

builder.queryField('verification', (t) =>
  t.field({
    type: VerificationType,
    nullable: true,
    description: 'A verification session by its id; null when there is none, or it is not yours to see.',
    authScopes: { may: 'verification.read' },
    args: { sessionId: t.arg.id({ required: true, description: 'Id of the session.' }) },
    resolve: async (_root, { sessionId }, context) => {
      const found = await context.services.verifications.find(context.viewer, String(sessionId));
      return found && shownVerification(found, context);
    },
  }),
);

const VerificationFilterInput = builder.inputType('VerificationFilter', {
  description: 'Which verification sessions; all conditions together.',
  fields: (t) => ({
    kind: t.field({ type: VerificationKindType, description: 'Of this kind.' }),
    state: t.field({
      type: VerificationStateType,
      description: 'In this state. EXPIRED are those that were not started, or not captured, in time.',
    }),
    decision: t.field({ type: DecisionType, description: 'With this decision by score alone.' }),
    accountId: t.string({ description: "Made for, or bound to, the account with this client's own id." }),
    createdAfter: t.field({ type: 'DateTime', description: 'Made at or after.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Made before.' }),
  }),
});

const VerificationEdge = builder.edgeObject({
  type: VerificationType,
  name: 'VerificationEdge',
  description: 'A verification session in a page.',
});
const VerificationConnection = builder.connectionObject(
  { type: VerificationType, name: 'VerificationConnection', description: 'A page of verification sessions.' },
  VerificationEdge,
);

builder.queryField('verifications', (t) =>
  t.field({
    type: VerificationConnection,
    description:
      'Verification sessions of the project, the newest first. Errors: auth.forbidden for browser tokens that name a ' +
      'session, or another account than the filter; input.invalid.',
    authScopes: { may: 'verification.search' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor to go on behind.' }),
      filter: t.arg({ type: VerificationFilterInput, description: 'Which sessions.' }),
    },
    resolve: async (_root, args, context) => {
      const { cipher } = context.viewer.project;
      const size = pageSize(args.first, context);
      const filter = args.filter ?? {};
      const scope = JSON.stringify(['verifications', filter]);
      const after = args.after == null ? null : decodeCursor(cipher, scope, args.after);
      const found = await context.services.verifications.search(
        context.viewer,
        filter,
        after && { createdAt: new Date(String(after[0])), sessionId: String(after[1]) },
        size + 1,
      );
      return toPage(shownPage(found, context), size, {
        context,
        scope,
        hasPrevious: after !== null,
        position: ({ verification: { row } }) => [row.created_at.toISOString(), row.session_id],
        edge: (shown) => ({ node: shown }),
      });
    },
  }),
);

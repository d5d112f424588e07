import { assessmentsOf } from '@vouchgraph/verification';
import type { DocumentJudgment } from '@vouchgraph/vision';
import {
  MEDIA_COLUMNS,
  type MediaRecord,
  RESULT_COLUMNS,
  type ResultRecord,
} from '../../domain/verification/find-verification-service.ts';
import type { MediaUrls, VerificationView } from '../../domain/verification/result/verification.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { DecisionType } from '../kernel/risk.ts';
import { RiskFlagType } from '../kernel/verification-enums.ts';
import { SessionRef } from '../sessions/session.ts';
import { VerificationNode } from './verification.ts';
import { DocumentDataType, DocumentSignalsType } from './verification-document.ts';
import {
  DeviceNetworkSignals,
  FlagContribution,
  MatchType,
  PhotoUrls,
  ReferringSessionSignals,
  VerificationAssessment,
} from './verification-evidence.ts';
import { viewOf } from './verification-view.ts';

/* What a completed verification found: fields of the result, and the evidence behind it. */

const NOT_COMPLETE = 'Null if the check is not completed, or if its result is older than 30 days.';
const ofView =
  <T>(read: (view: VerificationView) => T | Promise<T>) =>
  async (record: ResultRecord, _args: object, context: GraphQLContext): Promise<T | null> => {
    const view = await viewOf(record, context);
    return view && read(view);
  };
async function mediaOf(
  record: MediaRecord,
  _args: object,
  context: GraphQLContext,
): Promise<MediaUrls | null> {
  const { viewer, services } = context;
  return (await viewOf(record, context)) && services.verifications.mediaUrls(viewer.project, record);
}
const document = (view: VerificationView): DocumentJudgment | null => view.result.document;

/** Scores of a verification without a referring session, as REST shows them. */
const NO_REFERRING_SESSION = {
  impossible_travel: 0,
  ip_mismatch: 0,
  user_agent_mismatch: 0,
  device_timezone_mismatch: 0,
  ip_timezone_mismatch: 0,
};

/** The result. */
builder.prismaObjectFields(VerificationNode, (t) => ({
  decision: t.field({
    rest: { unknown: 'never' },
    type: DecisionType,
    nullable: true,
    description:
      'Decision: the first of FAKE on a block list, the review, REAL on an allow list, and the decision ' +
      `by the score. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.decision()),
  }),
  rawDecision: t.field({
    type: DecisionType,
    nullable: true,
    description:
      'Decision by the score and the thresholds at the completion, without lists and review. ' +
      `${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.result.decision),
  }),
  riskScore: t.float({
    rest: { unknown: 'never' },
    nullable: true,
    description: `Risk score, 0 to 1. A higher score is riskier. Lists do not change it. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.result.riskScore),
  }),
  riskFlags: t.field({
    rest: { unknown: 'never' },
    type: [RiskFlagType],
    nullable: true,
    description: `Findings that raise the risk score, each once. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => [...view.result.riskFlags]),
  }),
  contributions: t.field({
    type: [FlagContribution],
    nullable: true,
    description: `Contributions of flags to the score. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => [...view.result.contributions]),
  }),
  assessments: t.field({
    type: [VerificationAssessment],
    nullable: true,
    description:
      'Assessments of the check, the oldest first. The last assessment applies. Binding the session to ' +
      `an account can append one (docs/verification.md). Empty for simulated checks. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => assessmentsOf(view.result)),
  }),
  reasons: t.stringList({
    mask: 'none',
    nullable: true,
    description:
      'Codes of the reasons for the signals of the document. The set of codes is open. Null for a face ' +
      `check. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => (document(view) ? [...document(view)!.reasons] : null)),
  }),
  listNames: t.stringList({
    mask: 'none',
    tokenScopes: ['ACCOUNT'],
    namesAccount: true,
    rest: { unknown: 'never' },
    nullable: true,
    description: `Names of the lists that contain the account. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView(async (view) => [...(await view.lists())]),
  }),
  ruleNames: t.stringList({
    mask: 'none',
    tokenScopes: 'never',
    rest: { unknown: 'never' },
    nullable: true,
    description:
      'Current names of rules, each once. Rules that were triggered for the account with its session ' +
      `precede rules of earlier sessions that added the account to the deciding list. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView(async (view) => [...(await view.rules())]),
  }),
}));

/** The evidence behind the result. */
builder.prismaObjectFields(VerificationNode, (t) => ({
  documentSignals: t.field({
    tokenScopes: ['VERIFICATION_RESULT', 'DOCUMENT'],
    rest: { unknown: 'never' },
    type: DocumentSignalsType,
    nullable: true,
    description: `Assessment of the document. Null for a face check. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => document(view)?.signals ?? null),
  }),
  documentData: t.field({
    tokenScopes: ['DOCUMENT'],
    rest: { unknown: 'never' },
    type: DocumentDataType,
    nullable: true,
    description: `Data of the document. Null for a face check. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => document(view)?.data ?? null),
  }),
  deviceNetworkSignals: t.field({
    rest: { unknown: 'never' },
    type: DeviceNetworkSignals,
    nullable: true,
    description: `Risk signals of device and network of the session. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView(async (view) => (await view.session())?.result.riskSignalScores ?? null),
  }),
  referringSessionSignals: t.field({
    rest: { default: NO_REFERRING_SESSION },
    type: ReferringSessionSignals,
    nullable: true,
    description: `Differences from the referring session. Null without a referring session. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.result.referring),
  }),
  photoUrls: t.field({
    tokenScopes: ['DOCUMENT'],
    rest: { default: {} },
    type: PhotoUrls,
    nullable: true,
    description: `Signed URLs of the images. ${NOT_COMPLETE}`,
    select: MEDIA_COLUMNS,
    resolve: mediaOf,
  }),
  videoUrls: t.stringList({
    mask: 'media',
    tokenScopes: ['DOCUMENT'],
    rest: { unknown: 'never' },
    nullable: true,
    description: `Signed URLs of the videos, valid for 15 minutes. Empty for a simulated session. ${NOT_COMPLETE}`,
    select: MEDIA_COLUMNS,
    resolve: async (record, _args, context) => {
      const urls = await mediaOf(record, {}, context);
      return urls && [...urls.videos];
    },
  }),
  session: t.field({
    tokenScopes: ['ACCOUNT'],
    rest: { default: {} },
    type: SessionRef,
    nullable: true,
    description: `Session that the page collected. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.session()),
  }),
  accountMatches: t.field({
    tokenScopes: 'never',
    rest: { unknown: 'never' },
    type: [MatchType],
    nullable: true,
    description:
      'Accounts that share the face, document, network or browser, the strongest links first, at most ' +
      `1,500. ${NOT_COMPLETE} Errors: \`auth.forbidden\` (browser tokens).`,
    complexity: { field: 1, multiplier: 50 },
    select: RESULT_COLUMNS,
    resolve: ofView(async (view) => [...(await view.matches())]),
  }),
}));

import { RISK_FLAG_MEANINGS } from '@vouchgraph/signals';
import {
  counted,
  decisionOf,
  minuteOf,
  print,
  printJson,
  printSection,
  snakeKeys,
  wordOf,
} from '@vouchgraph/terminal';
import type { Api } from '../support/api.ts';
import { notFound } from '../support/not-found.ts';
import { VERIFICATION } from './documents.ts';
import {
  type Review,
  shownReview,
  shownVerification,
  type Verification,
  verificationIdOf,
} from './verification.ts';

/** Accounts in the text. */
const MAX_MATCHES = 10;

type Scores = Record<string, number>;
type Whole = Verification & {
  contributions: { flag: string; group: string; value: number }[] | null;
  reasons: string[] | null;
  listNames: string[] | null;
  ruleNames: string[] | null;
  account: { accountId: string; decision: string; accountScore: number } | null;
  accountMatches: { accountId: string; matchTypes: string[] }[] | null;
  documentSignals: Record<string, string | number | boolean | null> | null;
  documentData: {
    templateInfo: { templateType: string; documentCountryCode: string | null; documentState: string | null };
    userData: Record<'firstName' | 'lastName' | 'dateOfBirth' | 'dateOfExpiration', string | null>;
  } | null;
  deviceNetworkSignals: Scores | null;
  referringSessionId: string | null;
  referringSessionSignals: Scores | null;
  photoUrls: Record<'face' | 'idScanFront' | 'idScanBack', string | null> | null;
  videoUrls: string[] | null;
  challenge: string[];
  retake: { reason: string; remaining: number } | null;
  consentAt: string | null;
  consentVersion: string | null;
  startedAt: string | null;
  expiresAt: string;
  reviews: { edges: { node: Review }[] };
};

/** A verification with its evidence. It contains no secret of the page, and signed URLs of images only on request. */
function shown(verification: Whole, urls: boolean) {
  const { account, photoUrls, videoUrls, retake } = verification;
  return {
    ...shownVerification(verification),
    account: account && {
      account_id: account.accountId,
      decision: decisionOf(account.decision),
      account_score: account.accountScore,
    },
    list_names: verification.listNames,
    rule_names: verification.ruleNames,
    contributions:
      verification.contributions?.map(({ flag, group, value }) => ({ flag: wordOf(flag), group, value })) ??
      null,
    document: shownDocument(verification),
    device_network_signals: snakeKeys(verification.deviceNetworkSignals) as Scores | null,
    referring_session_id: verification.referringSessionId,
    referring_session_signals: snakeKeys(verification.referringSessionSignals) as Scores | null,
    account_matches:
      verification.accountMatches?.map(({ accountId, matchTypes }) => ({
        account_id: accountId,
        match_types: matchTypes.map(wordOf),
      })) ?? null,
    images: photoUrls && {
      face: photoUrls.face !== null,
      id_scan_front: photoUrls.idScanFront !== null,
      id_scan_back: photoUrls.idScanBack !== null,
      videos: videoUrls?.length ?? 0,
    },
    ...(urls && {
      image_urls: photoUrls && {
        face: photoUrls.face,
        id_scan_front: photoUrls.idScanFront,
        id_scan_back: photoUrls.idScanBack,
        videos: videoUrls ?? [],
      },
    }),
    challenge: verification.challenge.map(wordOf),
    retake: retake && { reason: wordOf(retake.reason), remaining: retake.remaining },
    consent_at: verification.consentAt,
    consent_version: verification.consentVersion,
    started_at: verification.startedAt,
    expires_at: verification.expiresAt,
    reviews: verification.reviews.edges.map(({ node }) => shownReview(node)),
  };
}

function shownDocument({ documentSignals, documentData, reasons }: Whole) {
  if (!documentSignals || !documentData) return null;
  const { templateInfo, userData } = documentData;
  const words = Object.entries(documentSignals).map(([key, value]) => [
    key,
    typeof value === 'string' ? wordOf(value) : value,
  ]);
  return {
    signals: snakeKeys(Object.fromEntries(words)) as Record<string, string | number | boolean | null>,
    reasons: reasons ?? [],
    template: {
      template_type: wordOf(templateInfo.templateType),
      document_country_code: templateInfo.documentCountryCode,
      document_state: templateInfo.documentState,
    },
    holder: {
      first_name: userData.firstName,
      last_name: userData.lastName,
      date_of_birth: userData.dateOfBirth,
      date_of_expiration: userData.dateOfExpiration,
    },
  };
}

type Shown = ReturnType<typeof shown>;

/** Prints a verification with its decision, flags, document and reviews. */
export async function showVerification(
  api: Api,
  { urls = false, json }: { urls?: boolean; json?: boolean },
  text: string,
): Promise<void> {
  const id = verificationIdOf(text);
  const { verification } = await api.run<{ verification: Whole | null }>(VERIFICATION, { id });
  if (!verification) throw notFound('verification.session_not_found', id);
  const all = shown(verification, urls);
  if (json) return printJson(all);
  const decided = all.decision === null ? '' : `, ${all.decision}, score ${all.risk_score}`;
  print(`${all.session_id}: ${all.kind} ${all.state}${decided}`, '');
  for (const [key, value] of mainLines(all)) if (value) print(`  ${key.padEnd(9)}  ${value}`);
  printFlags(all);
  printDocument(all);
  printImages(all);
  printMatches(all);
  printReviews(all);
}

const spaced = (word: string) => word.replaceAll('_', ' ');

function mainLines(all: Shown): [string, string | null][] {
  const { account, retake, images } = all;
  const hasEnded = ['completed', 'failed', 'expired'].includes(all.state);
  return [
    ['failure', all.failure && spaced(all.failure)],
    ['result', all.result_error && `none: ${spaced(all.result_error)}`],
    ['by score', all.raw_decision],
    ['review', all.review && `${all.review.decision} by ${all.review.actor} at ${minuteOf(all.review.at)}`],
    [
      'account',
      account
        ? `${account.account_id} (${account.decision}, score ${account.account_score})`
        : all.account_id,
    ],
    ['lists', all.list_names?.join(', ') ?? null],
    ['rules', all.rule_names?.join(', ') ?? null],
    ['images', images && imagesText(images)],
    ['challenge', all.challenge.length > 0 ? `turns of the head: ${all.challenge.join(', ')}` : null],
    ['retake', retake && `${spaced(retake.reason)}, ${counted(retake.remaining, 'further retake')}`],
    ['referrer', all.referring_session_id],
    ['created', all.created_at],
    ['started', all.started_at],
    ['consent', all.consent_at && `${all.consent_at}, version ${all.consent_version}`],
    ['completed', all.completed_at],
    ['expires', hasEnded ? null : all.expires_at],
    ['simulated', all.simulated ? 'yes' : null],
  ];
}

function imagesText(images: NonNullable<Shown['images']>): string {
  const { face, id_scan_front, id_scan_back, videos } = images;
  const names = [
    face && 'face',
    id_scan_front && 'front of the document',
    id_scan_back && 'back of the document',
    videos > 0 && counted(videos, 'video'),
  ];
  return names.filter((name) => name !== false).join(', ') || 'none';
}

function printFlags({ risk_flags, contributions }: Shown): void {
  const values = new Map(contributions?.map(({ flag, value }) => [flag, value.toFixed(2)]));
  const meanings: Readonly<Record<string, string>> = RISK_FLAG_MEANINGS;
  printSection(
    'Flags',
    (risk_flags ?? []).map((flag) => [flag, values.get(flag) ?? '', meanings[flag] ?? '']),
  );
}

function printDocument({ document }: Shown): void {
  if (!document) return;
  const { template, holder, signals, reasons } = document;
  const type = [spaced(template.template_type), template.document_country_code, template.document_state];
  const name = [holder.first_name, holder.last_name].filter((part) => part !== null).join(' ');
  const rows: [string, string | null][] = [
    ['type', type.filter((part) => part !== null).join(', ')],
    ['name', name],
    ['date_of_birth', holder.date_of_birth],
    ['date_of_expiration', holder.date_of_expiration],
    ...Object.entries(signals).map(([key, value]): [string, string] => [key, textOf(value)]),
    ['reasons', reasons.join(', ')],
  ];
  printSection(
    'Document',
    rows.flatMap(([key, value]) => (value ? [[key, value]] : [])),
  );
}

function textOf(value: string | number | boolean | null): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null ? '' : spaced(String(value));
}

function printImages({ image_urls: urls }: Shown): void {
  if (!urls) return;
  const rows = [
    ['face', urls.face],
    ['id_scan_front', urls.id_scan_front],
    ['id_scan_back', urls.id_scan_back],
    ...urls.videos.map((video) => ['video', video]),
  ];
  printSection(
    'Images, by URLs that are valid for 15 minutes',
    rows.flatMap(([key, url]) => (url ? [[key!, url]] : [])),
  );
}

function printMatches({ account_matches }: Shown): void {
  const matches = account_matches ?? [];
  printSection(
    'Accounts with the same evidence',
    matches.slice(0, MAX_MATCHES).map(({ account_id, match_types }) => [account_id, match_types.join(', ')]),
  );
  const remaining = matches.length - MAX_MATCHES;
  if (remaining > 0) print(`and ${counted(remaining, 'more account')}: --json shows all`);
}

function printReviews({ reviews }: Shown): void {
  printSection(
    'Reviews',
    reviews.map(({ at, decision, actor, reason }) => [minuteOf(at), decision, actor, reason ?? '']),
  );
}

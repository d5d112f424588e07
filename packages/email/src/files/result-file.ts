import { csvField } from '@vouchgraph/platform/csv';
import type { EmailAssessment } from '../email-assessment.ts';

/** Columns that a result adds after those of the input. */
const RESULT_COLUMNS = [
  'email_status',
  'decision',
  'risk_score',
  'domain_type',
  'disposable',
  'send_recommendation',
  'trust_signals',
  'risk_signals',
  'normalized',
  'error',
  'line',
] as const;

/** Further columns of an import with identity intelligence. */
const IDENTITY_COLUMNS = ['match_risk_score', 'name_match', 'phone_match', 'country_match'] as const;

/** Optional columns of a result. */
type Added = { readonly identity: boolean };

/** UTF-8 byte order mark, from which spreadsheets detect the encoding. */
export const BOM = '\ufeff';
const LINE_END = '\r\n';
/**
 * Start of a formula for spreadsheets: at the start of a cell, and after characters that programs with other locales and
 * settings read as the end of a cell or line.
 */
const FORMULA_STARTS =
  /^(?=[\t\r\n])|(?<=^|[;|\t\r\n])(?=[ "\u00a0\u2000-\u200b\u3000\ufeff]*[=+\-@＝＋－＠])/gu;

/** Row of the result: the cells of the input, and the result of the check. */
export type ResultRow = {
  readonly fields: readonly string[];
  readonly line: number;
  /** Null while the check is pending. */
  readonly status: 'success' | 'error' | null;
  readonly assessment: EmailAssessment | null;
  readonly disposable: boolean | null;
  /** Reason code of a row without a result; '' for others. */
  readonly error: string;
};

/** The header: the columns of the input in order, then those of the result, all with unique names. */
export function resultHeader(columns: readonly string[], added?: Added): string {
  return `${uniqueNames(columns, added).map(textCell).join(',')}${LINE_END}`;
}

/** Columns of the input keep their names; added ones with a name that the input has get a number. */
export function uniqueNames(columns: readonly string[], { identity }: Added = { identity: false }): string[] {
  const taken = new Set(columns.map((name) => name.toLowerCase()));
  const added = [...RESULT_COLUMNS, ...(identity ? IDENTITY_COLUMNS : [])].map((name) => {
    let free: string = name;
    for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}_${number}`;
    taken.add(free.toLowerCase());
    return free;
  });
  return [...columns, ...added];
}

/** A line of the result with `columns` cells of the input: missing ones are empty, further ones are omitted. */
export function resultLine(
  row: ResultRow,
  columns: number,
  { identity }: Added = { identity: false },
): string {
  const { assessment } = row;
  const input = Array.from({ length: columns }, (_none, index) => textCell(row.fields[index] ?? ''));
  const signals = (side: 'trust' | 'risk') =>
    (assessment?.signals ?? [])
      .filter((signal) => signal.side === side)
      .map(({ code }) => code)
      .join(' ');
  const found = [
    row.status ?? 'pending',
    assessment?.decision ?? '',
    // A number of our own: a negative one is no formula.
    assessment === null ? '' : String(assessment.riskScore),
    assessment?.domain.type ?? '',
    row.disposable === null ? '' : String(row.disposable),
    assessment?.deliverability.sendRecommendation ?? '',
    signals('trust'),
    signals('risk'),
    textCell(assessment?.email.normalized ?? ''),
    row.error,
    String(row.line),
    ...(identity ? identityCells(assessment?.identity ?? null) : []),
  ];
  return `${[...input, ...found].join(',')}${LINE_END}`;
}

function identityCells(identity: EmailAssessment['identity']): string[] {
  if (identity === null) return IDENTITY_COLUMNS.map(() => '');
  const { name, phone, country } = identity.claimMatches;
  return [String(identity.matchRiskScore ?? ''), name, phone, country];
}

/** Cell with text of the input: quoted where needed, and prefixed with an apostrophe if it would be a formula. */
export function textCell(text: string): string {
  return csvField(text.replace(FORMULA_STARTS, "'"));
}

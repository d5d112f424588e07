import { EMAIL_SIGNALS } from '@vouchgraph/email';
import {
  ALL_CODES,
  RISK_SCORE_KEYS,
  RISK_SCORE_MEANINGS,
  type RiskScoreKey,
  scoreName,
} from '@vouchgraph/signals';
import { decisionOf, minuteOf, print, printSection, wordOf } from '@vouchgraph/terminal';

/* Reasons of the decision and the score of an account. */

type Scores = Record<RiskScoreKey, number>;
type Code = {
  code: string;
  confidence: number;
  contributions: Record<string, number>;
  observed: string;
  source: string;
};

export type Explained = {
  decisionTrace: {
    winner: string;
    byScore: string;
    suspiciousFrom: number;
    fakeFrom: number;
    list: {
      name: string;
      effect: string;
      reason: string | null;
      actor: string | null;
      expiresAt: string | null;
    } | null;
    rule: { name: string; version: number } | null;
    requiredVerification: { kind: string; ruleName: string } | null;
  };
  decisions: { edges: { node: { flags: string[]; rules: { name: string }[] } }[] };
  riskSignalAverage: Scores;
  lastSession: { riskSignalScores: Scores; riskSignalDetails: { network: Code[]; device: Code[] } } | null;
  emailFacts: { emailScore: number; riskSignals: string[]; trustSignals: string[] };
};

/** The reasons for scripts. Signals without a score are left out. */
export function shownReasons(account: Explained) {
  const { decisionTrace: trace, decisions, riskSignalAverage, lastSession, emailFacts } = account;
  const { requiredVerification: required } = trace;
  const latest = decisions.edges[0]?.node;
  const details = lastSession?.riskSignalDetails;
  return {
    winner: wordOf(trace.winner),
    by_score: decisionOf(trace.byScore),
    suspicious_from: trace.suspiciousFrom,
    fake_from: trace.fakeFrom,
    list: trace.list && shownList(trace.list),
    rule: trace.rule,
    required_verification: required && { kind: wordOf(required.kind), rule_name: required.ruleName },
    rules: latest?.rules.map(({ name }) => name) ?? [],
    flags: latest?.flags ?? [],
    risk_signals: shownSignals(lastSession?.riskSignalScores, riskSignalAverage),
    codes: [...(details?.network ?? []), ...(details?.device ?? [])].map(shownCode),
    email: {
      email_score: emailFacts.emailScore,
      risk_signals: emailFacts.riskSignals.map(shownEmailSignal),
      trust_signals: emailFacts.trustSignals.map(shownEmailSignal),
    },
  };
}

const shownList = ({ effect, expiresAt, ...list }: NonNullable<Explained['decisionTrace']['list']>) => ({
  ...list,
  effect: wordOf(effect),
  expires_at: expiresAt,
});

export type Reasons = ReturnType<typeof shownReasons>;

/** Scores of the latest session and of all sessions, the highest first. */
function shownSignals(latest: Scores | undefined, average: Scores) {
  return RISK_SCORE_KEYS.map((key) => ({
    signal: scoreName(key),
    description: RISK_SCORE_MEANINGS[key],
    latest: latest?.[key] ?? null,
    average: average[key],
  }))
    .filter((each) => scoreOf(each) > 0)
    .toSorted((a, b) => scoreOf(b) - scoreOf(a));
}

const scoreOf = ({ latest, average }: { latest: number | null; average: number }) =>
  Math.max(latest ?? 0, average);

/** Codes of a later version of the gateway have no description here. */
function shownCode({ code: name, contributions, confidence, observed, source }: Code) {
  const code = wordOf(name);
  const description = ALL_CODES.find((known) => known.code === code)?.describes ?? null;
  return { code, description, contributions, confidence, observed, source };
}

function shownEmailSignal(name: string) {
  const code = wordOf(name);
  const signals: Readonly<Record<string, { description: string }>> = EMAIL_SIGNALS;
  return { code, description: signals[code]?.description ?? null };
}

/** What determined the decision, such as: by the list block, added by vg_live_ab12: Chargeback. */
export function decidedText({ winner, suspicious_from, fake_from, list, rule }: Reasons): string {
  const byScore = `the score: Suspicious from ${suspicious_from}, Fake from ${fake_from}`;
  if (winner === 'score' || (!list && !rule)) return `by ${byScore}`;
  const by: string[] = [];
  if (rule) by.push(`the rule ${JSON.stringify(rule.name)} (version ${rule.version})`);
  if (list) {
    const actor = list.actor === null ? '' : `, added by ${list.actor}`;
    by.push(
      `the list ${list.name}${actor}${list.expires_at === null ? '' : ` until ${minuteOf(list.expires_at)}`}`,
    );
  }
  const reason = list?.reason ? `: ${list.reason}` : '';
  return `by ${by.join(' and ')}${reason}`;
}

/** Prints the scores of the risk signals, the observations behind them, and the signals of the email address. */
export function printReasons({ risk_signals, codes, email }: Reasons): void {
  printSection(
    'Risk signals: latest session, average of the sessions',
    risk_signals.map(({ signal, latest, average, description }) => [
      signal,
      latest?.toFixed(2) ?? '',
      average.toFixed(2),
      description,
    ]),
  );
  if (codes.length > 0) print('', 'Reasons from the latest session');
  for (const { code, contributions, observed, description } of codes) {
    const parts = Object.entries(contributions).map(([score, value]) => `${score} ${value}`);
    print(`  ${code}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}: ${observed}`);
    if (description) print(`    ${description}`);
  }
  const { email_score, risk_signals: risks, trust_signals: trusts } = email;
  if (risks.length + trusts.length > 0) print('', `Signals of the email address, score ${email_score}`);
  for (const signal of risks) printSignal('risk', signal);
  for (const signal of trusts) printSignal('trust', signal);
}

function printSignal(
  kind: string,
  { code, description }: { code: string; description: string | null },
): void {
  print(`  ${code} (${kind})`);
  if (description) print(`    ${description}`);
}

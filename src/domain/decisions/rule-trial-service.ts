import {
  decryptFacts,
  personalFieldsOf,
  ruleLanguage,
  sessionFacts,
  type Trigger,
  triggersOf,
} from '@vouchgraph/decisions';
import { AppError } from '@vouchgraph/platform/errors';
import { isUuid } from '@vouchgraph/platform/ids';
import { type Expression, type Facts, fieldsOf, listsOf, type Trace } from '@vouchgraph/rules';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { ruleListNotFound } from '../rules/errors.ts';
import { readExpression } from '../rules/rule-input.ts';
import { findListNames } from '../rules/rule-store.ts';
import { sessionNotFound } from '../sessions/errors.ts';
import { Session } from '../sessions/session.ts';
import { findSessions } from '../sessions/session-store.ts';
import { findDecisionOfSession } from './decision-store.ts';

export type RuleTrial = {
  /** Whether a rule with this condition would match: the condition holds, and the session has the trigger. */
  readonly matched: boolean;
  /** Whether the session has the trigger. */
  readonly triggered: boolean;
  readonly trace: Trace;
  /** Fields that the expression reads, with their values. */
  readonly facts: Facts;
  /** The decision whose facts were evaluated; null for a session without an account. */
  readonly decisionId: string | null;
};

/** `accountId`: internal id of the account of the decision. */
type StoredFacts = { facts: Facts; decisionId: string | null; accountId: string | null; isFirst: boolean };

/** Whether a person has revealed one of these subjects, by their internal ids. */
type IsRevealed = (subject: {
  readonly account?: string | null;
  readonly session?: string;
  readonly verification?: string;
  readonly accountsOfSession?: string;
}) => Promise<boolean>;

/**
 * Evaluates a condition on a session, with the facts of its latest decision. Nothing is written. A person can test conditions on
 * personal data that the person has revealed.
 */
export async function tryRule(
  viewer: Viewer,
  input: { expression: string; sessionId: string; trigger: Trigger },
  isRevealed: IsRevealed,
): Promise<RuleTrial> {
  assertMay(viewer, 'rule.test');
  const { project } = viewer;
  const expression = readExpression(input.expression, ['expression']);
  if (!isUuid(input.sessionId)) throw sessionNotFound();
  await checkNamedLists(project.database, expression);
  const sessionId = input.sessionId.toLowerCase();
  const { facts, decisionId, accountId, isFirst } = await factsOfSession(project, sessionId);
  if (viewer.kind === 'person') await assertRevealed(expression, { sessionId, accountId }, isRevealed);
  const trace = ruleLanguage.trace(expression, facts);
  const triggers = triggersOf({ facts: { ...facts, 'session.is_first': isFirst } });
  const triggered = triggers.includes(input.trigger);
  return {
    matched: triggered && trace.outcome === 'TRUE',
    triggered,
    trace,
    facts: Object.fromEntries(
      fieldsOf(expression).map((field) => [field, ruleLanguage.shownValue(facts, field)]),
    ),
    decisionId,
  };
}

/** Otherwise conditions on parts of a value, such as its first letters, would find the whole value. */
async function assertRevealed(
  expression: Expression,
  { sessionId, accountId }: { sessionId: string; accountId: string | null },
  isRevealed: IsRevealed,
): Promise<void> {
  const subjects = {
    any: { account: accountId },
    session: { session: sessionId, accountsOfSession: sessionId },
    verification: { account: accountId, verification: sessionId },
    document: { account: accountId, verification: sessionId },
  };
  for (const { on } of personalFieldsOf(expression))
    if (!(await isRevealed(subjects[on]))) throw notRevealed();
}

function notRevealed(): AppError {
  return new AppError(
    'personal_data.not_revealed',
    'forbidden',
    'expression: Reveal the account of the session before you test conditions on its personal data',
  );
}

async function factsOfSession(project: Project, sessionId: string): Promise<StoredFacts> {
  const { database, cipher } = project;
  const row = await findDecisionOfSession(database, sessionId);
  if (row) {
    const facts = decryptFacts(cipher, row.decisionId, row.inputs);
    return { facts, decisionId: row.decisionId, accountId: row.accountId, isFirst: row.firstSession };
  }
  const [session] = await findSessions(database, [sessionId]);
  if (!session) throw sessionNotFound();
  // Without an account, whether the session is a first session is unknown.
  const facts = sessionFacts(new Session(project, session));
  return { facts, decisionId: null, accountId: null, isFirst: false };
}

/** Throws `list.not_found` when a list that the expression names does not exist. */
export async function checkNamedLists(database: ProjectDatabase, expression: Expression): Promise<void> {
  const names = listsOf(expression);
  if (names.length === 0) return;
  const found = new Set(await findListNames(database, names));
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined) throw ruleListNotFound(missing, ['expression']);
}

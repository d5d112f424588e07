import { decryptFacts, ruleLanguage, sessionFacts, type Trigger, triggersOf } from '@vouchgraph/decisions';
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

type StoredFacts = { facts: Facts; decisionId: string | null; isFirst: boolean };

/** Evaluates a condition on a session, with the facts of its latest decision. Nothing is written. */
export async function tryRule(
  viewer: Viewer,
  input: { expression: string; sessionId: string; trigger: Trigger },
): Promise<RuleTrial> {
  assertMay(viewer, 'rule.test');
  const { project } = viewer;
  const expression = readExpression(input.expression, ['expression']);
  if (!isUuid(input.sessionId)) throw sessionNotFound();
  await checkNamedLists(project.database, expression);
  const tried = await factsOfSession(project, input.sessionId.toLowerCase());
  const { facts, decisionId, isFirst } = tried;
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

async function factsOfSession(project: Project, sessionId: string): Promise<StoredFacts> {
  const { database, cipher } = project;
  const row = await findDecisionOfSession(database, sessionId);
  if (row) {
    const facts = decryptFacts(cipher, row.decisionId, row.inputs);
    return { facts, decisionId: row.decisionId, isFirst: row.firstSession };
  }
  const [session] = await findSessions(database, [sessionId]);
  if (!session) throw sessionNotFound();
  // Without an account, whether the session is a first session is unknown.
  const facts = sessionFacts(new Session(project, session));
  return { facts, decisionId: null, isFirst: false };
}

/** Throws `list.not_found` when a list that the expression names does not exist. */
export async function checkNamedLists(database: ProjectDatabase, expression: Expression): Promise<void> {
  const names = listsOf(expression);
  if (names.length === 0) return;
  const found = new Set(await findListNames(database, names));
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined) throw ruleListNotFound(missing, ['expression']);
}

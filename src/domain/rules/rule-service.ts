import { isDeepStrictEqual } from 'node:util';
import { BUILT_IN_RULES, type RuleState } from '@vouchgraph/decisions';
import type { Clock } from '@vouchgraph/platform/clock';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import { auditEntry } from '../audit/audit-entry.ts';
import { auditCall } from '../audit/audit-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  builtInRuleNotFound,
  ruleArchived,
  ruleNotFound,
  ruleVersionConflict,
  tooManyRules,
} from './errors.ts';
import {
  auditedChange,
  causeOfCheck,
  checkCanMatch,
  checkLists,
  checkName,
  merge,
  type NamedList,
  namedLists,
} from './rule-changes.ts';
import { MAX_RULES, type NewRule, type RuleChanges, readExpression } from './rule-input.ts';
import { endPosition, rulesToShift, type Shift } from './rule-order.ts';
import {
  findRule,
  openBook,
  type RuleBook,
  type RuleRecord,
  saveRule,
  shiftRulesCall,
} from './rule-store.ts';

export type { RuleRecord } from './rule-store.ts';

export type RuleService = ReturnType<typeof createRuleService>;

/** A decided change: the rule as it is from now on, and the rules to shift; null when nothing changes. */
type Decided = { rule: RuleRecord; shifted: Shift | null; action: 'rule.create' | 'rule.update' } | null;

type BuiltInRuleInput = { key: string; name?: string | null; state?: RuleState | null };

/** Reads and changes the rules of projects. */
export function createRuleService({ clock }: { clock: Clock }) {
  return {
    /** Creates a rule after all others. Its state is `draft` unless the input names another. */
    create: (viewer: Viewer, requestId: string, input: NewRule, ruleId?: string) =>
      create(clock, viewer, requestId, input, ruleId),
    /** Creates a rule from a built-in one. Its state is `disabled` unless the input names another. */
    addBuiltIn: (viewer: Viewer, requestId: string, input: BuiltInRuleInput) =>
      addBuiltIn(clock, viewer, requestId, input),
    /** Changes the given fields; null and absent ones keep their value. Writes nothing when nothing changes. */
    update: (viewer: Viewer, requestId: string, ruleId: string, changes: RuleChanges) =>
      update(clock, viewer, requestId, ruleId, changes),
  };
}

function create(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  input: NewRule,
  /** A new one by default. */
  ruleId?: string,
): Promise<RuleRecord> {
  assertMay(viewer, 'rule.create');
  return insert(clock, viewer, requestId, input, { builtIn: null, ruleId });
}

function addBuiltIn(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  { key, name, state }: BuiltInRuleInput,
): Promise<RuleRecord> {
  assertMay(viewer, 'rule.create');
  const builtIn = BUILT_IN_RULES.find((rule) => rule.key === key);
  if (!builtIn) throw builtInRuleNotFound(BUILT_IN_RULES.map((rule) => rule.key));
  const { description, trigger, expression, actions } = builtIn;
  const made = { description, trigger, expression, actions };
  return insert(
    clock,
    viewer,
    requestId,
    { ...made, name: name ?? builtIn.name, state: state ?? 'disabled' },
    { builtIn: builtIn.key },
  );
}

async function insert(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  input: NewRule,
  { builtIn, ruleId }: { builtIn: string | null; ruleId?: string | undefined },
): Promise<RuleRecord> {
  const expression = readExpression(input.expression, ['input', 'expression']);
  checkCanMatch({ expression, trigger: input.trigger }, ['input', 'expression']);
  const actions = input.actions ?? [];
  const now = clock.now();
  const rule = {
    projectId: viewer.project.projectId,
    ruleId: ruleId ?? newId(now.getTime()),
    version: 1,
    name: input.name,
    description: input.description ?? '',
    trigger: input.trigger,
    state: input.state ?? 'draft',
    paused: false,
    expression,
    actions: actions.map((action) => ({ ...action })),
    builtIn,
    createdAt: now,
    updatedAt: now,
  };
  const named = namedLists(expression, actions);
  const changed = await change(viewer, requestId, rule.ruleId, named, now, (book) => {
    if (book.others.length >= MAX_RULES) throw tooManyRules(MAX_RULES);
    checkName(book, rule.name);
    const position = endPosition(book.others);
    return { rule: { ...rule, position }, shifted: null, action: 'rule.create' };
  });
  return changed!;
}

async function update(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  ruleId: string,
  changes: RuleChanges,
): Promise<RuleRecord> {
  assertMay(viewer, 'rule.update');
  if (!isUuid(ruleId)) throw ruleNotFound();
  const { expectedVersion } = changes;
  const expression =
    changes.expression == null ? null : readExpression(changes.expression, ['input', 'expression']);
  const named = namedLists(expression, changes.actions ?? []);
  const now = clock.now();
  const changed = await change(viewer, requestId, ruleId.toLowerCase(), named, now, (book) => {
    const { current } = book;
    if (!current) throw ruleNotFound();
    if (expectedVersion != null && expectedVersion !== current.version)
      throw ruleVersionConflict(current.version);
    const wanted = merge(current, changes, expression);
    if (isDeepStrictEqual(wanted, current)) return null;
    if (current.state === 'archived') throw ruleArchived();
    const cause = causeOfCheck(current, wanted);
    if (cause !== null) checkCanMatch(wanted, ['input', cause]);
    if (wanted.name !== current.name) checkName(book, wanted.name);
    const isMoved = wanted.position !== current.position;
    return {
      rule: { ...wanted, version: current.version + 1, updatedAt: now },
      shifted: isMoved ? rulesToShift(book.others, current.position, wanted.position) : null,
      action: 'rule.update',
    };
  });
  return changed ?? (await findRule(viewer.project.database, ruleId))!;
}

/** Changes the rules of a project in one transaction that no other change overlaps; null when nothing changed. */
function change(
  viewer: Viewer,
  requestId: string,
  ruleId: string,
  named: readonly NamedList[],
  at: Date,
  decide: (book: RuleBook) => Decided,
): Promise<RuleRecord | null> {
  const { projectId, database } = viewer.project;
  return database.transaction(async (transaction) => {
    const names = [...new Set(named.map(({ name }) => name))];
    const book = await openBook(transaction, projectId, ruleId, names);
    const decided = decide(book);
    if (!decided) return null;
    checkLists(book, named);
    const { rule, shifted, action } = decided;
    const made = { setVersion: book.setVersion, actor: viewer.actor, at };
    const audit = auditEntry(viewer, requestId, at, {
      action,
      target: `rule:${rule.ruleId}`,
      ...auditedChange(book.current, rule, shifted),
    });
    if (shifted && shifted.ruleIds.length > 0)
      await transaction.run(shiftRulesCall(projectId, shifted, made));
    await saveRule(transaction, rule, made);
    await transaction.commit(auditCall(projectId, audit));
    return rule;
  });
}

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../platform/clock.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { BUILT_IN_RULES } from './built-in-rules.ts';
import {
  actionListNotFound,
  askedListNotFound,
  builtInRuleNotFound,
  ruleArchived,
  ruleNameTaken,
  ruleNeverMatches,
  ruleNotFound,
  ruleVersionConflict,
  tooManyRules,
} from './errors.ts';
import type { Expression } from './language/expression.ts';
import { listsOf } from './language/expression-reads.ts';
import { whyNeverTrue } from './language/never-matches.ts';
import { printExpression } from './language/print-expression.ts';
import type { RuleAction, RuleState } from './rule.ts';
import { MOST_RULES, type NewRule, type RuleChanges, readExpression } from './rule-input.ts';
import { endPosition, rulesToShift, type Shift } from './rule-order.ts';
import {
  findRule,
  listRules,
  openBook,
  type RuleBook,
  type RuleRecord,
  saveRuleCall,
  shiftRulesCall,
} from './rule-store.ts';

export type { RuleRecord } from './rule-store.ts';

export type RuleService = ReturnType<typeof createRuleService>;

/** What a change makes of the book: the rule as it is from now on, and the others that make room; null: nothing. */
type Decided = { rule: RuleRecord; shifted: Shift | null; action: 'rule.create' | 'rule.update' } | null;

/** Reads and changes the rules of projects. */
export function createRuleService({ clock }: { clock: Clock }) {
  /** A new rule behind all others, a draft unless asked otherwise. */
  function create(viewer: Viewer, requestId: string, input: NewRule): Promise<RuleRecord> {
    assertMay(viewer, 'rule.create');
    return insert(viewer, requestId, input, null);
  }

  /** A rule made from a built-in one; put aside until its state is changed, unless asked otherwise. */
  function addBuiltIn(
    viewer: Viewer,
    requestId: string,
    { key, name, state }: { key: string; name?: string | null; state?: RuleState | null },
  ): Promise<RuleRecord> {
    assertMay(viewer, 'rule.create');
    const builtIn = BUILT_IN_RULES.find((rule) => rule.key === key);
    if (!builtIn) throw builtInRuleNotFound();
    const { description, trigger, expression, actions } = builtIn;
    const made = { description, trigger, expression, actions };
    return insert(
      viewer,
      requestId,
      { ...made, name: name ?? builtIn.name, state: state ?? 'disabled' },
      builtIn.key,
    );
  }

  async function insert(
    viewer: Viewer,
    requestId: string,
    input: NewRule,
    builtIn: string | null,
  ): Promise<RuleRecord> {
    const expression = readExpression(input.expression, ['input', 'expression']);
    checkCanMatch({ expression, trigger: input.trigger }, ['input', 'expression']);
    const actions = input.actions ?? [];
    const now = clock.now();
    const rule = {
      ruleId: newId(now.getTime()),
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
      if (book.others.length >= MOST_RULES) throw tooManyRules(MOST_RULES);
      checkName(book, rule.name);
      const position = endPosition(book.others);
      return { rule: { ...rule, position }, shifted: null, action: 'rule.create' };
    });
    return changed!;
  }

  /** Changes what is given; null and absent leave what there is. Nothing is written when nothing changes. */
  async function update(
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

  /** One change of the rules of a project, in one transaction that no other change overlaps; null when it was none. */
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
      const missing = named.find(({ name }) => !book.lists.has(name));
      if (missing)
        throw missing.path[1] === 'actions'
          ? actionListNotFound(missing.path)
          : askedListNotFound(missing.name, missing.path);
      const { rule, shifted, action } = decided;
      const made = { setVersion: book.setVersion, actor: viewer.actor, at };
      const audit: AuditEntry = {
        auditId: newId(at.getTime()),
        at,
        actor: viewer.actor,
        action,
        target: `rule:${rule.ruleId}`,
        requestId,
        ...auditedChange(book.current, rule, shifted),
      };
      await transaction.commit(
        ...(shifted && shifted.ruleIds.length > 0 ? [shiftRulesCall(projectId, shifted, made)] : []),
        saveRuleCall(projectId, rule, made),
        auditCall(projectId, audit),
      );
      return rule;
    });
  }

  /** Rules in these states; all but archived ones when none are given. */
  function list(viewer: Viewer, states: readonly RuleState[] | null): Promise<RuleRecord[]> {
    assertMay(viewer, 'rule.read');
    return listRules(viewer.project.database, states ?? ['draft', 'shadow', 'enabled', 'disabled']);
  }

  async function find(viewer: Viewer, ruleId: string): Promise<RuleRecord | null> {
    assertMay(viewer, 'rule.read');
    return isUuid(ruleId) ? findRule(viewer.project.database, ruleId) : null;
  }

  return { create, addBuiltIn, update, list, find };
}

function checkName(book: RuleBook, name: string): void {
  if (book.others.some((other) => other.name === name)) throw ruleNameTaken(name);
}

/** Throws `rule.never_matches` for a condition that no facts of its trigger make true. */
function checkCanMatch(
  { expression, trigger }: Pick<RuleRecord, 'expression' | 'trigger'>,
  path: readonly string[],
): void {
  const reason = whyNeverTrue(expression, trigger);
  if (reason !== null) throw ruleNeverMatches(reason, path);
}

/**
 * The changed field because of which a condition is checked; null when it is not. A stored rule of an earlier version
 * that can never match may still be renamed, paused or put aside.
 */
function causeOfCheck(current: RuleRecord, wanted: RuleRecord): 'expression' | 'trigger' | 'state' | null {
  if (!isDeepStrictEqual(wanted.expression, current.expression)) return 'expression';
  if (wanted.trigger !== current.trigger) return 'trigger';
  const isEvaluated = ({ state }: RuleRecord) => state === 'enabled' || state === 'shadow';
  return isEvaluated(wanted) && !isEvaluated(current) ? 'state' : null;
}

/** The rule with the changes that were given. */
function merge(current: RuleRecord, changes: RuleChanges, expression: Expression | null): RuleRecord {
  return {
    ...current,
    name: changes.name ?? current.name,
    description: changes.description ?? current.description,
    trigger: changes.trigger ?? current.trigger,
    state: changes.state ?? current.state,
    paused: changes.paused ?? current.paused,
    position: changes.position ?? current.position,
    expression: expression ?? current.expression,
    // Plain objects, as the stored ones: those of GraphQL have no prototype and would never be equal to them.
    actions: changes.actions?.map((action) => ({ ...action })) ?? current.actions,
  };
}

type NamedList = { name: string; path: readonly (string | number)[] };

/** The lists that a rule names, with where it does. */
function namedLists(expression: Expression | null, actions: readonly RuleAction[]): NamedList[] {
  const asked = expression === null ? [] : listsOf(expression);
  return [
    ...asked.map((name) => ({ name, path: ['input', 'expression'] })),
    ...actions.flatMap((action, index) => {
      const path = ['input', 'actions', index];
      if ('addToList' in action) return { name: action.addToList, path: [...path, 'addToList'] };
      if ('removeFromList' in action)
        return { name: action.removeFromList, path: [...path, 'removeFromList'] };
      return [];
    }),
  ];
}

const AUDITED = [
  'name',
  'description',
  'trigger',
  'state',
  'paused',
  'position',
  'expression',
  'actions',
] as const;

/** What an audit line tells: all of a new rule, of a changed one what changed, and which others made room. */
function auditedChange(before: RuleRecord | null, after: RuleRecord, shifted: Shift | null) {
  const keys = before ? AUDITED.filter((key) => !isDeepStrictEqual(before[key], after[key])) : AUDITED;
  const moved = shifted && shifted.ruleIds.length > 0 ? { madeRoom: shifted.ruleIds } : {};
  return { before: before && told(before, keys), after: { ...told(after, keys), ...moved } };
}

function told(rule: RuleRecord, keys: readonly (typeof AUDITED)[number][]) {
  return Object.fromEntries(
    keys.map((key) => [key, key === 'expression' ? printExpression(rule.expression) : rule[key]]),
  );
}

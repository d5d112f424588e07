import { type KeysetPage, type KeysetPosition, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
import type { Rule as RuleModel } from '../../storage/generated/prisma/client.ts';
import { idList } from '../../storage/prisma-page.ts';
import type { Expression } from './language/expression.ts';
import type { Rule, RuleAction, RuleState, Trigger } from './rule.ts';
import type { Shift } from './rule-order.ts';

/** Rules that are evaluated, in their order: enabled and shadow rules that are not paused. */
export type RuleSet = { readonly version: number; readonly rules: readonly Rule[] };

/** A row of rules or, but for the last columns, of rule_versions. */
export type RuleRow = {
  rule_id: string;
  version: number;
  name: string;
  description: string;
  trigger: Trigger;
  state: RuleState;
  paused: boolean;
  position: number;
  expression: Expression;
  actions: RuleAction[];
  built_in: string | null;
  created_at: Date;
  updated_at: Date;
};

/** Columns of a rule, without its origin and times. */
const RULE_COLUMNS =
  'rule_id, version, name, description, trigger, state, paused, position, expression, actions';

const columnsOf = (alias: string, columns = RULE_COLUMNS) =>
  columns
    .split(', ')
    .map((column) => `${alias}.${column}`)
    .join(', ');

export function toRule(row: RuleRow): Rule {
  const { name, description, trigger, version, state, paused, position, expression, actions } = row;
  return {
    ruleId: row.rule_id,
    version,
    name,
    description,
    trigger,
    state,
    paused,
    position,
    expression,
    actions,
  };
}

/** One statement, so that the version is the one of these very rules. */
const READ_SET: Statement = {
  name: 'rule.read_set',
  text: `select p.rules_version, ${columnsOf('r')}
         from projects p
         left join rules r on r.project_id = p.project_id and r.state in ('enabled', 'shadow') and not r.paused
         where p.project_id = $1
         order by r.position, r.rule_id`,
};

/** The rules that are evaluated now, read inside a transaction or directly from the database. */
export async function readRuleSet(
  projectId: string,
  run: (statement: Statement, values: readonly unknown[]) => Promise<readonly Row[]>,
): Promise<RuleSet> {
  const rows = await run(READ_SET, [projectId]);
  const rules = rows.filter((row) => row.rule_id !== null).map(toRule);
  return { version: rows[0]?.rules_version ?? 0, rules };
}

/** A rule's version is raised together with the version of the set, so the highest of each is the last one until then. */
const READ_SET_AT: Statement = {
  name: 'rule.read_set_at',
  text: `select ${columnsOf('latest')} from (
           select distinct on (v.rule_id) ${columnsOf('v')} from rule_versions v
           where v.project_id = $1 and v.rules_version <= $2
           order by v.rule_id, v.version desc
         ) latest
         where latest.state in ('enabled', 'shadow') and not latest.paused
         order by latest.position, latest.rule_id`,
};

/** The rules that were evaluated when the set had this version. */
export async function readRuleSetAt(database: ProjectDatabase, version: number): Promise<RuleSet> {
  const rows = await database.query<RuleRow>(READ_SET_AT, [database.projectId, version]);
  return { version, rules: rows.map(toRule) };
}

/** A rule with its origin and times. */
export type RuleRecord = Rule & {
  /** Key of the built-in rule that it was made from. */
  readonly builtIn: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

function toRecord(row: RuleRow): RuleRecord {
  return { ...toRule(row), builtIn: row.built_in, createdAt: row.created_at, updatedAt: row.updated_at };
}

const RECORD_COLUMNS = `${RULE_COLUMNS}, built_in, created_at, updated_at`;

const IS_ARCHIVED = `(case when state = 'archived' then 1 else 0 end)`;
/** Archived rules are ordered latest first. */
const PLACE = `(case when state = 'archived' then -extract(epoch from updated_at) else position end)`;

const RULE_ORDER = [
  { sql: IS_ARCHIVED, type: 'int' },
  { sql: PLACE, type: 'numeric' },
  { sql: 'rule_id', type: 'uuid' },
] as const;

/** Position of a rule in the order of `listRules`. */
export function rulePosition({ state, position, updatedAt, ruleId }: RuleRecord): KeysetPosition {
  return state === 'archived' ? [1, -updatedAt.getTime() / 1000, ruleId] : [0, position, ruleId];
}

/** A page of the rules in these states in the order of evaluation; archived ones at the end, the latest first. */
export async function listRules(
  database: ProjectDatabase,
  states: readonly RuleState[],
  page: KeysetPage,
): Promise<RuleRecord[]> {
  const values: unknown[] = [database.projectId, states];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf(RULE_ORDER, 'ASC', page, parameter);
  const where = ['project_id = $1', 'state = any ($2::text[])', ...keyset.conditions].join(' and ');
  const statement = {
    name: `rule.list:${keyset.shape}`,
    text: `select ${RECORD_COLUMNS} from rules where ${where} ${keyset.order}`,
  };
  return (await database.query<RuleRow>(statement, values)).map(toRecord);
}

const COUNT: Statement = {
  name: 'rule.count',
  text: `select count(*)::int as total from (
           select from rules where project_id = $1 and state = any ($2::text[]) limit $3) found`,
};

/** Number of rules in these states, counted up to a limit. */
export async function countRules(
  database: ProjectDatabase,
  states: readonly RuleState[],
  limit: number,
): Promise<number> {
  const rows = await database.query<{ total: number }>(COUNT, [database.projectId, states, limit]);
  return rows[0]!.total;
}

/** Rules by their ids, in any order. */
export function findRules(
  { projectId, prisma }: ProjectDatabase,
  ruleIds: readonly string[],
): Promise<RuleModel[]> {
  return prisma.rule.findMany({ where: { projectId, ruleId: { in: idList(ruleIds) } } });
}

const FIND: Statement = {
  name: 'rule.find',
  text: `select ${RECORD_COLUMNS} from rules where project_id = $1 and rule_id = $2`,
};

export async function findRule(database: ProjectDatabase, ruleId: string): Promise<RuleRecord | null> {
  const [row] = await database.query<RuleRow>(FIND, [database.projectId, ruleId]);
  return row ? toRecord(row) : null;
}

/** The row lock puts changes of rules one after another: those that wait see in their next statement what this one left. */
const RAISE_VERSION: Statement = {
  name: 'rule.raise_set_version',
  text: 'update projects set rules_version = rules_version + 1 where project_id = $1 returning rules_version',
};

const BOOK: Statement = {
  name: 'rule.book',
  text: `select rule_id, name, position from rules where project_id = $1 and state <> 'archived'`,
};

/** Locks lists against deletion until the rule that names them is committed. */
const HOLD_LISTS: Statement = {
  name: 'rule.hold_lists',
  text: 'select name from lists where project_id = $1 and name = any ($2::text[]) order by list_id for key share',
};

/** Data that a change of a rule is checked against. */
export type RuleBook = {
  /** The version of the set that the change makes. */
  readonly setVersion: number;
  /** The rule to change, as it is. */
  readonly current: RuleRecord | null;
  /** Rules that are not archived. */
  readonly others: readonly { readonly ruleId: string; readonly name: string; readonly position: number }[];
  /** Which of the requested lists exist. */
  readonly lists: ReadonlySet<string>;
};

/** Locks the rules of the project against other changes until the end of the transaction, and reads what a change needs. */
export async function openBook(
  transaction: Transaction,
  projectId: string,
  ruleId: string,
  listNames: readonly string[],
): Promise<RuleBook> {
  const [raised, book, found, lists] = await transaction.run(
    [RAISE_VERSION, [projectId]],
    [BOOK, [projectId]],
    [FIND, [projectId, ruleId]],
    [HOLD_LISTS, [projectId, listNames]],
  );
  return {
    setVersion: raised![0].rules_version,
    current: found![0] ? toRecord(found![0]) : null,
    others: book!
      .filter((row) => row.rule_id !== ruleId)
      .map((row) => ({ ruleId: row.rule_id, name: row.name, position: row.position })),
    lists: new Set(lists!.map((row) => row.name)),
  };
}

const VERSION_COLUMNS =
  'project_id, rule_id, version, name, description, trigger, state, paused, position, expression, actions';

const SAVE: Statement = {
  name: 'rule.save',
  text: `with saved as (
           insert into rules (${VERSION_COLUMNS}, built_in, created_at, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::timestamptz, $14::timestamptz)
           on conflict (project_id, rule_id) do update set version = excluded.version, name = excluded.name,
             description = excluded.description, trigger = excluded.trigger, state = excluded.state,
             paused = excluded.paused, position = excluded.position, expression = excluded.expression,
             actions = excluded.actions, updated_at = excluded.updated_at
           returning ${VERSION_COLUMNS}
         )
         insert into rule_versions (${VERSION_COLUMNS}, rules_version, actor, created_at)
         select ${VERSION_COLUMNS}, $15::int, $16::text, $14::timestamptz from saved`,
};

/** Actor and time of a change of rules, and the version of the set that it creates. */
export type RuleChange = { readonly setVersion: number; readonly actor: string; readonly at: Date };

/** The statement that stores a rule as it is from now on, and this version of it. */
export function saveRuleCall(
  projectId: string,
  rule: RuleRecord,
  { setVersion, actor, at }: RuleChange,
): readonly [Statement, readonly unknown[]] {
  return [
    SAVE,
    [
      projectId,
      rule.ruleId,
      rule.version,
      rule.name,
      rule.description,
      rule.trigger,
      rule.state,
      rule.paused,
      rule.position,
      JSON.stringify(rule.expression),
      JSON.stringify(rule.actions),
      rule.builtIn,
      rule.createdAt,
      at,
      setVersion,
      actor,
    ],
  ];
}

const SHIFT: Statement = {
  name: 'rule.shift',
  text: `with shifted as (
           update rules set position = position + $6::int, version = version + 1, updated_at = $5::timestamptz
           where project_id = $1 and rule_id = any ($2::uuid[])
           returning ${VERSION_COLUMNS}
         )
         insert into rule_versions (${VERSION_COLUMNS}, rules_version, actor, created_at)
         select ${VERSION_COLUMNS}, $3::int, $4::text, $5::timestamptz from shifted`,
};

/** The statement that moves rules by one place to make room; each gets a version of its own by it. */
export function shiftRulesCall(
  projectId: string,
  { ruleIds, by }: Shift,
  { setVersion, actor, at }: RuleChange,
): readonly [Statement, readonly unknown[]] {
  return [SHIFT, [projectId, ruleIds, setVersion, actor, at, by]];
}

const FIND_LISTS: Statement = {
  name: 'rule.find_lists',
  text: 'select name from lists where project_id = $1 and name = any ($2::text[])',
};

/** Which of these lists exist. */
export async function findListNames(database: ProjectDatabase, names: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ name: string }>(FIND_LISTS, [database.projectId, names]);
  return rows.map(({ name }) => name);
}

import type { Rule, RuleAction, RuleState, Trigger } from '@vouchgraph/decisions';
import type { KeysetPage, KeysetPosition } from '@vouchgraph/platform/keyset';
import type { Expression } from '@vouchgraph/rules';
import type { ProjectDatabase, ProjectTransaction, Row, Statement } from '../../storage/database.ts';
import type { Rule as RuleModel } from '../../storage/generated/prisma/client.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { idList } from '../../storage/prisma-page.ts';
import { findPage, selectionIn } from '../../storage/selection.ts';
import type { Shift } from './rule-order.ts';

/** Rules that are evaluated, in their order: enabled and shadow rules that are not paused. */
export type RuleSet = { readonly version: number; readonly rules: readonly Rule[] };

type RuleRow = {
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
};

/** Columns of a rule, without its origin and times. */
const RULE_COLUMNS =
  'rule_id, version, name, description, trigger, state, paused, position, expression, actions';

const columnsOf = (alias: string) => RULE_COLUMNS.replaceAll(/\w+/g, `${alias}.$&`);

function toRule(row: RuleRow): Rule {
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

/** Row of a rule, with its origin and times. */
export type RuleRecord = Rule & Omit<RuleModel, keyof Rule>;

const RECORD_COLUMNS = `project_id as "projectId", rule_id as "ruleId", version, name, description, trigger, state, paused,
  position, expression, actions, built_in as "builtIn", created_at as "createdAt", updated_at as "updatedAt"`;

const IS_ARCHIVED = `(case when state = 'archived' then 1 else 0 end)`;
/** Archived rules are ordered latest first. */
const PLACE = `(case when state = 'archived' then -extract(epoch from updated_at) else position end)`;

const RULE_ORDER = [
  { sql: IS_ARCHIVED, type: 'int' },
  { sql: PLACE, type: 'numeric' },
  { sql: 'rule_id', type: 'uuid' },
] as const;

/** Position of a rule in the order of `listRules`. */
export function rulePosition({ state, position, updatedAt, ruleId }: RuleModel): KeysetPosition {
  return state === 'archived' ? [1, -updatedAt.getTime() / 1000, ruleId] : [0, position, ruleId];
}

/** A page of the rules in these states in the order of evaluation; archived ones at the end, the latest first. */
export function listRules(
  database: ProjectDatabase,
  states: readonly RuleState[],
  page: KeysetPage,
): Promise<RuleModel[]> {
  return findPage(
    selectionIn(database, ['project_id = $1', 'state = any ($2::text[])'], [states]),
    'rule.list',
    { columns: RULE_ORDER, direction: 'ASC', page },
    ({ where, order }) => `select ${RECORD_COLUMNS} from rules where ${where} ${order}`,
  );
}

/** Number of rules in these states, counted up to a limit. */
export function countRules(
  { projectId, prisma }: ProjectDatabase,
  states: readonly RuleState[],
  limit: number,
): Promise<number> {
  return prisma.rule.count({ where: { projectId, state: { in: idList(states) } }, take: limit });
}

/** Rules by their ids, in any order. */
export function findRules(
  { projectId, prisma }: ProjectDatabase,
  ruleIds: readonly string[],
): Promise<RuleModel[]> {
  return prisma.rule.findMany({ where: { projectId, ruleId: { in: idList(ruleIds) } } });
}

/** A rule by its id, or null. */
export async function findRule(
  { projectId, prisma }: Pick<ProjectDatabase, 'projectId' | 'prisma'>,
  ruleId: string,
): Promise<RuleRecord | null> {
  const where = { projectId_ruleId: { projectId, ruleId } };
  return (await prisma.rule.findUnique({ where })) as unknown as RuleRecord | null;
}

/** Locks the row of the project: a change that waits for it reads the rules as the one before left them. */
const RAISE_VERSION: Statement = {
  name: 'rule.raise_set_version',
  text: 'update projects set rules_version = rules_version + 1 where project_id = $1 returning rules_version',
};

/** Locks lists against deletion until the rule that names them is committed. */
const LOCK_LISTS: Statement = {
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

/** Locks the rules of the project against other changes until the end of the transaction, and reads data for a change. */
export async function openBook(
  { run, prisma }: ProjectTransaction,
  projectId: string,
  ruleId: string,
  listNames: readonly string[],
): Promise<RuleBook> {
  const [raised, lists] = await run([RAISE_VERSION, [projectId]], [LOCK_LISTS, [projectId, listNames]]);
  const current = await findRule({ projectId, prisma }, ruleId);
  const others = await prisma.rule.findMany({
    where: { projectId, ruleId: { not: ruleId }, state: { not: 'archived' } },
    select: { ruleId: true, name: true, position: true },
  });
  return {
    setVersion: raised![0].rules_version,
    current,
    others,
    lists: new Set(lists!.map(({ name }) => name)),
  };
}

/** Actor and time of a change of rules, and the version of the set that it creates. */
export type RuleChange = { readonly setVersion: number; readonly actor: string; readonly at: Date };

/** Stores a rule as it is from now on, and this version of it. */
export async function saveRule(
  { prisma }: ProjectTransaction,
  { builtIn, createdAt, updatedAt, ...version }: RuleRecord,
  { setVersion, actor, at }: RuleChange,
): Promise<void> {
  const { projectId, ruleId, ...content } = version;
  await prisma.rule.upsert({
    where: { projectId_ruleId: { projectId, ruleId } },
    create: { ...version, builtIn, createdAt, updatedAt },
    update: { ...content, updatedAt },
    select: { ruleId: true },
  });
  await prisma.ruleVersion.create({
    data: { ...version, rulesVersion: setVersion, actor, createdAt: at },
    select: { ruleId: true },
  });
}

const VERSION_COLUMNS = `project_id, ${RULE_COLUMNS}`;

const SHIFT = namedStatement(
  'rule.shift',
  `with shifted as (
           update rules set position = position + :by::int, version = version + 1, updated_at = :at::timestamptz
           where project_id = :projectId and rule_id = any (:ruleIds::uuid[])
           returning ${VERSION_COLUMNS}
         )
         insert into rule_versions (${VERSION_COLUMNS}, rules_version, actor, created_at)
         select ${VERSION_COLUMNS}, :setVersion::int, :actor::text, :at::timestamptz from shifted`,
);

/** The statement that shifts rules by one position. Each shifted rule gets a new version. */
export function shiftRulesCall(
  projectId: string,
  { ruleIds, by }: Shift,
  { setVersion, actor, at }: RuleChange,
): readonly [Statement, readonly unknown[]] {
  return SHIFT.call({ projectId, ruleIds, setVersion, actor, at, by });
}

/** Which of these lists exist. */
export async function findListNames(
  { projectId, prisma }: ProjectDatabase,
  names: readonly string[],
): Promise<string[]> {
  const where = { projectId, name: { in: idList(names) } };
  const rows = await prisma.list.findMany({ where, select: { name: true } });
  return rows.map(({ name }) => name);
}

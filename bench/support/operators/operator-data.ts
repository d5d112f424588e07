import { decide, encryptDecision, ruleLanguage } from '@vouchgraph/decisions';
import { NIL_UUID, newId } from '@vouchgraph/platform/ids';
import type { Facts } from '@vouchgraph/rules';
import { signalBit } from '@vouchgraph/signals/internals/session/signal-bits';
import { simulatedResult } from '@vouchgraph/verification/internals/simulated-result';
import { encryptResult } from '@vouchgraph/verification/internals/verification-result';
import { recalculateStandings } from '../../../src/domain/accounts/standing-service.ts';
import { insertRows } from '../bulk-insert.ts';
import { type DataSet, loadDataSet } from '../data-set.ts';
import { createSessionMaker, type SessionMaker } from '../sessions.ts';
import type { Workbench } from '../workbench.ts';

/*
 * A project after some weeks: accounts and sessions of all outcomes with their events. Most values are common
 * and some are rare, since a search can be fast for one and slow for the other.
 */

export type OperatorData = DataSet & {
  readonly ruleId: string;
  readonly shadowRuleId: string;
  readonly endpointId: string;
  readonly backtestId: string;
  readonly blockList: string;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DECISIONS = [
  'Real',
  'Real',
  'Real',
  'Real',
  'Real',
  'Real',
  'Real',
  'Suspicious',
  'Suspicious',
  'Fake',
];
const COUNTRIES = ['US', 'US', 'US', 'DE', 'DE', 'FR', 'GB', 'AT', 'IS'];
const CONNECTIONS = ['isp', 'isp', 'isp', 'mobile', 'mobile', 'hosting', 'business'];
const SOURCES = ['web', 'web', 'web', 'android', 'ios'];
const EVENT_TYPES = ['session.completed', 'account.authenticated', 'account.updated'];
const EXPRESSION = 'session.bot > 0.5';
const STATS_HOURS = 24 * 365;

export const COUNTED_PER_HOUR = 40;
const DEAD_ONE_IN = 100;
const WAITING_ONE_IN = 400;
const BLOCKED_ONE_IN = 200;

const BLOCK_LIST = 'Chargebacks';

/** One session in `RARE` raised `tor`, one in five `vpn`. */
const RARE = 5000;

const pick = <Value>(values: readonly Value[], n: number): Value => values[n % values.length]!;

export async function loadOperatorData(bench: Workbench, size: number): Promise<OperatorData> {
  const dataSet = await loadDataSet(bench, size, varied(await createSessionMaker(bench.project), bench));
  await varyDecisions(bench);
  const rules = await insertRules(bench);
  await insertDecisions(bench);
  await insertRuleMatches(bench, rules, size / 2);
  const endpointId = await insertDeliveries(bench, dataSet, size * 2);
  await insertVerifications(bench, dataSet, Math.ceil(size / 5));
  const backtestId = await insertBacktest(bench, Math.ceil(size / 5));
  await insertCounters(bench, rules);
  await blockAccounts(bench, dataSet);
  await bench.analyze();
  return { ...dataSet, ...rules, endpointId, backtestId, blockList: BLOCK_LIST };
}

/** Sessions of the same generator, with the columns of searches. */
function varied(make: SessionMaker, { project }: Workbench): SessionMaker {
  let made = 0;
  return (from, start, open) => {
    const n = made++;
    const { row, result } = make(from, start, open);
    const signals =
      (n % 5 === 0 ? signalBit('vpn') : 0) |
      (n % 50 === 0 ? signalBit('proxy') : 0) |
      (n % RARE === 7 ? signalBit('tor') : 0);
    const searched = {
      signals,
      source: pick(SOURCES, n),
      true_country_code: pick(COUNTRIES, n * 7),
      connection_type: pick(CONNECTIONS, n * 3),
      browser_hash: project.cipher.blindIndex('browser', `browser-${n >> 1}`),
    };
    return { row: { ...row, ...searched } as typeof row, result };
  };
}

/** Three of ten sessions have another decision than Real. */
async function varyDecisions({ system, project }: Workbench): Promise<void> {
  await system.query(
    {
      name: 'bench.vary_decisions',
      text: `update account_sessions b set decision = ($2::text[])[1 + n.number % 10]
             from (select session_id, row_number() over (order by session_id)::int as number
                   from account_sessions where project_id = $1) n
             where b.project_id = $1 and b.session_id = n.session_id`,
    },
    [project.projectId, DECISIONS],
  );
}

type Binding = { account_id: string; session_id: string; session_start: Date; decision: string };

/** The newest first. */
async function bindingsOf({ system, project }: Workbench): Promise<Binding[]> {
  return (await system.query(
    {
      name: 'bench.bindings',
      text: `select account_id, session_id, session_start, decision from account_sessions
             where project_id = $1 order by session_start desc, session_id desc`,
    },
    [project.projectId],
  )) as Binding[];
}

const SCORES: Readonly<Record<string, number>> = { Real: 0.1, Suspicious: 0.5, Fake: 0.75 };
const THRESHOLDS = { suspiciousFrom: 0.4, fakeFrom: 0.7 };
const FACTS: Facts = { 'session.bot': 0.1, 'session.true_country_code': 'DE', 'account.num_sessions': 2 };

/** One decision of each session, with a matching score. */
async function insertDecisions(bench: Workbench): Promise<void> {
  const rows = (await bindingsOf(bench)).map((binding, n) => {
    const decisionId = newId(binding.session_start.getTime());
    const score = SCORES[binding.decision]! + (n % 200) / 1000;
    const parts = { riskSignals: score, bot: 0, multipleAccounts: 0, email: 0 };
    const inputs = { facts: FACTS, parts, thresholds: THRESHOLDS, lists: [], known: [] };
    const trace = decide({ thresholds: THRESHOLDS, after: { score, lists: [] } });
    return {
      decision_id: decisionId,
      account_id: binding.account_id,
      session_id: binding.session_id,
      request_id: newId(),
      at: binding.session_start,
      first_session: n % 2 === 0,
      decision: trace.decision,
      account_score: score,
      inputs: encryptDecision(bench.project.cipher, decisionId, inputs, { trace, rules: [], flags: [] }),
    };
  });
  const columns = {
    ...{ decision_id: 'uuid', account_id: 'uuid', session_id: 'uuid', request_id: 'uuid', at: 'timestamptz' },
    ...{ first_session: 'bool', decision: 'text', account_score: 'float8', inputs: 'bytea' },
  };
  const versions = `'{"signals":"1","links":"1","account":"1","email":"1","thresholds":1,"rules":1}'`;
  await insertRows(bench, { name: 'decisions', columns, computed: { versions } }, rows);
}

type Rules = Pick<OperatorData, 'ruleId' | 'shadowRuleId'>;

async function insertRules(bench: Workbench): Promise<Rules> {
  const [ruleId, shadowRuleId] = [newId(), newId()];
  const rows = [ruleId, shadowRuleId].map((rule_id, position) => ({
    ...{ rule_id, version: 1, name: `Rule ${position}`, trigger: 'ANY_SESSION', position: position + 1 },
    state: position === 0 ? 'live' : 'shadow',
    expression: JSON.stringify(ruleLanguage.parse(EXPRESSION)),
    actions: '[]',
    ...{ rules_version: 1, actor: 'benchmark' },
  }));
  const columns = {
    ...{ rule_id: 'uuid', version: 'int', name: 'text', trigger: 'text', state: 'text', position: 'int' },
    ...{ expression: 'jsonb', actions: 'jsonb' },
  };
  await insertRows(bench, { name: 'rules', columns }, rows);
  const ofVersion = { ...columns, rules_version: 'int', actor: 'text' };
  await insertRows(bench, { name: 'rule_versions', columns: ofVersion }, rows);
  return { ruleId, shadowRuleId };
}

/** Of the newest sessions; one in ten by the rule in shadow. */
async function insertRuleMatches(bench: Workbench, rules: Rules, count: number): Promise<void> {
  const rows = (await bindingsOf(bench)).slice(0, count).map((binding, n) => ({
    match_id: newId(binding.session_start.getTime()),
    rule_id: n % 10 === 0 ? rules.shadowRuleId : rules.ruleId,
    version: 1,
    shadow: n % 10 === 0,
    account_id: binding.account_id,
    session_id: binding.session_id,
    at: binding.session_start,
    outcomes: '[]',
  }));
  const columns = {
    ...{ match_id: 'uuid', rule_id: 'uuid', version: 'int', shadow: 'bool', account_id: 'uuid' },
    ...{ session_id: 'uuid', at: 'timestamptz', outcomes: 'jsonb' },
  };
  await insertRows(bench, { name: 'rule_matches', columns }, rows);
}

/** Deliveries of a month to two endpoints; few are pending or dead. */
async function insertDeliveries(bench: Workbench, { ids }: DataSet, count: number): Promise<string> {
  const { cipher } = bench.project;
  const endpoints = [newId(), newId()];
  await insertRows(
    bench,
    {
      name: 'webhook_endpoints',
      columns: { endpoint_id: 'uuid', url: 'text', secret: 'bytea', state: 'text' },
    },
    endpoints.map((endpoint_id, n) => ({
      endpoint_id,
      url: `https://receiver-${n}.example.com/`,
      secret: cipher.encryptJson('webhook_endpoints', endpoint_id, 'secret'),
      // A disabled endpoint receives nothing while reads are measured.
      state: 'disabled',
    })),
  );
  const begin = Date.now() - 30 * DAY_MS;
  const rows = Array.from({ length: count }, (_, n) => {
    const at = begin + Math.floor((30 * DAY_MS * n) / count);
    const state = n % DEAD_ONE_IN === 3 ? 'dead' : n % WAITING_ONE_IN === 5 ? 'waiting' : 'delivered';
    return {
      delivery_id: newId(at),
      endpoint_id: endpoints[n % 3 === 0 ? 0 : 1],
      event_id: newId(at),
      event_created_at: new Date(at),
      event_type: pick(EVENT_TYPES, n),
      position: n + 1,
      account_id: pick(ids, n * 7),
      state,
      attempts: state === 'waiting' ? 0 : 1,
      next_attempt_at: state === 'waiting' ? new Date(at) : null,
      created_at: new Date(at),
      finished_at: state === 'waiting' ? null : new Date(at + 1000),
    };
  });
  const columns = {
    ...{ delivery_id: 'uuid', endpoint_id: 'uuid', event_id: 'uuid', event_created_at: 'timestamptz' },
    ...{ event_type: 'text', position: 'bigint', account_id: 'uuid', state: 'text', attempts: 'int' },
    ...{ next_attempt_at: 'timestamptz', created_at: 'timestamptz', finished_at: 'timestamptz' },
  };
  await insertRows(bench, { name: 'webhook_deliveries', columns, computed: { payload_format: '1' } }, rows);
  return endpoints[0]!;
}

/** Completed checks of a month. */
async function insertVerifications(bench: Workbench, { ids }: DataSet, count: number): Promise<void> {
  const begin = Date.now() - 30 * DAY_MS;
  const rows = Array.from({ length: count }, (_, n) => {
    const at = new Date(begin + Math.floor((30 * DAY_MS * n) / count));
    const riskScore = ((n % 1000) / 1000) ** 3;
    const { decision } = decide({ thresholds: THRESHOLDS, after: { score: riskScore, lists: [] } });
    const kind = n % 3 === 0 ? 'id' : 'face';
    const session_id = newId(at.getTime());
    const result = simulatedResult(kind, { decision, riskScore, riskFlags: [] }, at);
    return {
      session_id,
      kind,
      state: 'completed',
      secret_hash: bench.project.cipher.blindIndex('verification secret', `${n}`),
      bound_account_id: pick(ids, n * 11),
      request_id: newId(),
      created_at: at,
      expires_at: new Date(at.getTime() + HOUR_MS),
      completed_at: new Date(at.getTime() + 60_000),
      decision,
      risk_score: riskScore,
      result: encryptResult(bench.project.cipher, session_id, result),
    };
  });
  const columns = {
    ...{ session_id: 'uuid', kind: 'text', state: 'text', secret_hash: 'bytea', bound_account_id: 'uuid' },
    ...{
      request_id: 'uuid',
      created_at: 'timestamptz',
      expires_at: 'timestamptz',
      completed_at: 'timestamptz',
    },
    ...{ decision: 'text', risk_score: 'float8', result: 'bytea' },
  };
  await insertRows(bench, { name: 'verification_sessions', columns }, rows);
}

async function insertBacktest(bench: Workbench, matches: number): Promise<string> {
  const backtest_id = newId();
  const now = new Date();
  const columns = {
    ...{
      backtest_id: 'uuid',
      expression: 'jsonb',
      trigger: 'text',
      since: 'timestamptz',
      until: 'timestamptz',
    },
    ...{
      actor: 'text',
      state: 'text',
      finished_at: 'timestamptz',
      total: 'int',
      examined: 'int',
      matched: 'int',
    },
  };
  const expression = JSON.stringify(ruleLanguage.parse(EXPRESSION));
  const counts = { total: matches * 10, examined: matches * 10, matched: matches };
  const since = new Date(now.getTime() - 365 * DAY_MS);
  await insertRows(bench, { name: 'backtests', columns }, [
    {
      backtest_id,
      expression,
      trigger: 'ANY_SESSION',
      since,
      until: now,
      actor: 'benchmark',
      state: 'done',
      finished_at: now,
      ...counts,
    },
  ]);
  await bench.system.query(
    {
      name: 'bench.backtest_matches',
      text: `insert into backtest_matches (project_id, backtest_id, decision_id)
             select project_id, $2, decision_id from decisions where project_id = $1 order by decision_id limit $3`,
    },
    [bench.project.projectId, backtest_id, matches],
  );
  return backtest_id;
}

/** Hourly statistics of a year of sessions. */
async function insertCounters(bench: Workbench, { ruleId, shadowRuleId }: Rules): Promise<void> {
  const keys = {
    session: ['completed', 'bound'],
    decision: ['Real', 'Suspicious', 'Fake'],
    signal: ['vpn', 'proxy', 'tor', 'datacenter', 'device_risk'],
    rule: [`${ruleId}:live`, `${shadowRuleId}:shadow`],
    check: ['face:completed', 'face:Real', 'id:completed', 'id:Fake'],
  };
  const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const rows = Array.from({ length: STATS_HOURS }, (_, n) => new Date(thisHour - n * HOUR_MS)).flatMap(
    (hour) =>
      Object.entries(keys).flatMap(([kind, all]) =>
        all.map((key, place) => ({ hour, kind, key, value: COUNTED_PER_HOUR + place })),
      ),
  );
  const columns = { hour: 'timestamptz', kind: 'text', key: 'text', value: 'bigint' };
  await insertRows(bench, { name: 'project_counters', columns }, rows);
}

/**
 * One account in 200 is on a block list: the standing of the affected accounts is recalculated, as after any
 * such change.
 */
async function blockAccounts(bench: Workbench, { ids }: DataSet): Promise<void> {
  const list_id = newId();
  const columns = { list_id: 'uuid', name: 'text', description: 'text', effect: 'text' };
  const list = { list_id, name: BLOCK_LIST, description: 'Charged back', effect: 'block' };
  await insertRows(bench, { name: 'lists', columns }, [list]);
  await insertRows(
    bench,
    { name: 'list_members', columns: { list_id: 'uuid', account_id: 'uuid' } },
    ids.filter((_, n) => n % BLOCKED_ONE_IN === 0).map((account_id) => ({ list_id, account_id })),
  );
  await bench.system.query(
    {
      name: 'bench.repeat_standings',
      text: 'update standing_recalculations set position = $2, generation = generation + 1 where project_id = $1',
    },
    [bench.project.projectId, NIL_UUID],
  );
  await recalculateStandings(bench.project);
}

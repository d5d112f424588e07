import { randomUUID } from 'node:crypto';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countNextEvents } from '../../../src/domain/stats/count-events-service.ts';
import { createStatsRebuildService } from '../../../src/domain/stats/rebuild-service.ts';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

const CHECKS = '{ completed failed decisions { real suspicious fake } }';
const COUNTS = `{ sessionsCompleted sessionsBound decisions { real suspicious fake } signals { datacenter tor vpn }
  rules { ruleId rule { name } live shadow } idChecks ${CHECKS} faceChecks ${CHECKS}
  outcomes { fraud legitimate chargeback } }`;
const STATS = `query ($by: StatsInterval!, $since: DateTime!, $until: DateTime) {
  stats(by: $by, since: $since, until: $until) {
    by since until buckets { start end counts ${COUNTS} } total ${COUNTS} } }`;
const DATACENTER = '52.95.3.4';
const HOME = '90.54.3.4';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const masterKey = generateMasterKey();
/** Half an hour past midnight: one hour later is another hour of the same day. */
const clock = new TestClock(new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + HOUR_MS / 2));
let gateway: Gateway;
let system: pg.Client;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ masterKey, clock, worksInBackground: false });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});
beforeEach(async () => {
  project = await gateway.project();
});

async function stats(by: string, since: Date, until?: Date, of = project): Promise<Body> {
  await gateway.app.settleStats(of.projectId);
  return (await of.graphql(STATS, { by, since, until })).stats;
}

const today = () => new Date(Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS);
const total = async (of = project): Promise<Body> => (await stats('DAY', today(), undefined, of)).total;

async function counters(of = project): Promise<Body[]> {
  const { rows } = await system.query(
    'select hour, kind, key, value from project_counters where project_id = $1 order by hour, kind, key',
    [of.projectId],
  );
  return rows;
}

async function viewerOf({ projectId }: TestProject) {
  const found = await gateway.app.parts.storage.access.findProjectById(projectId);
  const by = { kind: 'key', role: 'operator', actor: 'command line', limitKey: 'command line' } as const;
  return { project: found!, ...by };
}

const rebuilding = () => createStatsRebuildService({ system: gateway.app.database.system, clock });

async function rebuild(of = project): Promise<number | null> {
  return rebuilding().rebuild(await viewerOf(of));
}

/** A simulated check whose page was opened; it completes when verifications are settled. */
async function check(query: Record<string, string>, of = project): Promise<void> {
  const { body } = await of.rest('GET', `/liveness/session?${new URLSearchParams(query)}`);
  expect((await fetch(body.session_url)).status).toBe(200);
}

describe('statistics', () => {
  it('count sessions, decisions, signals, matches of rules and reported outcomes', async () => {
    const create = 'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { ruleId } } }';
    const rule = async (name: string, state: string) =>
      (
        await project.graphql(create, {
          input: {
            name,
            state,
            trigger: 'ANY_SESSION',
            expression: 'session.risk_signals.datacenter = true',
          },
        })
      ).createRule.rule.ruleId;
    const live = await rule('acts', 'ENABLED');
    const shadow = await rule('tried', 'SHADOW');
    await project.authenticate({ id: 'a' }, { ip_address: DATACENTER });
    await project.authenticate({ id: 'b', lists: ['block'] }, { ip_address: HOME });
    // Two decisions, one binding and one match.
    const session_id = await project.session({ ip_address: DATACENTER, device_id: 'c' });
    for (const _time of [1, 2]) {
      clock.advance(1);
      await project.rest('POST', '/session/authenticate', {
        session_id,
        account: { id: 'c', lists: ['allow'] },
      });
    }
    // Completed without an account.
    await project.session({ ip_address: HOME });
    for (const [accountId, outcome] of [
      ['a', 'CHARGEBACK'],
      ['b', 'FRAUD'],
      ['c', 'LEGITIMATE'],
    ]) {
      await project.graphql(
        'mutation ($input: ReportOutcomeInput!) { reportOutcome(input: $input) { isNew } }',
        {
          input: { accountId, outcome, at: '2026-01-01T00:00:00Z' },
        },
      );
    }
    const counted = await total();
    expect(counted).toMatchObject({
      sessionsCompleted: 4,
      sessionsBound: 3,
      decisions: { fake: 1 },
      signals: { datacenter: 3, tor: 0 },
      outcomes: { fraud: 1, legitimate: 1, chargeback: 1 },
    });
    const { real, suspicious, fake } = counted.decisions;
    expect(real + suspicious + fake).toBe(4);
    expect(counted.rules).toHaveLength(2);
    expect(counted.rules).toEqual(
      expect.arrayContaining([
        { ruleId: live, rule: { name: 'acts' }, live: 2, shadow: 0 },
        { ruleId: shadow, rule: { name: 'tried' }, live: 0, shadow: 2 },
      ]),
    );
    const outcomes = await project.graphql(
      '{ account(accountId: "a") { reportedOutcomes { edges { node { id } } } } }',
    );
    await project.graphql('mutation ($id: ID!) { retractOutcome(input: { id: $id }) { deletedId } }', {
      id: outcomes.account.reportedOutcomes.edges[0].node.id,
    });
    expect((await total()).outcomes).toEqual({ fraud: 1, legitimate: 1, chargeback: 0 });
  });

  it('have a bucket for each hour and each day in UTC, including empty ones', async () => {
    const since = clock.now();
    await project.authenticate({ id: 'a' });
    clock.advance(2 * HOUR_MS);
    await project.authenticate({ id: 'a' });
    await project.authenticate({ id: 'b' });
    const hours = await stats('HOUR', since);
    expect(hours.since).toBe(new Date(Math.floor(since.getTime() / HOUR_MS) * HOUR_MS).toISOString());
    expect(hours.buckets.map(({ counts }: Body) => counts.sessionsBound)).toEqual([1, 0, 2]);
    expect(hours.buckets.map(({ start }: Body) => start)).toEqual(
      [0, 1, 2].map((index) => new Date(Date.parse(hours.since) + index * HOUR_MS).toISOString()),
    );
    expect(hours.until).toBe(hours.buckets[2].end);
    const days = await stats('DAY', new Date(since.getTime() - DAY_MS));
    expect(days.buckets.map(({ counts }: Body) => counts.sessionsBound)).toEqual([0, 3]);
    expect(days.buckets[1].start).toBe(today().toISOString());
    expect(days.total).toEqual(days.buckets[1].counts);
    expect((await stats('HOUR', since, new Date(since.getTime() + 1))).total.sessionsBound).toBe(1);
  });

  it('reject an empty or too long range', async () => {
    const refusal = async (variables: Body) => {
      const { body } = await project.rawGraphql(STATS, variables);
      return [body.errors[0].extensions.code, body.errors[0].message];
    };
    const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
    expect(await refusal({ by: 'HOUR', since: ago(33) })).toEqual([
      'input.invalid',
      'since: must be at most 31 days before until, by HOUR',
    ]);
    expect((await refusal({ by: 'DAY', since: ago(369) }))[1]).toBe(
      'since: must be at most 366 days before until, by DAY',
    );
    for (const until of [ago(1), ago(2)]) {
      expect((await refusal({ by: 'DAY', since: ago(1), until }))[1]).toBe(
        'since: must be before until, and in the past',
      );
    }
    expect((await refusal({ by: 'DAY', since: ago(-1) }))[0]).toBe('input.invalid');
    const year = await stats('DAY', new Date(clock.now().getTime() - 366 * DAY_MS));
    expect(year.buckets.length).toBe(367);
    expect((await stats('HOUR', new Date(clock.now().getTime() - 31 * DAY_MS))).buckets.length).toBe(
      31 * 24 + 1,
    );
  });

  it('count checks by kind, final state and decision', async () => {
    await check({ id: 'true', simulate: 'success', simulate_decision: 'Real' });
    await check({ simulate: 'success', simulate_decision: 'Fake' });
    await check({ simulate: 'success', simulate_decision: 'Suspicious' });
    await check({ simulate: 'liveness_check_failed' });
    await check({ id: 'true', simulate: 'success', simulate_decision: 'Real', account_id: 'checked' });
    await gateway.app.settleVerifications(project.projectId);
    const { idChecks, faceChecks, sessionsCompleted, sessionsBound } = await total();
    expect(idChecks).toEqual({ completed: 2, failed: 0, decisions: { real: 2, suspicious: 0, fake: 0 } });
    expect(faceChecks).toEqual({ completed: 2, failed: 1, decisions: { real: 0, suspicious: 1, fake: 1 } });
    expect([sessionsCompleted, sessionsBound]).toEqual([4, 1]);
    const before = await counters();
    await rebuild();
    expect(await counters()).toEqual(before);
  });

  it('belong to one project, and are read by one statement', async () => {
    const other = await gateway.project();
    await project.authenticate({ id: 'a' });
    await other.authenticate({ id: 'a' });
    await other.authenticate({ id: 'b' });
    expect((await total()).sessionsBound).toBe(1);
    expect((await total(other)).sessionsBound).toBe(2);
    gateway.takeStatements();
    await project.graphql(STATS, { by: 'DAY', since: today() });
    expect(gateway.takeStatements().filter((name) => name.startsWith('stats.'))).toEqual(['stats.read']);
  });
});

/** Random traffic on few accounts: sessions with and without an account, repeats, rules, and hours that pass. */
async function traffic(steps: number, of = project): Promise<void> {
  const sessions: string[] = [];
  const pick = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)]!;
  for (let step = 0; step < steps; step += 1) {
    clock.advance(Math.random() < 0.1 ? HOUR_MS : 1);
    const account = { id: `account-${pick([1, 2, 3, 4])}`, lists: pick([[], [], ['block'], ['allow']]) };
    const facts = { ip_address: pick([HOME, DATACENTER]), device_id: randomUUID() };
    const session_id = sessions.length > 0 && Math.random() < 0.3 ? pick(sessions) : await of.session(facts);
    sessions.push(session_id);
    if (Math.random() < 0.8) await of.rest('POST', '/session/authenticate', { session_id, account });
  }
}

const createRules = async (of = project) => {
  for (const state of ['ENABLED', 'SHADOW']) {
    await of.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }', {
      input: {
        name: unique(state),
        state,
        trigger: 'ANY_SESSION',
        expression: 'session.risk_signals.datacenter = true',
      },
    });
  }
};

describe('a rebuild', () => {
  it('changes nothing after random traffic, and repairs damaged counters', async () => {
    await createRules();
    await traffic(40);
    await gateway.app.settleStats(project.projectId);
    const counted = await counters();
    expect(counted.length).toBeGreaterThan(4);
    expect(await rebuild()).toBeGreaterThan(0);
    expect(await counters()).toEqual(counted);
    await system.query('update project_counters set value = value + 7 where project_id = $1', [
      project.projectId,
    ]);
    await system.query(
      `insert into project_counters (project_id, hour, kind, key, value) values ($1, '2020-01-01T00:00:00Z', 'decision', 'Real', 3)`,
      [project.projectId],
    );
    await rebuild();
    expect(await counters()).toEqual(counted);
  });

  it('counts nothing twice while events are pending, and while others count and rebuild', async () => {
    await createRules();
    await traffic(20);
    await gateway.app.settleStats(project.projectId);
    const viewer = await viewerOf(project);
    let isDone = false;
    const counting = (async () => {
      while (!isDone) await countNextEvents(gateway.app.database.system, viewer.project);
    })();
    const one = traffic(30);
    await Promise.all([one, rebuild(), rebuild()]);
    await rebuild();
    isDone = true;
    await counting;
    await gateway.app.settleStats(project.projectId);
    const counted = await counters();
    await rebuild();
    expect(await counters()).toEqual(counted);
    const { rows } = await system.query(
      `select (select count(*)::int from decisions where project_id = $1) as decisions,
         (select sum(value)::int from project_counters where project_id = $1 and kind = 'decision') as counted`,
      [project.projectId],
    );
    expect(rows[0].counted).toBe(rows[0].decisions);
  });

  it('continues from the point where it was stopped', async () => {
    for (const _hour of [1, 2, 3]) {
      await project.authenticate({ id: 'a' });
      clock.advance(HOUR_MS);
    }
    await gateway.app.settleStats(project.projectId);
    const counted = await counters();
    const stop = new AbortController();
    const viewer = await viewerOf(project);
    const hours: Date[] = [];
    const onHour = (hour: Date) => hours.push(hour);
    const options = { signal: stop.signal, onHour: (hour: Date) => stop.abort(onHour(hour)) };
    expect(await rebuilding().rebuild(viewer, options)).toBeNull();
    expect(hours).toHaveLength(1);
    expect(await rebuilding().rebuild(viewer, { onHour })).toBe(2);
    expect(new Set(hours.map((hour) => hour.getTime())).size).toBe(3);
    expect(await counters()).toEqual(counted);
    expect(await rebuild()).toBe(3);
  });
});

it('statistics of the sandbox of a first start are counted', async () => {
  const first = await startGateway({ masterKey, clock, worksInBackground: false });
  try {
    const created = await first.app.projects.createSandbox(async () => {});
    const sandbox = projectClient(first.baseUrl, created!.projectId, created!.key);
    await sandbox.authenticate({ id: 'a' });
    await first.app.settleStats(sandbox.projectId);
    const counted = await sandbox.graphql(STATS, { by: 'DAY', since: today() });
    expect(counted.stats.total.decisions.real).toBe(1);
  } finally {
    await first.close();
  }
});

describe('two gateways', () => {
  it('count each event once', async () => {
    const second = await startGateway({ masterKey, clock, database: gateway.database });
    try {
      await createRules();
      const counting = [gateway, second].map(async ({ app }) => {
        for (let round = 0; round < 20; round += 1) await app.settleStats(project.projectId);
      });
      await Promise.all([traffic(25), ...counting]);
      await gateway.app.settleStats(project.projectId);
      const counted = await counters();
      await rebuild();
      expect(await counters()).toEqual(counted);
    } finally {
      await second.close();
    }
  });

  it('continue after a transaction of another gateway is aborted', async () => {
    await traffic(10);
    await gateway.app.settleEvents();
    // As a gateway that crashes after writing counters and before its position: the server aborts its transaction.
    const dying = await connectAs(gateway.database, 'vouchgraph_system');
    await dying.query('begin');
    await dying.query('select 1 from stats_positions where project_id = $1 for update', [project.projectId]);
    await dying.query(
      `insert into project_counters (project_id, hour, kind, key, value) values ($1, date_trunc('hour', now()), 'decision', 'Real', 100)
       on conflict (project_id, hour, kind, key) do update set value = project_counters.value + 100`,
      [project.projectId],
    );
    dying.on('error', () => {});
    const ended = new Promise((resolve) => dying.once('end', resolve));
    const { connection } = dying as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
    await ended;
    await expect
      .poll(async () => {
        await gateway.app.settleStats(project.projectId);
        return (await counters()).length;
      })
      .toBeGreaterThan(0);
    const counted = await counters();
    await rebuild();
    expect(await counters()).toEqual(counted);
  });
});

import { generateMasterKey } from '@vouchgraph/platform/crypto';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createStatsRebuildService } from '../../../src/domain/stats/rebuild-service.ts';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs, expectLockWaits } from '../../support/sql.ts';
import { createVerification, enroll, verifyFace } from '../../support/verification.ts';

/* Statistics before and after a rebuild are the same, whatever was erased, purged or interrupted before. */
const CHECKS = '{ completed failed decisions { real suspicious fake } }';
const COUNTS = `{ sessionsCompleted sessionsBound decisions { real suspicious fake } signals { datacenter tor vpn }
  rules { ruleId live shadow } idChecks ${CHECKS} faceChecks ${CHECKS} outcomes { fraud legitimate chargeback } }`;
const STATS = `query ($since: DateTime!, $recent: DateTime!) {
  days: stats(by: DAY, since: $since) { buckets { start counts ${COUNTS} } total ${COUNTS} }
  hours: stats(by: HOUR, since: $recent) { buckets { start counts ${COUNTS} } } }`;
const RULE = 'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }';
const REPORT = 'mutation ($input: ReportOutcomeInput!) { reportOutcome(input: $input) { isNew } }';
const NETWORKS = ['52.95.3.4', '90.54.3.4'];
const ACCOUNTS = 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TIMEOUT = 600_000;
/** Number of random sequences of operations. */
const RUNS = 12;

const masterKey = generateMasterKey();
const clock = new TestClock();
let gateway: Gateway;
let system: pg.Client;
beforeAll(async () => {
  const settings = { SESSION_RETENTION_DAYS: '32' };
  gateway = await startGateway({ masterKey, clock, settings, worksInBackground: false });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

/** Statistics as clients read them. */
async function read(project: TestProject): Promise<Body> {
  await gateway.app.settleStats(project.projectId);
  const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
  return project.graphql(STATS, { since: ago(300), recent: ago(30) });
}

async function rebuild({ projectId }: TestProject, signal?: AbortController): Promise<number | null> {
  const project = await gateway.app.parts.storage.access.findProjectById(projectId);
  const by = { kind: 'key', role: 'operator', actor: 'command line', limitKey: 'command line' } as const;
  const rebuilding = createStatsRebuildService({ system: gateway.app.database.system, clock });
  const options = signal ? { signal: signal.signal, onHour: () => signal.abort() } : {};
  return rebuilding.rebuild({ project: project!, ...by }, options);
}

/** Expects the same numbers before and after a rebuild; returns the total. */
async function expectRebuilt(project: TestProject): Promise<Body> {
  const before = await read(project);
  await rebuild(project);
  expect(await read(project)).toEqual(before);
  return before.days.total;
}

/** Damages all counters of the last hours. */
async function damage({ projectId }: TestProject): Promise<void> {
  const recent = new Date(clock.now().getTime() - 20 * HOUR_MS);
  await system.query('update project_counters set value = value + 3 where project_id = $1 and hour > $2', [
    projectId,
    recent,
  ]);
}

/** Expects that a rebuild restores the numbers after all counters were damaged. */
async function expectRepaired(project: TestProject): Promise<void> {
  const before = await read(project);
  await damage(project);
  await rebuild(project);
  expect(await read(project)).toEqual(before);
}

async function projectWithRules(): Promise<TestProject> {
  const project = await gateway.project();
  for (const state of ['ENABLED', 'SHADOW']) {
    const expression = 'session.risk_signals.datacenter = true';
    await project.graphql(RULE, {
      input: { name: unique(state), state, trigger: 'ANY_SESSION', expression },
    });
  }
  return project;
}

type Operation =
  | { do: 'authenticate'; account: number; network: number; session: number; lists: string[] }
  | { do: 'session' }
  | { do: 'check'; account: number; referring: number; simulate: string; id: boolean }
  | { do: 'bind'; session: number; account: number }
  | { do: 'report'; account: number; outcome: string }
  | { do: 'erase'; account: number }
  | { do: 'wait'; hours: number }
  | { do: 'complete' | 'number' | 'count' | 'rebuild' | 'interrupt' | 'purge' };

const account = fc.nat(ACCOUNTS - 1);
/** An earlier session, the latest one first; a new one from 4 on. */
const session = fc.nat(8);
const OPERATIONS: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('authenticate' as const),
      ...{ account, session, network: fc.nat(1) },
      lists: fc.constantFrom<string[]>([], ['block'], ['allow']),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'session' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('check' as const),
      ...{ account: fc.nat(ACCOUNTS), referring: session, id: fc.boolean() },
      simulate: fc.constantFrom('success', 'liveness_check_failed'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('bind' as const), account, session: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      account,
      outcome: fc.constantFrom('FRAUD', 'LEGITIMATE', 'CHARGEBACK'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('erase' as const), account }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 1, 5, 30, 400, 800) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('complete', 'number', 'count', 'count', 'rebuild', 'interrupt', 'purge'),
    }),
  },
);

/** Numbers of stored rows that statistics count, as totals of statistics. */
async function stored({ projectId }: TestProject): Promise<Record<string, number>> {
  const ended = `select count(*)::int from verification_sessions where project_id = $1 and octet_length(secret_hash) > 0 and state`;
  const { rows } = await system.query(
    `select (select count(*)::int from decisions where project_id = $1) as decisions,
       (select count(*)::int from account_sessions where project_id = $1) as bound,
       (select count(*)::int from rule_matches where project_id = $1) as matches,
       (select count(*)::int from account_outcomes where project_id = $1) as outcomes,
       (select count(*)::int from sessions where project_id = $1 and completed_at is not null) as completed,
       (${ended} = 'completed') as checks, (${ended} = 'failed') as failures`,
    [projectId],
  );
  return rows[0];
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);

const totals = (counts: Body): Record<string, number> => ({
  decisions: sum(counts.decisions),
  bound: counts.sessionsBound,
  matches: sum(counts.rules.map(({ live, shadow }: Body) => live + shadow)),
  outcomes: sum(counts.outcomes),
  completed: counts.sessionsCompleted,
  checks: counts.idChecks.completed + counts.faceChecks.completed,
  failures: counts.idChecks.failed + counts.faceChecks.failed,
});

/** Performs operations on a project through the public interface, and adds up the rows that erasures and purges remove. */
function performer(project: TestProject) {
  const sessions: string[] = [];
  const checks: string[] = [];
  const removed: Record<string, number> = {};
  const at = (from: string[], index: number) => from.at(-1 - index);

  /** Adds the rows that the work removes. */
  async function removing(work: () => Promise<unknown>): Promise<void> {
    const before = await stored(project);
    await work();
    const after = await stored(project);
    for (const [name, value] of Object.entries(before))
      removed[name] = (removed[name] ?? 0) + value - after[name]!;
  }

  async function authenticate(one: Extract<Operation, { do: 'authenticate' }>): Promise<void> {
    const facts = { ip_address: NETWORKS[one.network], device_id: unique('device') };
    const session_id = (one.session < 4 && at(sessions, one.session)) || (await project.session(facts));
    if (!sessions.includes(session_id)) sessions.push(session_id);
    const account = { id: `account-${one.account}`, lists: one.lists };
    // Earlier sessions may have been erased or have expired.
    await project.rest('POST', '/session/authenticate', { session_id, account });
  }

  async function check(one: Extract<Operation, { do: 'check' }>): Promise<void> {
    const referring = one.referring < 4 ? at(sessions, one.referring) : undefined;
    const { status, body } = await createVerification(project, {
      simulate: one.simulate,
      ...(one.id ? { id: 'true' } : {}),
      ...(one.account < ACCOUNTS ? { account_id: `account-${one.account}` } : {}),
      ...(referring ? { referring_session_id: referring } : {}),
    });
    if (status !== 200) return;
    expect((await fetch(body.session_url)).status).toBe(200);
    sessions.push(body.session_id);
    checks.push(body.session_id);
  }

  async function bind(one: Extract<Operation, { do: 'bind' }>): Promise<void> {
    const session_id = at(checks, one.session);
    if (!session_id) return;
    await verifyFace(project, session_id);
    await enroll(project, session_id, `account-${one.account}`);
  }

  async function report(accountId: string, outcome: string): Promise<void> {
    const past = new Date(clock.now().getTime() - HOUR_MS).toISOString();
    await project.rawGraphql(REPORT, { input: { accountId, outcome, at: past } });
  }

  async function eraseIfKnown(accountId: string): Promise<void> {
    const { status } = await project.rest('DELETE', `/account/${accountId}`);
    expect([200, 400]).toContain(status);
  }

  async function wait(hours: number): Promise<void> {
    // A session of an account is purged by its age, with a check that completed since.
    if (hours > 48) await gateway.app.settleVerifications(project.projectId);
    clock.advance(hours * HOUR_MS);
  }

  async function perform(one: Operation): Promise<void> {
    clock.advance(1);
    if (one.do === 'authenticate') await authenticate(one);
    if (one.do === 'session') sessions.push(await project.session({ ip_address: NETWORKS[0] }));
    if (one.do === 'check') await check(one);
    if (one.do === 'bind') await bind(one);
    if (one.do === 'report') await report(`account-${one.account}`, one.outcome);
    if (one.do === 'erase') await removing(() => eraseIfKnown(`account-${one.account}`));
    if (one.do === 'wait') await wait(one.hours);
    if (one.do === 'complete') await gateway.app.settleVerifications(project.projectId);
    if (one.do === 'number') await gateway.app.settleEvents();
    if (one.do === 'count') await gateway.app.settleStats(project.projectId);
    if (one.do === 'rebuild') await rebuild(project);
    if (one.do === 'interrupt') await rebuild(project, new AbortController());
    if (one.do === 'purge') {
      await gateway.app.settleEvents();
      await removing(() => gateway.app.purge());
    }
  }
  return { perform, removed };
}

/** Rebuilds wait for the returned function while they read decisions; requests do not. */
async function pauseRebuilds(): Promise<{ owner: pg.Client; resume: () => Promise<void> }> {
  const owner = await connectAs(gateway.database, 'owner');
  await owner.query(`
    create function paused() returns boolean language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(7); return true; end';
    create policy paused on decisions as restrictive for select to vouchgraph_system using (paused());
    select pg_advisory_lock(7)`);
  async function resume() {
    await owner.query('select pg_advisory_unlock_all()');
    await owner.query('drop policy if exists paused on decisions');
    await owner.query('drop function if exists paused()');
  }
  onTestFinished(async () => {
    await resume();
    await owner.end();
  });
  return { owner, resume };
}

const erase = async (project: TestProject, accountId: string) =>
  expect((await project.rest('DELETE', `/account/${accountId}`)).status).toBe(200);

describe('statistics', { timeout: TIMEOUT }, () => {
  it('are those of a rebuild after any operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(OPERATIONS, { minLength: 15, maxLength: 40 }), async (operations) => {
        const project = await projectWithRules();
        const { perform, removed } = performer(project);
        for (const operation of operations) await perform(operation);
        // A binding is recognized by its time, which no other decision on its session has.
        clock.advance(1);
        await gateway.app.settleVerifications(project.projectId);
        const total = await expectRebuilt(project);
        // Erasures and purges change no number.
        const left = await stored(project);
        const all = Object.entries(left).map(([name, value]) => [name, value + (removed[name] ?? 0)]);
        expect(totals(total)).toEqual(Object.fromEntries(all));
        await expectRepaired(project);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it.each(['before', 'after'] as const)(
    'contain an account that is erased %s its events are counted',
    async (when) => {
      const project = await projectWithRules();
      await project.authenticate({ id: 'erased' }, { ip_address: NETWORKS[0], device_id: 'erased' });
      await project.authenticate({ id: 'stays' });
      await project.graphql(REPORT, { input: { accountId: 'erased', outcome: 'FRAUD', at: clock.now() } });
      if (when === 'after') await gateway.app.settleStats(project.projectId);
      await erase(project, 'erased');
      const counts = {
        ...{ decisions: 2, bound: 2, completed: 2, matches: 2, outcomes: 1 },
        ...{ checks: 0, failures: 0 },
      };
      const total = await expectRebuilt(project);
      expect(totals(total)).toEqual(counts);
      expect(total.signals.datacenter).toBe(1);
      await erase(project, 'stays');
      expect(totals(await expectRebuilt(project))).toEqual(counts);
    },
  );

  it('contain decisions on an account whose session is also that of an erased check', async () => {
    const project = await projectWithRules();
    const { body } = await createVerification(project, { simulate: 'success', account_id: 'erased' });
    expect((await fetch(body.session_url)).status).toBe(200);
    await gateway.app.settleVerifications(project.projectId);
    const { session_id } = body;
    for (const id of ['erased', 'stays']) {
      clock.advance(1);
      await project.rest('POST', '/session/authenticate', { session_id, account: { id } });
    }
    const { decisions, bound } = await stored(project);
    await erase(project, 'erased');
    expect(totals(await expectRebuilt(project))).toMatchObject({ decisions, bound, completed: 1, checks: 1 });
  });

  it('contain the session of a check that is completed long after it was created', async () => {
    const project = await gateway.project();
    const { body } = await createVerification(project, { simulate: 'success' });
    expect((await fetch(body.session_url)).status).toBe(200);
    clock.advance(60 * HOUR_MS);
    await gateway.app.settleVerifications(project.projectId);
    expect(totals(await expectRebuilt(project))).toMatchObject({ completed: 1, checks: 1 });
  });

  it.each([
    ['is completed', 'success', { completed: 1, checks: 1, failures: 0 }],
    ['fails', 'liveness_check_failed', { completed: 0, checks: 0, failures: 1 }],
  ])('contain a check that %s weeks after it was created', async (_end, simulate, counts) => {
    const project = await gateway.project();
    const { body } = await createVerification(project, { simulate });
    expect((await fetch(body.session_url)).status).toBe(200);
    clock.advance(40 * DAY_MS);
    await gateway.app.settleVerifications(project.projectId);
    expect(totals(await expectRebuilt(project))).toMatchObject(counts);
    clock.advance(20 * DAY_MS);
    await gateway.app.purge();
    expect(totals(await expectRebuilt(project))).toMatchObject(counts);
    clock.advance(12 * DAY_MS);
    await gateway.app.purge();
    expect(await stored(project)).toMatchObject({ checks: 0, failures: 0 });
    expect(totals(await expectRebuilt(project))).toMatchObject(counts);
  });

  it('contain sessions that are purged before their events were counted', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a' });
    const { body } = await createVerification(project, { simulate: 'success' });
    expect((await fetch(body.session_url)).status).toBe(200);
    await gateway.app.settleVerifications(project.projectId);
    await gateway.app.settleEvents();
    const counts = await stored(project);
    clock.advance(200 * DAY_MS);
    await gateway.app.purge();
    expect(await stored(project)).toMatchObject({ completed: 0, checks: 0 });
    expect(totals(await expectRebuilt(project))).toEqual(counts);
  });

  it('belong to the project of the erased account', async () => {
    const [one, other] = [await gateway.project(), await gateway.project()];
    for (const project of [one, other]) await project.authenticate({ id: 'erased' });
    await erase(one, 'erased');
    for (const project of [one, other])
      expect(totals(await expectRebuilt(project))).toMatchObject({ decisions: 1, bound: 1 });
  });

  it('are correct after erasures during rebuilds, counting and requests', async () => {
    const project = await projectWithRules();
    const ids = Array.from({ length: 12 }, (_, index) => `account-${index}`);
    const authenticate = (id: string) => project.authenticate({ id }, { ip_address: NETWORKS[0] });
    for (const id of ids) {
      clock.advance(HOUR_MS);
      await authenticate(id);
      await authenticate(id);
      await project.graphql(REPORT, { input: { accountId: id, outcome: 'FRAUD', at: clock.now() } });
    }
    const half = ids.slice(0, 6);
    await Promise.all([
      ...half.map((id) => erase(project, id)),
      ...ids.slice(6).map(authenticate),
      ...[1, 2].map(() => rebuild(project)),
      ...[1, 2, 3].map(() => gateway.app.settleStats(project.projectId)),
    ]);
    const total = await expectRebuilt(project);
    const decisions = 3 * ids.length - half.length;
    expect(totals(total)).toMatchObject({
      ...{ decisions, bound: decisions, completed: decisions, outcomes: ids.length },
      matches: 2 * decisions,
    });
    await expectRepaired(project);
  });

  it('are counted without waiting for the first erasure of a project', async () => {
    const [one, other] = [await gateway.project(), await gateway.project()];
    for (const project of [one, other]) await project.authenticate({ id: 'a' });
    const owner = await connectAs(gateway.database, 'owner');
    onTestFinished(() => owner.end());
    await system.query('begin');
    await system.query('select from accounts where project_id = $1 for update', [one.projectId]);
    const erasing = erase(one, 'a');
    await expectLockWaits(owner, 1);
    for (const { projectId } of [one, other]) await gateway.app.settleStats(projectId);
    await system.query('rollback');
    await erasing;
    for (const project of [one, other])
      expect(totals(await expectRebuilt(project))).toMatchObject({ decisions: 1, bound: 1 });
  });

  it('are repaired by a rebuild during which accounts are erased', async () => {
    const project = await projectWithRules();
    for (const id of ['erased', 'stays']) await project.authenticate({ id }, { ip_address: NETWORKS[0] });
    const before = await read(project);
    await damage(project);
    const { owner, resume } = await pauseRebuilds();
    const rebuilding = rebuild(project);
    await expectLockWaits(owner, 1);
    // One account was counted before, and the other one is erased before it is.
    await project.authenticate({ id: 'uncounted' });
    for (const id of ['erased', 'uncounted']) await erase(project, id);
    await resume();
    await rebuilding;
    const { decisions, bound, completed, ...others } = totals(before.days.total);
    expect(totals((await read(project)).days.total)).toEqual({
      ...{ decisions: decisions! + 1, bound: bound! + 1, completed: completed! + 1 },
      ...others,
    });
    await expectRepaired(project);
  });

  it('are repaired once by two rebuilds that read the same hour', async () => {
    const project = await projectWithRules();
    await project.authenticate({ id: 'a' }, { ip_address: NETWORKS[0] });
    const before = await read(project);
    await damage(project);
    const { owner, resume } = await pauseRebuilds();
    const rebuilding = [rebuild(project), rebuild(project)];
    await expectLockWaits(owner, 2);
    await resume();
    await Promise.all(rebuilding);
    expect(await read(project)).toEqual(before);
  });

  it('are correct after a rebuild is stopped, accounts are erased, and it continues', async () => {
    const project = await projectWithRules();
    for (const id of ['a', 'b', 'c']) {
      clock.advance(HOUR_MS);
      for (const _time of [1, 2]) await project.authenticate({ id }, { ip_address: NETWORKS[0] });
    }
    const before = await read(project);
    expect(await rebuild(project, new AbortController())).toBeNull();
    // Accounts of the recounted hour and of an hour that is not.
    for (const id of ['a', 'c']) await erase(project, id);
    expect(await read(project)).toEqual(before);
    await rebuild(project);
    expect(await read(project)).toEqual(before);
  });

  it('are correct after the connection of a rebuild is lost, and it continues', async () => {
    const project = await projectWithRules();
    for (const id of ['a', 'b', 'c']) {
      clock.advance(HOUR_MS);
      await project.authenticate({ id }, { ip_address: NETWORKS[0] });
    }
    await erase(project, 'b');
    const before = await read(project);
    await damage(project);
    // The rebuild waits for the counters of the last hour, after it has recounted the others.
    const [blocker, owner] = await Promise.all([
      connectAs(gateway.database, 'vouchgraph_system'),
      connectAs(gateway.database, 'owner'),
    ]);
    try {
      await blocker.query('begin');
      await blocker.query(
        `select 1 from project_counters c where c.project_id = $1 and c.hour = (
           select max(hour) from project_counters where project_id = $1) for update`,
        [project.projectId],
      );
      const { rows } = await blocker.query('select pg_backend_pid() as pid');
      const ending = rebuild(project).then(
        () => 'completed',
        () => 'failed',
      );
      const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
        where $1 = any (pg_blocking_pids(pid))`;
      await expect.poll(async () => (await owner.query(terminate, [rows[0].pid])).rowCount).toBe(1);
      expect(await ending).toBe('failed');
      await blocker.query('rollback');
    } finally {
      await Promise.all([blocker.end(), owner.end()]);
    }
    await erase(project, 'c');
    await rebuild(project);
    expect(await read(project)).toEqual(before);
  });
});

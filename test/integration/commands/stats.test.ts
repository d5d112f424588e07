import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { playedVerification } from '../../support/verification.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

const DAY_MS = 86_400_000;

let world: CommandWorld;
let rule: string;
/** Days before and after midnight, so that a test at midnight counts the same. */
const range = ['--since', dayOf(-1), '--until', dayOf(2)];
beforeAll(async () => {
  world = await openCommandWorld();
  const { project, gateway } = world;
  rule = unique('rule');
  await world.local.json(
    'rule',
    ...['create', '--name', rule, '--trigger', 'any_session', '--state', 'enabled'],
    ...['--expression', 'session.risk_signals.datacenter = true', '--action', 'raise_flag=seen'],
  );
  await project.authenticate({ id: 'counted' }, { ip_address: '52.95.3.4' });
  await project.authenticate({ id: 'blocked', lists: ['block'] }, { ip_address: '90.54.3.4' });
  await playedVerification(gateway, project, { simulate: 'success', simulate_decision: 'Suspicious' });
  await world.local.json('account', 'label', 'counted', 'chargeback');
  await gateway.app.settleStats(project.projectId);
});
afterAll(() => world.close());

function dayOf(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/** `stats` has no subcommand of its own before the project. */
const stats = async (which: 'local' | 'remote', ...args: string[]) => {
  const remote = {
    VOUCHGRAPH_URL: world.gateway.baseUrl,
    VOUCHGRAPH_API_KEY: world.project.key,
  };
  const { code, output, errors } = await (which === 'local'
    ? runCommand(['stats', world.project.projectId, ...args], world.environment)
    : runCommand(['stats', ...args], remote));
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  return output;
};

describe.each(['local', 'remote'] as const)('the command line on the %s project', (which) => {
  it('shows the statistics of a period as JSON', async () => {
    const shown = JSON.parse(await stats(which, ...range, '--json'));
    expect(shown).toMatchObject({
      by: 'day',
      since: `${dayOf(-1)}T00:00:00.000Z`,
      buckets: expect.any(Array),
      total: {
        sessions_bound: 2,
        decisions: { real: expect.any(Number), suspicious: expect.any(Number), fake: 1 },
        signals: { datacenter: 1, tor: 0 },
        rules: [{ rule_id: expect.any(String), name: rule, live: 1, shadow: 0 }],
        face_checks: { completed: 1, failed: 0, decisions: { suspicious: 1 } },
        id_checks: { completed: 0 },
        outcomes: { chargeback: 1 },
      },
    });
    expect(shown.buckets[0]).toMatchObject({ start: shown.since, sessions_bound: expect.any(Number) });
    expect(await world[which].json('stats', 'show', ...range)).toEqual(shown);
  });

  it('shows the statistics of a period as text', async () => {
    const shown = await stats(which, ...range);
    expect(shown).toMatch(new RegExp(`^${dayOf(-1)} to \\S+, days in UTC\n\n`));
    expect(shown).toMatch(/^DAY +SESSIONS +REAL +SUSPICIOUS +FAKE +CHECKS +FAILED +OUTCOMES$/m);
    expect(shown).toMatch(/^TOTAL +\d+ +\d+ +\d+ +1 +1 +0 +1$/m);
    expect(shown).toMatch(/^ {2}datacenter +1$/m);
    expect(shown).toMatch(new RegExp(`^ {2}${rule} +1 live`, 'm'));
    expect(shown).toMatch(/^ {2}chargeback +1$/m);
    const hours = await stats(which, '--days', '2', '--by', 'hour');
    expect(hours).toMatch(/^HOUR +SESSIONS/m);
    expect(hours).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00Z +/m);
  });
});

it('counts the last 30 days by default', async () => {
  const { since, until, buckets } = JSON.parse(await stats('remote', '--json'));
  expect(buckets).toHaveLength(30);
  expect(Date.parse(until) - Date.parse(since)).toBe(30 * DAY_MS);
});

it.each([
  ['day', 30],
  ['hour', 30 * 24],
])('counts the last 30 days before the end of a whole day, by %s', async (by, number) => {
  const end = `${dayOf(0)}T00:00:00.000Z`;
  const { since, until, buckets } = JSON.parse(await stats('remote', '--until', end, '--by', by, '--json'));
  expect([until, buckets.length]).toEqual([end, number]);
  expect(Date.parse(until) - Date.parse(since)).toBe(30 * DAY_MS);
});

it('an empty project has no statistics', async () => {
  const { projectId } = await world.gateway.project();
  const { output } = await runCommand(['stats', projectId, '--days', '1'], world.environment);
  expect(output).toMatch(/, days in UTC\n\nNothing was counted in this period\.\n$/);
});

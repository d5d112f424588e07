import { describe, expect, it } from 'vitest';
import { HourlyCounts, hourOf, statsCounts } from './counters.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);
const NO_DECISIONS = { real: 0, suspicious: 0, fake: 0 };

describe('hourly counts', () => {
  it('are grouped by hour, in the order of the table', () => {
    const counts = new HourlyCounts();
    const facts = { 'session.risk_signals.tor': true, 'session.risk_signals.vpn': false };
    counts.addDecision({ at: at('01:59:59.999'), decision: 'Fake', binds: true, facts });
    counts.addDecision({ at: at('01:00:00.000'), decision: 'Fake', binds: false, facts: {} });
    counts.addDecision({ at: at('00:30:00.000'), decision: 'Real', binds: true, facts: {} });
    expect(counts.rows().map(({ hour, ...row }) => [hour.getUTCHours(), ...Object.values(row)])).toEqual([
      [0, 'decision', 'Real', 1],
      [0, 'session', 'bound', 1],
      [1, 'decision', 'Fake', 2],
      [1, 'session', 'bound', 1],
      [1, 'signal', 'tor', 1],
    ]);
  });

  it('are returned as counted', () => {
    const counts = new HourlyCounts();
    const rule_id = '019c3f10-0000-7000-8000-000000000020';
    counts.addMatches({ at: at('00:00:00'), rule_id, shadow: true }, 3);
    counts.addMatches({ at: at('01:00:00'), rule_id, shadow: false });
    const check = { completed_at: at('00:00:00'), kind: 'face', state: 'completed', decision: 'Suspicious' };
    counts.addChecks(check);
    counts.addChecks({ ...check, state: 'failed', decision: '' });
    counts.addCompletedSessions(at('02:00:00'), 4);
    expect(statsCounts(counts.rows())).toMatchObject({
      sessionsCompleted: 4,
      sessionsBound: 0,
      decisions: NO_DECISIONS,
      rules: [{ ruleId: rule_id, live: 1, shadow: 3 }],
      idChecks: { completed: 0, failed: 0, decisions: NO_DECISIONS },
      faceChecks: { completed: 1, failed: 1, decisions: { ...NO_DECISIONS, suspicious: 1 } },
    });
  });
});

describe('the hour of a time', () => {
  it('starts at or before the time', () => {
    expect(hourOf(at('05:00:00.000'))).toEqual(at('05:00:00'));
    expect(hourOf(at('05:59:59.999'))).toEqual(at('05:00:00'));
  });
});

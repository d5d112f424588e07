import { describe, expect, test } from 'vitest';
import { FAILURES } from './failure.ts';
import { outcomeOf, readSimulation, SIMULATIONS, type SimulationInput } from './simulation.ts';

const THRESHOLDS = { suspiciousFrom: 0.4, fakeFrom: 0.7 };
const outcome = (input: SimulationInput, kind: 'id' | 'face' = 'id') =>
  outcomeOf(readSimulation(input, true)!, kind, THRESHOLDS);

test('no requested outcome is no simulation, also in production', () => {
  expect(readSimulation({}, true)).toBeNull();
  expect(readSimulation({ simulate: '', decision: null, riskFlags: null }, false)).toBeNull();
});

describe('a success answers', () => {
  test.each([
    [{}, 'Fake', 0.9, ['likely_fake_id', 'low_id_face_match_score']],
    [{ decision: 'Real' }, 'Real', 0.1, []],
    [{ decision: 'Suspicious' }, 'Suspicious', 0.5, []],
    [{ decision: 'Fake' }, 'Fake', 0.9, []],
    [{ riskScore: 0 }, 'Real', 0, []],
    [{ riskScore: '0.4' }, 'Suspicious', 0.4, []],
    [{ riskScore: '.7' }, 'Fake', 0.7, []],
    [{ riskScore: 1, decision: 'Real' }, 'Real', 1, []],
    [{ riskFlags: ['repeat_id', ' digital_id'] }, 'Fake', 0.9, ['repeat_id', 'digital_id']],
    [{ riskFlags: ['repeat_id'], decision: 'Real' }, 'Real', 0.1, ['repeat_id']],
    [{ riskFlags: ['repeat_id'], riskScore: 0.2 }, 'Real', 0.2, ['repeat_id']],
  ] as const)('%j', (input, decision, riskScore, riskFlags) => {
    expect(outcome({ simulate: 'success', ...input })).toEqual({
      failure: null,
      decision,
      riskScore,
      riskFlags,
    });
  });

  test('a face check without anything else has a repeated face', () => {
    expect(outcome({ simulate: 'success' }, 'face')).toMatchObject({ riskFlags: ['repeat_face'] });
  });
});

test('every other case ends with its failure', () => {
  for (const simulate of SIMULATIONS.filter((each) => each !== 'success'))
    expect(outcome({ simulate })).toEqual({ failure: simulate });
  expect(SIMULATIONS).toHaveLength(FAILURES.length + 1);
});

describe('is refused', () => {
  test.each([
    [{ simulate: 'succes' }],
    [{ decision: 'Real' }],
    [{ simulate: 'liveness_check_failed', riskScore: 0.5 }],
    [{ simulate: 'liveness_check_failed', riskFlags: ['repeat_id'] }],
    [{ simulate: 'success', decision: 'real' }],
    [{ simulate: 'success', riskScore: 1.01 }],
    [{ simulate: 'success', riskScore: -0.1 }],
    [{ simulate: 'success', riskScore: 'high' }],
    [{ simulate: 'success', riskScore: '0x1' }],
    [{ simulate: 'success', riskScore: Number.NaN }],
    [{ simulate: 'success', riskFlags: ['repeat_nose'] }],
    [{ simulate: 'success', riskFlags: ['repeat_id', ''] }],
  ])('%j', (input) => {
    expect(() => readSimulation(input, true)).toThrow(
      expect.objectContaining({ code: 'verification.invalid_simulated_session' }),
    );
  });

  test('in production for any parameters', () => {
    expect(() => readSimulation({ simulate: 'success' }, false)).toThrow();
  });
});

import { describe, expect, test } from 'vitest';
import { FAILURES } from './failure.ts';
import { readSimulation, SIMULATIONS, type SimulationInput, simulatedOutcomeOf } from './simulation.ts';

const THRESHOLDS = { suspiciousFrom: 0.4, fakeFrom: 0.7 };
const outcome = (input: SimulationInput, kind: 'id' | 'face' = 'id') =>
  simulatedOutcomeOf(readSimulation(input, true)!, kind, THRESHOLDS);

test('a request without simulation parameters is not a simulation, also in production', () => {
  expect(readSimulation({}, true)).toBeNull();
  expect(
    readSimulation({ simulate: null, simulateDecision: null, simulateRiskFlags: null }, false),
  ).toBeNull();
});

describe('a success returns', () => {
  test.each([
    [{}, 'Fake', 0.9, ['likely_fake_id', 'low_id_face_match_score']],
    [{ simulateDecision: 'Real' }, 'Real', 0.1, []],
    [{ simulateDecision: 'Suspicious' }, 'Suspicious', 0.5, []],
    [{ simulateDecision: 'Fake' }, 'Fake', 0.9, []],
    [{ simulateRiskScore: 0 }, 'Real', 0, []],
    [{ simulateRiskScore: 0.4 }, 'Suspicious', 0.4, []],
    [{ simulateRiskScore: 0.7 }, 'Fake', 0.7, []],
    [{ simulateRiskScore: 1, simulateDecision: 'Real' }, 'Real', 1, []],
    [{ simulateRiskFlags: ['repeat_id', 'digital_id'] }, 'Fake', 0.9, ['repeat_id', 'digital_id']],
    [{ simulateRiskFlags: ['repeat_id'], simulateDecision: 'Real' }, 'Real', 0.1, ['repeat_id']],
    [{ simulateRiskFlags: ['repeat_id'], simulateRiskScore: 0.2 }, 'Real', 0.2, ['repeat_id']],
  ] satisfies [SimulationInput, ...unknown[]][])('%j', (input, decision, riskScore, riskFlags) => {
    expect(outcome({ simulate: 'success', ...input })).toEqual({
      failure: null,
      decision,
      riskScore,
      riskFlags,
    });
  });

  test('a face check without other parameters has a repeated face', () => {
    expect(outcome({ simulate: 'success' }, 'face')).toMatchObject({ riskFlags: ['repeat_face'] });
  });
});

test('every other case ends with its failure', () => {
  for (const simulate of SIMULATIONS.filter((each) => each !== 'success'))
    expect(outcome({ simulate })).toEqual({ failure: simulate });
  expect(SIMULATIONS).toHaveLength(FAILURES.length + 1);
});

describe('a simulation is rejected', () => {
  test.each([
    [{ simulateDecision: 'Real' }],
    [{ simulateRiskFlags: [] }],
    [{ simulate: 'liveness_check_failed', simulateRiskScore: 0.5 }],
    [{ simulate: 'liveness_check_failed', simulateRiskFlags: ['repeat_id'] }],
    [{ simulate: 'success', simulateRiskScore: 1.01 }],
    [{ simulate: 'success', simulateRiskScore: -0.1 }],
    [{ simulate: 'success', simulateRiskScore: Number.NaN }],
  ] satisfies [SimulationInput][])('%j', (input) => {
    expect(() => readSimulation(input, true)).toThrow(
      expect.objectContaining({ code: 'verification.invalid_simulated_session' }),
    );
  });

  test('in production for any parameters', () => {
    expect(() => readSimulation({ simulate: 'success' }, false)).toThrow();
  });
});

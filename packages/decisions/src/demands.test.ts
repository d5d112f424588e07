import { describe, expect, it } from 'vitest';
import type { MatchedRule } from './apply-actions.ts';
import { decide } from './decide.ts';
import { ruleOutcomeOf, settleDemands, stillRequired } from './demands.ts';
import type { Rule, RuleAction } from './rule.ts';

const SUSPICIOUS: RuleAction = { decide: 'Suspicious' };
const requiring = (requireVerification: 'id' | 'face'): RuleAction => ({ requireVerification });

function ruleOf(ruleId: string, ...actions: RuleAction[]): Rule {
  const shown = {
    name: `Rule ${ruleId}`,
    description: '',
    trigger: 'ANY_SESSION',
    state: 'enabled',
  } as const;
  const expression = { field: 'session.bot', op: 'is_present' } as const;
  return { ruleId, version: 1, paused: false, position: 1, ...shown, expression, actions };
}

const matchOf = (rule: Rule, isRepeat = false): MatchedRule => ({
  rule,
  isRepeat,
  outcomes: isRepeat ? [] : rule.actions.map((action) => ({ ...action, outcome: 'DONE' })),
});

const BY_CLIENT = { source: 'api', actor: '', reason: '' };
const block = { name: 'block', effect: 'block', ...BY_CLIENT };
const allow = { name: 'allow', effect: 'allow', ...BY_CLIENT };
const NOTHING = { byScore: 'Real', list: null, open: null, checked: null } as const;

const reference = (ruleId: string) => ({ ruleId, version: 1, name: `Rule ${ruleId}` });

function settle(actions: readonly RuleAction[], situation = {}) {
  const matched = actions.map((action, index) => matchOf(ruleOf(`${index}`, action)));
  const { matched: settled, ...demands } = settleDemands(matched, { ...NOTHING, ...situation });
  return { outcomes: settled.flatMap(({ outcomes }) => outcomes.map(({ outcome }) => outcome)), ...demands };
}

describe('the decision Suspicious', () => {
  it('is made by the first matching rule when the score decides Real', () => {
    expect(settle([SUSPICIOUS, SUSPICIOUS])).toEqual({
      outcomes: ['DONE', 'NOTHING_TO_DO'],
      suspicious: reference('0'),
      required: null,
    });
  });

  it.each([
    ['a score that decides Suspicious', { byScore: 'Suspicious' }],
    ['a score that decides Fake', { byScore: 'Fake' }],
    ['a block list', { list: block }],
    ['an allow list', { list: allow }],
  ])('is unnecessary beside %s', (_, situation) => {
    expect(settle([SUSPICIOUS], situation)).toMatchObject({ outcomes: ['NOTHING_TO_DO'], suspicious: null });
  });

  it('is repeated for a rule that already acted in the session', () => {
    const matched = [matchOf(ruleOf('r', SUSPICIOUS, requiring('id')), true)];
    expect(settleDemands(matched, NOTHING)).toEqual({ matched, suspicious: reference('r'), required: null });
  });

  it('is applied after the score and before the lists', () => {
    const thresholds = { suspiciousFrom: 0.4, fakeFrom: 0.7 };
    const trace = (score: number, lists = [] as (typeof block)[]) =>
      decide({ thresholds, after: { score, lists, suspicious: reference('r') } });
    expect(trace(0.1)).toMatchObject({
      decision: 'Suspicious',
      byScore: 'Real',
      winner: 'RULE',
      rule: reference('r'),
    });
    expect(trace(0.5)).toMatchObject({ decision: 'Suspicious', winner: 'SCORE', rule: null });
    expect(trace(0.8)).toMatchObject({ decision: 'Fake', winner: 'SCORE', rule: null });
    expect(trace(0.1, [block])).toMatchObject({ decision: 'Fake', winner: 'LIST', rule: null });
    expect(trace(0.1, [allow])).toMatchObject({ decision: 'Real', winner: 'LIST', rule: null });
    expect(trace(0.1)).not.toHaveProperty('requiredVerification');
  });
});

describe('a required verification', () => {
  const open = (kind: 'id' | 'face') => ({ kind, rule: reference('old'), since: 1000 });

  it('is required by the first rule unless a later one requires more', () => {
    expect(settle([requiring('face'), requiring('face'), requiring('id'), requiring('face')])).toMatchObject({
      outcomes: ['DONE', 'NOTHING_TO_DO', 'DONE', 'NOTHING_TO_DO'],
      required: { kind: 'id', rule: reference('2') },
    });
  });

  it('stays unchanged while it covers the requirement of a rule', () => {
    expect(settle([], { open: open('face') }).required).toEqual(open('face'));
    expect(settle([requiring('face')], { open: open('id') })).toMatchObject({
      outcomes: ['NOTHING_TO_DO'],
      required: open('id'),
    });
    expect(settle([requiring('id')], { open: open('face') })).toMatchObject({
      outcomes: ['DONE'],
      required: { kind: 'id', rule: reference('0') },
    });
  });

  it('is met by a completed check of the session: an ID check includes a face', () => {
    expect(settle([requiring('id')], { checked: 'id' }).required).toBeNull();
    expect(settle([requiring('face')], { checked: 'id' }).required).toBeNull();
    expect(settle([requiring('face')], { checked: 'face' }).outcomes).toEqual(['NOTHING_TO_DO']);
    expect(settle([requiring('id')], { checked: 'face' }).outcomes).toEqual(['DONE']);
  });

  it('does not apply to an account on an allow list, and applies to one on a block list', () => {
    expect(settle([requiring('id')], { list: allow, open: open('face') })).toMatchObject({
      outcomes: ['NOTHING_TO_DO'],
      required: null,
    });
    expect(settle([requiring('id')], { list: block }).required).toMatchObject({ kind: 'id' });
  });

  it('ends when a later check completes or its rule no longer applies', () => {
    const required = open('face');
    const enabled = ruleOf('old', requiring('face'));
    const still = (rule: Rule, check: Partial<Parameters<typeof stillRequired>[2]> = {}) =>
      stillRequired(required, [{ rule }], { kind: undefined, completedAt: null, ...check });
    expect(still(enabled)).toBe(required);
    expect(still(enabled, { kind: 'face', completedAt: new Date(999) })).toBe(required);
    expect(still(enabled, { kind: 'face', completedAt: new Date(1000) })).toBeNull();
    expect(still(enabled, { kind: 'id', completedAt: new Date(1000) })).toBeNull();
    expect(still({ ...enabled, state: 'shadow' })).toBeNull();
    expect(still(ruleOf('old', SUSPICIOUS))).toBeNull();
    expect(still(ruleOf('another', requiring('face')))).toBeNull();
    expect(stillRequired(undefined, [{ rule: enabled }], { kind: null, completedAt: null })).toBeNull();
    const idRequired = { ...required, kind: 'id' as const };
    const byFace = { kind: 'face', completedAt: new Date(2000) };
    expect(stillRequired(idRequired, [{ rule: enabled }], byFace)).toBe(idRequired);
  });

  it('is stored with the time of the decision that required it', () => {
    const now = new Date(5000);
    const { suspicious, required } = settle([SUSPICIOUS, requiring('id')]);
    expect(ruleOutcomeOf({ suspicious, required }, now)).toEqual({
      suspicious: reference('0'),
      required: { kind: 'id', rule: reference('1'), since: 5000 },
    });
    expect(ruleOutcomeOf({ suspicious: null, required: open('id') }, now)).toEqual({ required: open('id') });
    expect(ruleOutcomeOf({ suspicious: null, required: null }, now)).toBeUndefined();
  });
});

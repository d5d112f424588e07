import { describe, expect, it } from 'vitest';
import { type DecidingList, decide, decideByScore } from './decide.ts';

const thresholds = { suspiciousFrom: 0.4, fakeFrom: 0.7 };
const listOf = (name: string, effect: string): DecidingList => ({
  ...{ name, effect },
  ...{ source: 'api', actor: '', reason: '' },
});
const block = listOf('block', 'block');
const allow = listOf('allow', 'allow');
const vip = listOf('vip', 'none');
const rule = { ruleId: 'r', version: 2, name: 'Minors' };

function decided(
  score: number,
  before: DecidingList[],
  after: DecidingList[] = before,
  ruled: Record<string, typeof rule> = {},
  scoreBefore = score,
) {
  const ruleOfList = new Map(Object.entries(ruled));
  return decide({
    thresholds,
    before: { score: scoreBefore, lists: before },
    after: { score, lists: after },
    ruleOfList,
  });
}

describe('a decision', () => {
  it('follows the thresholds, which are inclusive', () => {
    expect([0, 0.3999, 0.4, 0.6999, 0.7, 1].map((score) => decideByScore(score, thresholds))).toEqual([
      'Real',
      'Real',
      'Suspicious',
      'Suspicious',
      'Fake',
      'Fake',
    ]);
  });

  it('by score names only the thresholds', () => {
    expect(decided(0.5, [vip])).toEqual({
      ...thresholds,
      decision: 'Suspicious',
      winner: 'SCORE',
      score: 0.5,
      byScore: 'Suspicious',
      list: null,
      rule: null,
    });
  });

  it('by a list keeps the decision by score', () => {
    expect(decided(0.9, [allow])).toMatchObject({
      decision: 'Real',
      byScore: 'Fake',
      winner: 'LIST',
      list: allow,
    });
    expect(decided(0, [block])).toMatchObject({
      decision: 'Fake',
      byScore: 'Real',
      winner: 'LIST',
      list: block,
    });
  });

  it('prefers block to allow, and the first name among equal lists', () => {
    const other = listOf('a banned', 'block');
    expect(decided(0, [allow, block, other])).toMatchObject({ decision: 'Fake', list: other });
  });

  it('by a rule names the rule that added the account to the list', () => {
    expect(decided(0.1, [vip], [vip, block], { block: rule })).toMatchObject({
      decision: 'Fake',
      winner: 'RULE',
      list: block,
      rule,
    });
  });

  it('by a rule names the rule that removed the account from the list', () => {
    expect(decided(0.1, [block], [], { block: rule })).toMatchObject({
      decision: 'Real',
      winner: 'RULE',
      list: null,
      rule,
    });
  });

  it('names no rule whose actions do not affect it', () => {
    expect(decided(0.1, [block], [block, vip], { vip: rule })).toMatchObject({ winner: 'LIST', rule: null });
    expect(decided(0.1, [block], [block, allow], { allow: rule })).toMatchObject({
      winner: 'LIST',
      rule: null,
    });
  });

  it('does not name a rule that adds the account to another list of the same effect', () => {
    const other = listOf('a banned', 'block');
    expect(decided(0.1, [block], [block, other], { 'a banned': rule })).toMatchObject({
      winner: 'LIST',
      list: block,
      rule: null,
    });
  });

  it('names the rule that made the account a main account when its threshold changes the decision', () => {
    const main = listOf('main_account', 'none');
    expect(decided(0, [], [main], { main_account: rule }, 0.6)).toMatchObject({
      decision: 'Real',
      winner: 'RULE',
      rule,
    });
    expect(decided(0.1, [], [main], { main_account: rule }, 0.2)).toMatchObject({
      winner: 'SCORE',
      rule: null,
    });
  });
});

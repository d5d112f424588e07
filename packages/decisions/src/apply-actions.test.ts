import { describe, expect, it } from 'vitest';
import { applyActions, shownOutcomes } from './apply-actions.ts';
import type { Rule, RuleAction } from './rule.ts';

const list = (name: string) => ({ name });
const known = new Map(['block', 'allow', 'main_account', 'vip', 'watch'].map((name) => [name, list(name)]));

function rule(name: string, ...actions: RuleAction[]): Rule {
  return {
    ruleId: `id of ${name}`,
    version: 1,
    name,
    description: '',
    trigger: 'ANY_SESSION',
    state: 'enabled',
    paused: false,
    position: 1,
    expression: { field: 'session.bot', op: 'gt', value: 0 },
    actions,
  };
}

function act(lists: string[], ...rules: Rule[]) {
  const applied = applyActions(rules, lists.map(list), known);
  return {
    lists: applied.lists.map(({ name }) => name),
    outcomes: applied.matched.flatMap(({ outcomes }) => outcomes.map(({ outcome }) => outcome)),
    by: Object.fromEntries([...applied.ruleOfList].map(([name, { name: ruleName }]) => [name, ruleName])),
    flags: applied.flags,
  };
}

describe('the actions of rules', () => {
  it('add an account to a list and remove it from one, and name the rule', () => {
    expect(act(['vip'], rule('one', { addToList: 'watch' }, { removeFromList: 'vip' }))).toEqual({
      lists: ['watch'],
      outcomes: ['DONE', 'DONE'],
      by: { watch: 'one', vip: 'one' },
      flags: [],
    });
  });

  it('do nothing when nothing changes, and when the list no longer exists', () => {
    const tried = rule('one', { addToList: 'vip' }, { removeFromList: 'watch' }, { addToList: 'gone' });
    expect(act(['vip'], tried)).toEqual({
      lists: ['vip'],
      outcomes: ['NOTHING_TO_DO', 'NOTHING_TO_DO', 'NO_SUCH_LIST'],
      by: {},
      flags: [],
    });
  });

  const moves: [from: string, to: string, isDone: boolean][] = [
    ['block', 'main_account', true],
    ['block', 'allow', true],
    ['main_account', 'allow', true],
    ['main_account', 'block', false],
    ['allow', 'block', false],
    ['allow', 'main_account', false],
  ];
  it.each(moves)('move an account from %s to %s: %s', (from, to, isDone) => {
    expect(act([from, 'vip'], rule('one', { addToList: to }))).toMatchObject({
      lists: isDone ? ['vip', to] : [from, 'vip'],
      outcomes: [isDone ? 'DONE' : 'KEPT'],
      by: isDone ? { [from]: 'one', [to]: 'one' } : {},
    });
  });

  it('remove no account from allow', () => {
    expect(act(['allow'], rule('one', { removeFromList: 'allow' }))).toMatchObject({
      lists: ['allow'],
      outcomes: ['KEPT'],
    });
  });

  it('are applied in the order of the rules, and the last rule is named', () => {
    const applied = act([], rule('one', { addToList: 'block' }), rule('two', { addToList: 'allow' }));
    expect(applied).toMatchObject({ lists: ['allow'], by: { allow: 'two' } });
    expect(act([], rule('two', { addToList: 'allow' }), rule('one', { addToList: 'block' }))).toMatchObject({
      lists: ['allow'],
      outcomes: ['DONE', 'KEPT'],
    });
  });

  it('do not change the account and name no rule when they cancel each other', () => {
    const applied = act(['vip'], rule('one', { removeFromList: 'vip' }), rule('two', { addToList: 'vip' }));
    expect(applied).toEqual({ lists: ['vip'], outcomes: ['DONE', 'DONE'], by: {}, flags: [] });
  });

  it('do not add an account to a list from which an operator removed it', () => {
    const limits = { keptOff: new Set(['watch', 'allow']) };
    const tried = rule('one', { addToList: 'watch' }, { addToList: 'allow' }, { addToList: 'vip' });
    const { lists, matched } = applyActions([tried], [list('block')], known, limits);
    expect(lists.map(({ name }) => name)).toEqual(['block', 'vip']);
    expect(matched[0]!.outcomes.map(({ outcome }) => outcome)).toEqual(['KEPT_OFF', 'KEPT_OFF', 'DONE']);
  });

  it('of a rule that already acted only raise its flags', () => {
    const repeated = rule('one', { addToList: 'block' }, { raiseFlag: 'odd' }, { removeFromList: 'vip' });
    const limits = { acted: new Set([repeated.ruleId]) };
    const applied = applyActions(
      [repeated, rule('two', { addToList: 'watch' })],
      [list('vip')],
      known,
      limits,
    );
    expect(applied.lists.map(({ name }) => name)).toEqual(['vip', 'watch']);
    expect(applied.flags).toEqual(['odd']);
    expect(applied.matched.map(({ isRepeat, outcomes }) => [isRepeat, outcomes.length])).toEqual([
      [true, 0],
      [false, 1],
    ]);
    expect([...applied.ruleOfList.keys()]).toEqual(['watch']);
  });

  it('raise a flag once', () => {
    const both = [rule('one', { raiseFlag: 'odd' }), rule('two', { raiseFlag: 'odd' }, { emitEvent: 'odd' })];
    expect(act([], ...both)).toMatchObject({ flags: ['odd'], outcomes: ['DONE', 'DONE', 'DONE'] });
  });
});

it('a rule in shadow reports the actions of an enabled one', () => {
  const outcomes = [
    { addToList: 'block', outcome: 'DONE' },
    { addToList: 'vip', outcome: 'KEPT_OFF' },
  ] as const;
  expect(shownOutcomes(outcomes, false)).toEqual(outcomes);
  expect(shownOutcomes(outcomes, true).map(({ outcome }) => outcome)).toEqual(['WOULD_DO', 'KEPT_OFF']);
});

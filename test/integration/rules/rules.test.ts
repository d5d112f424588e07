import { readFile } from 'node:fs/promises';
import { newId } from '@vouchgraph/platform/ids';
import { parse, validate } from 'graphql';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRuleSet, readRuleSetAt } from '../../../src/domain/rules/rule-store.ts';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

const RULE = `id ruleId name description trigger ruleState paused position version expression expressionJson builtIn createdAt updatedAt
  actions { addToList removeFromList raiseFlag emitEvent }`;
const CREATE = `mutation ($input: CreateRuleInput!) { createRule(input: $input) { requestId rule { ${RULE} } } }`;
const UPDATE = `mutation ($input: UpdateRuleInput!) { updateRule(input: $input) { requestId rule { ${RULE} } } }`;
const ADD = `mutation ($input: AddBuiltInRuleInput!) { addBuiltInRule(input: $input) { rule { ${RULE} } } }`;

let gateway: Gateway;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

// biome-ignore lint/suspicious/noExplicitAny: rows are as wide as their statement
const sql = async (text: string, values: unknown[]): Promise<any[]> =>
  (await system.query(text, values)).rows;

type Input = Record<string, unknown>;

const input = (changes: Input = {}): Input => ({
  name: unique('rule'),
  trigger: 'ANY_SESSION',
  expression: 'account.account_score >= 0.7',
  ...changes,
});

async function create(project: TestProject, changes: Input = {}) {
  return (await project.graphql(CREATE, { input: input(changes) })).createRule.rule;
}

async function update(project: TestProject, id: string, changes: Input) {
  return (await project.graphql(UPDATE, { input: { id, ...changes } })).updateRule.rule;
}

/** The error of a rejected request. */
async function refusal(project: TestProject, query: string, variables: Input) {
  const { body } = await project.rawGraphql(query, variables);
  expect(body.errors, JSON.stringify(body)).toHaveLength(1);
  const { message, extensions } = body.errors[0];
  return { message, ...extensions };
}

const auditOf = (project: TestProject, ruleId: string) =>
  sql(
    'select action, actor, request_id, before, after from audit_log where project_id = $1 and target = $2 order by audit_id',
    [project.projectId, `rule:${ruleId}`],
  );

const setVersion = async (project: TestProject): Promise<number> => {
  const rows = await sql('select rules_version from projects where project_id = $1', [project.projectId]);
  return rows[0].rules_version;
};

const namesInOrder = async (project: TestProject, states?: string[]): Promise<string[]> => {
  const { rules } = await project.graphql(
    'query ($states: [RuleState!]) { rules(first: 100, states: $states) { edges { node { name } } } }',
    {
      states,
    },
  );
  return rules.edges.map(({ node }: { node: Input }) => node.name);
};

describe('a rule', () => {
  it('is created, shown, listed and recorded in the audit log', async () => {
    const project = await gateway.project();
    const { createRule } = await project.graphql(CREATE, {
      input: input({
        name: 'Young and hidden',
        description: 'What it is for',
        trigger: 'FIRST_SESSION',
        expression:
          'session.risk_signals.vpn and (account.account_score>=0.50 or lists matches list "allow")',
        actions: [{ addToList: 'block' }, { raiseFlag: 'hidden_1' }],
      }),
    });
    const { rule } = createRule;
    expect(rule).toMatchObject({
      name: 'Young and hidden',
      description: 'What it is for',
      trigger: 'FIRST_SESSION',
      ruleState: 'DRAFT',
      paused: false,
      position: 1,
      version: 1,
      builtIn: null,
      actions: [
        { addToList: 'block', removeFromList: null, raiseFlag: null, emitEvent: null },
        { addToList: null, removeFromList: null, raiseFlag: 'hidden_1', emitEvent: null },
      ],
    });
    expect(rule.expression).toBe(
      'session.risk_signals.vpn = true AND (account.account_score >= 0.5 OR lists MATCHES LIST "allow")',
    );
    expect(rule.expressionJson.and).toHaveLength(2);
    const shown = await project.graphql(
      `query ($id: ID!) { rule(id: $id) { ${RULE} } rules { edges { node { id } } } }`,
      {
        id: rule.id,
      },
    );
    expect(shown).toEqual({ rule, rules: { edges: [{ node: { id: rule.id } }] } });
    expect(await auditOf(project, rule.ruleId)).toEqual([
      {
        action: 'rule.create',
        actor: expect.stringMatching(/^vg/),
        request_id: createRule.requestId,
        before: null,
        after: {
          name: 'Young and hidden',
          description: 'What it is for',
          trigger: 'FIRST_SESSION',
          state: 'draft',
          paused: false,
          position: 1,
          expression: rule.expression,
          actions: [{ addToList: 'block' }, { raiseFlag: 'hidden_1' }],
        },
      },
    ]);
  });

  it('keeps all of its versions, with their authors', async () => {
    const project = await gateway.project();
    const rule = await create(project, { name: 'first name' });
    await update(project, rule.id, { name: 'second name', expression: 'session.bot > 0.5' });
    const last = await update(project, rule.id, {
      state: 'ENABLED',
      paused: true,
      actions: [{ emitEvent: 'seen' }],
    });
    expect(last).toMatchObject({ version: 3, ruleState: 'ENABLED', paused: true, name: 'second name' });
    const VERSIONS = `query ($id: ID!, $first: Int, $after: String) { rule(id: $id) { versions(first: $first, after: $after) {
      totalCount { value isExact } edges { cursor node { id ruleId
        version setVersion at actor name description trigger ruleState paused position expression actions { emitEvent } } } } } }`;
    const shown = (await project.graphql(VERSIONS, { id: rule.id })).rule.versions;
    expect(shown.totalCount).toEqual({ value: 3, isExact: true });
    const versions = shown.edges.map(({ node }: { node: Input }) => node);
    expect(versions.map((v: Input) => [v.version, v.setVersion, v.name, v.ruleState, v.expression])).toEqual([
      [3, 3, 'second name', 'ENABLED', 'session.bot > 0.5'],
      [2, 2, 'second name', 'DRAFT', 'session.bot > 0.5'],
      [1, 1, 'first name', 'DRAFT', 'account.account_score >= 0.7'],
    ]);
    expect(versions[0].actions).toEqual([{ emitEvent: 'seen' }]);
    const page = await project.graphql(VERSIONS, { id: rule.id, first: 1, after: shown.edges[0].cursor });
    expect(page.rule.versions.edges).toEqual([shown.edges[1]]);
    const [, second, third] = await auditOf(project, rule.ruleId);
    expect(second).toMatchObject({
      action: 'rule.update',
      before: { name: 'first name', expression: 'account.account_score >= 0.7' },
      after: { name: 'second name', expression: 'session.bot > 0.5' },
    });
    expect(third).toMatchObject({
      before: { state: 'draft', paused: false, actions: [] },
      after: { state: 'enabled', paused: true, actions: [{ emitEvent: 'seen' }] },
    });
  });

  it('is not written again without a change', async () => {
    const project = await gateway.project();
    const rule = await create(project, { actions: [{ addToList: 'block' }] });
    const same = await update(project, rule.id, {
      name: rule.name,
      expression: '(account.account_score  >= 0.70)',
      actions: [{ addToList: 'block' }],
      state: 'DRAFT',
      position: 1,
      description: null,
    });
    expect(same).toEqual(rule);
    expect(await setVersion(project)).toBe(1);
    expect(await auditOf(project, rule.ruleId)).toHaveLength(1);
  });

  it('can be enabled without actions: it only records', async () => {
    const project = await gateway.project();
    expect(await create(project, { state: 'ENABLED' })).toMatchObject({ ruleState: 'ENABLED', actions: [] });
  });

  it('is changed only with its current version', async () => {
    const project = await gateway.project();
    const rule = await create(project);
    await update(project, rule.id, { expectedVersion: 1, description: 'changed' });
    const refused = await refusal(project, UPDATE, {
      input: { id: rule.id, expectedVersion: 1, description: 'too late' },
    });
    expect(refused).toMatchObject({ code: 'rule.version_conflict', status: 409 });
    const shown = await project.graphql('query ($id: ID!) { rule(id: $id) { version description } }', {
      id: rule.id,
    });
    expect(shown.rule).toEqual({ version: 2, description: 'changed' });
  });

  it('accepts one of two changes of the same version', async () => {
    const project = await gateway.project();
    const rule = await create(project);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        project.rawGraphql(UPDATE, {
          input: { id: rule.id, expectedVersion: 1, description: `change ${index}` },
        }),
      ),
    );
    const codes = answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'changed').sort();
    expect(codes).toEqual(['changed', ...Array(7).fill('rule.version_conflict')]);
    expect(await auditOf(project, rule.ruleId)).toHaveLength(2);
  });
});

describe('archiving', () => {
  it('removes a rule from the list permanently, and releases its name', async () => {
    const project = await gateway.project();
    const rule = await create(project, { name: 'once' });
    expect(await update(project, rule.id, { state: 'ARCHIVED' })).toMatchObject({
      ruleState: 'ARCHIVED',
      version: 2,
    });
    expect(await namesInOrder(project)).toEqual([]);
    expect(await namesInOrder(project, ['ARCHIVED', 'DRAFT'])).toEqual(['once']);
    expect(await refusal(project, UPDATE, { input: { id: rule.id, state: 'ENABLED' } })).toMatchObject({
      code: 'rule.archived',
      status: 409,
    });
    const next = await create(project, { name: 'once' });
    expect(next.id).not.toBe(rule.id);
    const shown = await project.graphql('query ($id: ID!) { rule(id: $id) { ruleState } }', { id: rule.id });
    expect(shown.rule.ruleState).toBe('ARCHIVED');
  });
});

describe('the history of a rule', () => {
  it('cannot be rewritten by the gateway', async () => {
    const project = await gateway.project();
    await create(project);
    const app = await connectAs(gateway.database, 'vouchgraph_app');
    try {
      await app.query(`select set_config('app.project', $1, false)`, [project.projectId]);
      expect((await app.query('select version from rule_versions')).rows).toEqual([{ version: 1 }]);
      for (const statement of [`update rule_versions set name = 'x'`, 'delete from rule_versions'])
        await expect(app.query(statement)).rejects.toThrow(/permission denied/);
    } finally {
      await app.end();
    }
  });
});

describe('the order of rules', () => {
  it('appends a new one, and moves conflicting ones up to the first gap', async () => {
    const project = await gateway.project();
    const rules = [];
    for (const name of ['a', 'b', 'c', 'd']) rules.push(await create(project, { name, state: 'ENABLED' }));
    const before = await setVersion(project);
    expect(await namesInOrder(project)).toEqual(['a', 'b', 'c', 'd']);
    await update(project, rules[3].id, { position: 2 });
    expect(await namesInOrder(project)).toEqual(['a', 'd', 'b', 'c']);
    expect(await setVersion(project)).toBe(before + 1);
    const { rules: shown } = await project.graphql(
      '{ rules { edges { node { name position version versions { edges { node { version setVersion position } } } } } } }',
    );
    const inOrder = shown.edges.map(({ node }: { node: Input }) => node);
    expect(inOrder.map((rule: Input) => [rule.name, rule.position, rule.version])).toEqual([
      ['a', 1, 1],
      ['d', 2, 2],
      ['b', 3, 2],
      ['c', 4, 2],
    ]);
    expect(inOrder[2].versions.edges[0].node).toEqual({ version: 2, setVersion: before + 1, position: 3 });
    // d left the position after c, so that it is free.
    await update(project, rules[0].id, { position: 5 });
    expect(await namesInOrder(project)).toEqual(['d', 'b', 'c', 'a']);
  });

  it('can be reconstructed for every version', async () => {
    const project = await gateway.project();
    const database = gateway.app.database.forProject(project.projectId);
    const read = () => readRuleSet(project.projectId, (...call) => database.query(...call));
    const seen = [await read()];
    const note = async () => seen.push(await read());
    const first = await create(project, { name: 'first', state: 'ENABLED' });
    await note();
    const second = await create(project, {
      name: 'second',
      state: 'SHADOW',
      actions: [{ addToList: 'block' }],
    });
    await note();
    await create(project, { name: 'a draft' });
    await note();
    await update(project, second.id, { position: 1 });
    await note();
    await update(project, first.id, { paused: true });
    await note();
    await update(project, first.id, { paused: false, expression: 'lists MATCHES LIST "block"' });
    await note();
    await update(project, second.id, { state: 'ARCHIVED' });
    await note();
    expect(seen.map(({ version }) => version)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(seen.map(({ rules }) => rules.map(({ name }) => name))).toEqual([
      [],
      ['first'],
      ['first', 'second'],
      ['first', 'second'],
      ['second', 'first'],
      ['second'],
      ['second', 'first'],
      ['first'],
    ]);
    for (const set of seen) expect(await readRuleSetAt(database, set.version)).toEqual(set);
  });
});

describe('concurrent requests', () => {
  it('assign versions and positions to 20 new rules', async () => {
    const project = await gateway.project();
    await Promise.all(Array.from({ length: 20 }, () => create(project)));
    const { rules } = await project.graphql(
      '{ rules { edges { node { position versions { edges { node { setVersion } } } } } } }',
    );
    const upTo20 = Array.from({ length: 20 }, (_, index) => index + 1);
    const shown = rules.edges.map(({ node }: Body) => node);
    expect(shown.map((rule: Body) => rule.position)).toEqual(upTo20);
    const versions = shown.map((rule: Body) => rule.versions.edges[0].node.setVersion);
    expect(versions.sort((a: number, b: number) => a - b)).toEqual(upTo20);
    expect(await setVersion(project)).toBe(20);
  });

  it('assign a name to one of them', async () => {
    const project = await gateway.project();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => project.rawGraphql(CREATE, { input: input({ name: 'mine' }) })),
    );
    const codes = answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'created').sort();
    expect(codes).toEqual(['created', ...Array(9).fill('rule.name_taken')]);
    expect(await namesInOrder(project)).toEqual(['mine']);
  });

  it('never leave a rule with a list that was deleted meanwhile', async () => {
    const project = await gateway.project();
    const CREATE_LIST = 'mutation ($name: String!) { createList(input: { name: $name }) { requestId } }';
    const DELETE_LIST = 'mutation ($name: String!) { deleteList(input: { name: $name }) { requestId } }';
    for (let round = 0; round < 12; round += 1) {
      const name = unique('list');
      await project.graphql(CREATE_LIST, { name });
      const answers = await Promise.all([
        project.rawGraphql(CREATE, { input: input({ actions: [{ addToList: name }] }) }),
        project.rawGraphql(DELETE_LIST, { name }),
      ]);
      const codes = answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'done');
      expect(codes.filter((code) => code === 'done')).toHaveLength(1);
      expect(['list.not_found', 'list.in_use', 'done']).toEqual(expect.arrayContaining(codes));
    }
  });

  it('return 50 rules with versions and counts in a statement each', async () => {
    const project = await gateway.project();
    for (let index = 0; index < 50; index += 1) await create(project);
    gateway.takeStatements();
    await project.graphql(
      `{ rules(first: 100) { edges { node { name versions(first: 2) { edges { node { version } } }
        matchCounts { live shadow since } matches(first: 2) { edges { node { at } } } } } } }`,
    );
    const sent = gateway.takeStatements().filter((name) => /^(rule\.|prisma:)/.test(name));
    expect(sent.toSorted().map((name) => name.split(':')[0])).toEqual([
      ...['prisma', 'prisma', 'rule.list', 'rule.match_counts'],
    ]);
  });
});

describe('the accounts matched by a rule', () => {
  it('are counted and returned in pages, separately for shadow', async () => {
    const project = await gateway.project();
    const rule = await create(project, {
      expression: 'session.bot >= 0',
      state: 'SHADOW',
      actions: [{ addToList: 'block' }],
    });
    await project.authenticate({ id: 'a1' });
    await project.authenticate({ id: 'a2' });
    await update(project, rule.id, { state: 'ENABLED' });
    await project.authenticate({ id: 'a3' });
    const MATCHES = `query ($id: ID!, $shadow: Boolean, $after: String) { rule(id: $id) {
      matchCounts { live shadow }
      matches(first: 2, shadow: $shadow, after: $after) { pageInfo { hasNextPage endCursor } edges { node {
        at shadow version accountId sessionId outcomes { action { addToList } outcome } } } } } }`;
    const { rule: shown } = await project.graphql(MATCHES, { id: rule.id });
    expect(shown.matchCounts).toEqual({ live: 1, shadow: 2 });
    const nodes = shown.matches.edges.map(({ node }: { node: Input }) => node);
    expect(nodes.map((node: Input) => [node.accountId, node.shadow, node.version])).toEqual([
      ['a3', false, 2],
      ['a2', true, 1],
    ]);
    expect(nodes[0].outcomes).toEqual([{ action: { addToList: 'block' }, outcome: 'DONE' }]);
    const { endCursor } = shown.matches.pageInfo;
    const rest = await project.graphql(MATCHES, { id: rule.id, after: endCursor });
    expect(rest.rule.matches.edges.map(({ node }: { node: Input }) => node.accountId)).toEqual(['a1']);
    expect(rest.rule.matches.pageInfo.hasNextPage).toBe(false);
    const live = await project.graphql(MATCHES, { id: rule.id, shadow: false });
    expect(live.rule.matches.edges).toHaveLength(1);
    expect(await refusal(project, MATCHES, { id: rule.id, shadow: true, after: endCursor })).toMatchObject({
      code: 'input.invalid',
    });
  });

  it('is read with the rule in one statement, unless the query selects several pages', async () => {
    const project = await gateway.project();
    const { id } = await create(project, { expression: 'session.bot >= 0', state: 'SHADOW' });
    const other = await create(project);
    for (const accountId of ['a1', 'a2', 'a3']) await project.authenticate({ id: accountId });
    const accountIds = ({ edges }: { edges: { node: Input }[] }) => edges.map(({ node }) => node.accountId);
    const read = async (query: string, variables: Input) => {
      gateway.takeStatements();
      const data = await project.graphql(query, variables);
      return {
        data,
        statements: gateway.takeStatements().filter((name) => name.startsWith('prisma:')).length,
      };
    };
    const page = `pageInfo { endCursor } edges { node { accountId at rule { name } } }`;
    const PAGE = `query ($id: ID!, $after: String) { rule(id: $id) { ruleId name ...Matches } }
      fragment Matches on Rule { found: matches(first: 2, after: $after) { ${page} } }`;
    const first = await read(PAGE, { id });
    expect([accountIds(first.data.rule.found), first.statements]).toEqual([['a3', 'a2'], 1]);
    const after = first.data.rule.found.pageInfo.endCursor;
    const next = await read(PAGE, { id, after });
    expect([accountIds(next.data.rule.found), next.statements]).toEqual([['a1'], 1]);

    const pages = await read(
      `query ($id: ID!) { rule(id: $id) { name a: matches(first: 1) { ${page} } b: matches(last: 1) { ${page} } } }`,
      { id },
    );
    expect([accountIds(pages.data.rule.a), accountIds(pages.data.rule.b)]).toEqual([['a3'], ['a1']]);
    const rules = await read(
      `query ($id: ID!, $other: ID!, $none: ID!) { a: rule(id: $id) { ...R } b: rule(id: $other) { ...R } c: rule(id: $none) { ...R } }
        fragment R on Rule { matches(first: 1, shadow: true) { ${page} } }`,
      { id, other: other.id, none: globalIdOf('Rule', newId()) },
    );
    expect(accountIds(rules.data.a.matches)).toEqual(['a3']);
    expect([rules.data.b.matches.edges, rules.data.c, rules.statements]).toEqual([[], null, 1]);
  });

  it('names the field of an invalid page', async () => {
    const project = await gateway.project();
    const { id } = await create(project);
    const PAGE = 'query ($id: ID!) { rule(id: $id) { name matches(first: -1) { edges { cursor } } } }';
    const { body } = await project.rawGraphql(PAGE, { id });
    expect(body.errors[0]).toMatchObject({
      path: ['rule', 'matches'],
      extensions: { code: 'input.invalid' },
    });
  });
});

describe('a built-in rule', () => {
  it('becomes a disabled rule of the project, and can be edited', async () => {
    const project = await gateway.project();
    const { builtInRules } = await project.graphql(
      '{ builtInRules { key name description trigger expression actions { addToList removeFromList raiseFlag emitEvent } } }',
    );
    expect(builtInRules.length).toBeGreaterThanOrEqual(8);
    for (const builtIn of builtInRules) {
      const { rule } = (await project.graphql(ADD, { input: { key: builtIn.key } })).addBuiltInRule;
      expect(rule).toMatchObject({
        name: builtIn.name,
        description: builtIn.description,
        trigger: builtIn.trigger,
        actions: builtIn.actions,
        builtIn: builtIn.key,
        ruleState: 'DISABLED',
      });
    }
    const [{ key }] = builtInRules;
    expect(await refusal(project, ADD, { input: { key } })).toMatchObject({ code: 'rule.name_taken' });
    const named = await project.graphql(ADD, { input: { key, name: 'my own', state: 'SHADOW' } });
    expect(named.addBuiltInRule.rule).toMatchObject({ name: 'my own', ruleState: 'SHADOW', builtIn: key });
    expect(await refusal(project, ADD, { input: { key: 'nothing' } })).toMatchObject({
      code: 'rule.built_in_not_found',
    });
  });
});

describe('a rejected rule', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await gateway.project();
  });

  const deep = (levels: number): string =>
    levels === 1 ? 'session.bot > 0' : `session.bot > 0 ${levels % 2 ? 'AND' : 'OR'} (${deep(levels - 1)})`;

  it.each([
    ['an unknown field', 'account.scoer > 1', 1, 1, /account\./],
    ['a wrong type', 'session.bot > 0.1 AND\n  session.bot = "high"', 2, 17, /number/],
    ['an operator that the type lacks', 'session.risk_signals.vpn > 1', 1, 26, /./],
    ['a premature end', 'session.bot >', 1, 14, /./],
    ['nine levels', deep(9), 1, expect.any(Number), /deep|level/],
    ['an empty text', '  ', 1, expect.any(Number), /./],
  ])('for %s reports the position of the error', async (_what, expression, line, column, says) => {
    const refused = await refusal(project, CREATE, { input: input({ expression }) });
    expect(refused).toMatchObject({
      code: 'rule.expression_invalid',
      status: 400,
      inputPath: ['input', 'expression'],
      details: { line, column },
    });
    expect(refused.message).toMatch(says);
    expect(refused.message).toContain(`line ${line}, column ${refused.details.column}`);
    expect(refused.message).toMatch(/\n *\^$/);
  });

  it('is one with 10,000 conditions', async () => {
    const expression = Array(10_000).fill('session.bot>0').join(' OR ');
    const { code, message } = await refusal(project, CREATE, { input: input({ expression }) });
    expect(code).toBe('rule.expression_invalid');
    expect(message.length).toBeLessThan(500);
    const many = Array(2000).fill('session.bot>0').join(' OR ');
    expect(await refusal(project, CREATE, { input: input({ expression: many }) })).toMatchObject({
      code: 'rule.expression_invalid',
    });
  });

  it.each([
    ['an empty name', { name: '' }],
    ['a blank name', { name: '  ' }],
    ['a name of 129 characters', { name: 'n'.repeat(129) }],
    ['a line break in the name', { name: 'a\nb' }],
    ['a description of 1,025 characters', { description: 'd'.repeat(1025) }],
    ['21 actions', { actions: Array.from({ length: 21 }, (_, index) => ({ raiseFlag: `f${index}` })) }],
    ['the initial state archived', { state: 'ARCHIVED' }],
    ['a flag with an upper-case letter', { actions: [{ raiseFlag: 'Flag' }] }],
    ['a flag of 65 characters', { actions: [{ raiseFlag: 'f'.repeat(65) }] }],
    ['an empty event', { actions: [{ emitEvent: '' }] }],
    ['the same list added and removed', { actions: [{ addToList: 'block' }, { removeFromList: 'block' }] }],
    ['a duplicate action', { actions: [{ addToList: 'block' }, { addToList: 'block' }] }],
    ['a list name with /', { actions: [{ addToList: 'a/b' }] }],
  ])('is one with %s', async (_what, changes) => {
    const { code, status, inputPath } = await refusal(project, CREATE, { input: input(changes) });
    expect({ code, status, inputPath }).toEqual({
      code: 'input.invalid',
      status: 400,
      inputPath: ['input', Object.keys(changes)[0], ...inputPath.slice(2)],
    });
  });

  it.each([
    ['two actions in one', { actions: [{ addToList: 'block', raiseFlag: 'x' }] }],
    ['an empty action', { actions: [{}] }],
    ['a null action', { actions: [{ addToList: null }] }],
    ['an unknown trigger', { trigger: 'SOMETIMES' }],
    ['a state in lower case', { state: 'draft' }],
  ])('is one that the schema rejects: %s', async (_what, changes) => {
    const { body } = await project.rawGraphql(CREATE, { input: input(changes) });
    expect(body.errors[0].extensions.status).toBe(400);
    expect(body.data?.createRule ?? null).toBeNull();
  });

  it('is one with unknown lists, with their position', async () => {
    expect(
      await refusal(project, CREATE, {
        input: input({ actions: [{ raiseFlag: 'x' }, { removeFromList: 'nowhere' }] }),
      }),
    ).toMatchObject({ code: 'list.not_found', inputPath: ['input', 'actions', 1, 'removeFromList'] });
    expect(
      await refusal(project, CREATE, { input: input({ expression: 'lists MATCHES LIST "nowhere"' }) }),
    ).toMatchObject({ code: 'list.not_found', inputPath: ['input', 'expression'] });
  });

  it('is one with text that cannot be stored', async () => {
    const expression = 'account.group = "\\u0000"';
    expect(await refusal(project, CREATE, { input: input({ expression }) })).toMatchObject({
      code: 'rule.expression_invalid',
    });
  });

  it('is not stored', async () => {
    expect(await namesInOrder(project)).toEqual([]);
    expect(await setVersion(project)).toBe(0);
    const lines = await sql(`select 1 from audit_log where project_id = $1 and action like 'rule.%'`, [
      project.projectId,
    ]);
    expect(lines).toEqual([]);
  });

  it('does not change the existing rule', async () => {
    const other = await gateway.project();
    const rule = await create(other, { name: 'kept' });
    await create(other, { name: 'taken' });
    for (const changes of [
      { name: 'taken' },
      { name: '' },
      { position: 0 },
      { position: 1_000_001 },
      { expression: 'nothing.at_all = 1' },
      { actions: [{ addToList: 'nowhere' }] },
    ]) {
      const refused = await refusal(other, UPDATE, {
        input: { id: rule.id, description: 'changed', ...changes },
      });
      expect(refused.status, JSON.stringify(changes)).toBeLessThan(500);
    }
    const shown = await other.graphql(`query ($id: ID!) { rule(id: $id) { ${RULE} } }`, { id: rule.id });
    expect(shown.rule).toEqual(rule);
    expect(await setVersion(other)).toBe(2);
  });

  it('is the 501st of a project', async () => {
    const full = await gateway.project();
    const rule = await create(full);
    await sql(
      `insert into rules (project_id, rule_id, version, name, trigger, state, position, expression, actions)
       select project_id, gen_random_uuid(), 1, 'rule ' || n, trigger, 'draft', n + 1, expression, actions
       from rules, generate_series(1, 499) n where project_id = $1`,
      [full.projectId],
    );
    expect(await refusal(full, CREATE, { input: input() })).toMatchObject({
      code: 'rule.too_many',
      status: 409,
    });
    await update(full, rule.id, { state: 'ARCHIVED' });
    expect(await create(full)).toMatchObject({ position: 501 });
  });
});

describe('the documentation', () => {
  it('contains operations of the schema', async () => {
    const text = await readFile(new URL('../../../docs/rules.md', import.meta.url), 'utf8');
    const operations = [...text.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(
      ([, operation]) => operation!,
    );
    expect(operations.length).toBeGreaterThanOrEqual(6);
    for (const operation of operations) expect(validate(schema, parse(operation)), operation).toEqual([]);
  });
});

describe('permissions', () => {
  it('to change rules require the role operator', async () => {
    const project = await gateway.project();
    const rule = await create(project);
    for (const role of ['read', 'server'] as const) {
      const { key } = await gateway.app.projects.createKey(project.projectId, role);
      const lesser = project.withKey(key);
      expect(await namesInOrder(lesser)).toEqual([rule.name]);
      for (const [query, variables] of [
        [CREATE, { input: input() }],
        [UPDATE, { input: { id: rule.id, name: 'mine' } }],
        [ADD, { input: { key: 'digital_id' } }],
      ] as const) {
        expect(await refusal(lesser, query, variables)).toMatchObject({
          code: 'auth.forbidden',
          status: 403,
        });
      }
    }
    expect(await namesInOrder(project)).toEqual([rule.name]);
  });

  it('to read rules exclude a token limited to one account', async () => {
    const project = await gateway.project();
    const rule = await create(project);
    const { createBrowserToken } = await project.graphql(
      'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "a" }) { token } }',
    );
    const headers = { authorization: `Bearer ${createBrowserToken.token}`, 'x-api-key': '' };
    for (const query of ['{ rules { edges { node { id } } } }', `{ rule(id: "${rule.id}") { id } }`]) {
      const answer = await fetch(`${gateway.baseUrl}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: headers.authorization },
        body: JSON.stringify({ query }),
      });
      const body = (await answer.json()) as { errors: { extensions: { code: string } }[] };
      expect(body.errors[0]!.extensions.code).toBe('auth.forbidden');
    }
  });

  it('to read and change rules exclude other projects', async () => {
    const [project, other] = await Promise.all([gateway.project(), gateway.project()]);
    const rule = await create(project);
    expect(
      await other.graphql('query ($id: ID!) { rule(id: $id) { id } rules { edges { node { id } } } }', {
        id: rule.id,
      }),
    ).toEqual({
      rule: null,
      rules: { edges: [] },
    });
    expect(await refusal(other, UPDATE, { input: { id: rule.id, name: 'mine' } })).toMatchObject({
      code: 'rule.not_found',
      status: 404,
    });
    expect(await refusal(other, UPDATE, { input: { id: 'no id', name: 'mine' } })).toMatchObject({
      code: 'rule.not_found',
    });
    await project.authenticate({ id: 'a', lists: ['theirs'] });
    for (const changes of [
      { expression: 'lists MATCHES LIST "theirs"' },
      { actions: [{ addToList: 'theirs' }] },
    ]) {
      expect(await refusal(other, CREATE, { input: input(changes) })).toMatchObject({
        code: 'list.not_found',
      });
      await create(project, changes);
    }
    expect(await setVersion(other)).toBe(0);
  });
});

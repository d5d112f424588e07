import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let project: TestProject;
let system: pg.Client;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

/** A project with other settings, stored before its first request. */
async function projectWith(settings: Record<string, unknown>): Promise<TestProject> {
  const chosen = await gateway.project();
  await system.query('update projects set settings = $2 where project_id = $1', [chosen.projectId, settings]);
  return chosen;
}

/** The response to the last of `count` accounts of one phone: each account increases its account_score. */
async function ring(client: TestProject, size: number): Promise<Body> {
  const group = unique('ring');
  let answer: Body;
  for (let index = 0; index < size; index += 1) {
    answer = await client.authenticate({ id: `${group}-${index}`, phone: '+14155552671', group });
  }
  return answer;
}

const BOT = { browser: { user_agent: 'curl/8.5.0' } };

async function decisionByGraphQL(client: TestProject, id: string): Promise<string> {
  return (await client.graphql('query ($id: ID!) { account(accountId: $id) { decision } }', { id })).account
    .decision;
}

describe('the decision by score', () => {
  it('is Real below the first threshold, and Fake from the second', async () => {
    expect(await ring(project, 2)).toMatchObject({ account_score: 0.36, decision: 'Real' });
    const bot = await project.authenticate({ id: unique('bot') }, BOT);
    expect(bot.account_score).toBeGreaterThanOrEqual(0.7);
    expect(bot.decision).toBe('Fake');
    expect(await decisionByGraphQL(project, bot.account_id)).toBe('FAKE');
  });

  it('between them is Suspicious, which REST returns as Real unless the project enables three values', async () => {
    const folded = await ring(project, 3);
    expect(folded).toMatchObject({ account_score: 0.504, decision: 'Real' });
    expect(await decisionByGraphQL(project, folded.account_id)).toBe('SUSPICIOUS');

    const threeValued = await projectWith({ twoValuedDecision: false });
    const { account_id, decision } = await ring(threeValued, 3);
    expect(decision).toBe('Suspicious');
    expect((await threeValued.rest('GET', `/account/${account_id}`)).body.decision).toBe('Suspicious');
    expect((await threeValued.rest('PUT', `/account/${account_id}`, {})).body.decision).toBe('Suspicious');
  });

  it('uses the thresholds of the project', async () => {
    const strict = await projectWith({ suspiciousFrom: 0.3, fakeFrom: 0.5, twoValuedDecision: false });
    expect(await ring(strict, 1)).toMatchObject({ account_score: 0, decision: 'Real' });
    expect(await ring(strict, 2)).toMatchObject({ account_score: 0.36, decision: 'Suspicious' });
    expect(await ring(strict, 3)).toMatchObject({ account_score: 0.504, decision: 'Fake' });
  });
});

describe('the lists of an authenticate', () => {
  const names = async () =>
    (await project.graphql('{ lists { edges { node { name } } } }')).lists.edges.map(
      ({ node }: Body) => node.name,
    );

  it('add the account, are created if missing, and remove no account', async () => {
    const [id, one, two] = [unique('id'), unique('list'), unique('list')];
    expect(await names()).not.toContain(one);
    expect((await project.authenticate({ id, lists: [one, one] })).lists).toEqual([one]);
    expect(await names()).toContain(one);
    expect((await project.authenticate({ id, lists: [two] })).lists).toEqual([one, two].sort());
    expect((await project.authenticate({ id, lists: [] })).lists).toEqual([one, two].sort());
    expect((await project.authenticate({ id: unique('other'), lists: [one] })).lists).toEqual([one]);
    expect((await project.rest('GET', `/account/${id}`)).body.lists).toEqual([one, two].sort());
    expect((await names()).filter((name: string) => name === one)).toEqual([one]);
  });

  it('determine the decision in the same response: block is Fake and allow is Real, with an unchanged score', async () => {
    const blocked = await project.authenticate({ id: unique('good'), lists: ['block'] });
    expect(blocked).toMatchObject({ decision: 'Fake', account_score: 0 });
    const bot = await project.authenticate({ id: unique('bot') }, BOT);
    const allowed = await project.authenticate({ id: unique('bot'), lists: ['allow'] }, BOT);
    expect(allowed).toMatchObject({ decision: 'Real', account_score: bot.account_score });
  });

  it('apply to later responses too', async () => {
    const id = unique('blocked');
    await project.authenticate({ id, lists: ['block'] });
    expect((await project.authenticate({ id })).decision).toBe('Fake');
    expect((await project.rest('GET', `/account/${id}`)).body.decision).toBe('Fake');
    expect((await project.rest('PUT', `/account/${id}`, {})).body.decision).toBe('Fake');
  });

  it('remove an account from the other standard lists only', async () => {
    const [id, own] = [unique('moving'), unique('list')];
    await project.authenticate({ id, lists: ['block', own] });
    expect(await project.authenticate({ id, lists: ['allow'] })).toMatchObject({
      lists: ['allow', own],
      decision: 'Real',
    });
    expect((await project.authenticate({ id, lists: ['main_account'] })).lists).toEqual([
      own,
      'main_account',
    ]);
    expect((await project.authenticate({ id, lists: ['block'] })).lists).toEqual(['block', own]);
    expect((await project.rest('GET', `/account/${id}`)).body).toMatchObject({
      lists: ['block', own],
      decision: 'Fake',
    });
  });

  it('have the decision Fake when a block and an allow list both apply', async () => {
    const partners = unique('partners');
    await project.authenticate({ id: unique('first'), lists: [partners] });
    await system.query(`update lists set effect = 'allow' where project_id = $1 and name = $2`, [
      project.projectId,
      partners,
    ]);
    const bot = await project.authenticate({ id: unique('bot'), lists: [partners] }, BOT);
    expect(bot.decision).toBe('Real');
    const both = await project.authenticate({ id: unique('both'), lists: [partners, 'block'] });
    expect(both.decision).toBe('Fake');
  });

  it('are created once when concurrent requests name a new list', async () => {
    const name = unique('new');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => project.authenticate({ id: unique('member'), lists: [name] })),
    );
    expect(answers.map(({ lists }) => lists)).toEqual(Array(8).fill([name]));
    const { accounts } = await project.graphql(
      'query ($name: String) { accounts(filter: { list: $name }) { edges { node { lists { name } } } } }',
      { name },
    );
    expect(accounts.edges).toHaveLength(8);
    expect((await names()).filter((other: string) => other === name)).toEqual([name]);
  });
});

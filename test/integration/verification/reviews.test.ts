import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { costOf, tripsOf } from '../../support/trips.ts';
import { playedVerification, verificationLink, verifyFace, verifyId } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
const clock = new TestClock();
beforeAll(async () => {
  gateway = await startGateway({ clock, worksInBackground: false });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
});

type Verb = 'approveVerification' | 'rejectVerification' | 'clearVerificationReview';
const mutationOf = (verb: Verb) => {
  const type = `${verb[0]!.toUpperCase()}${verb.slice(1)}Input`;
  return `mutation ($input: ${type}!) { ${verb}(input: $input) { verification {
    sessionId decision rawDecision riskScore review { id position reviewDecision reason actor at } } } }`;
};
const idOf = (sessionId: string) => globalIdOf('Verification', sessionId);
const call = async (verb: Verb, sessionId: string, reason?: string): Promise<Body> =>
  (await project.graphql(mutationOf(verb), { input: { id: idOf(sessionId), reason } }))[verb].verification;
const refused = async (verb: Verb, input: Body, by = project): Promise<string> =>
  (await by.rawGraphql(mutationOf(verb), { input })).body.errors[0].extensions.code;
const history = async (sessionId: string, by = project): Promise<Body[]> => {
  const { verification } = await by.graphql(
    `query ($id: ID!) { verification(sessionId: $id) { reviews { totalCount { value } edges { node {
      id position reviewDecision reason actor at } } } } }`,
    { id: sessionId },
  );
  const nodes = verification.reviews.edges.map(({ node }: Body) => node);
  expect(verification.reviews.totalCount.value).toBe(nodes.length);
  return nodes;
};
const decided = async (sessionId: string) => {
  const { decision, risk_score } = (await verifyFace(project, sessionId)).body;
  return [decision, risk_score];
};
const audited = async () => {
  const client = await connectAs(gateway.database, 'vouchgraph_system');
  const { rows } = await client.query(
    `select target, before, after from audit_log where project_id = $1 and action = 'verification.review' order by audit_id`,
    [project.projectId],
  );
  await client.end();
  return rows;
};
const played = (query: Record<string, string> = {}) =>
  playedVerification(gateway, project, { simulate: 'success', simulate_decision: 'Suspicious', ...query });

describe('a review', () => {
  it('replaces the decision, and keeps the score and the automatic decision', async () => {
    const session = await played();
    expect(await decided(session)).toEqual(['Suspicious', 0.5]);
    const approved = await call('approveVerification', session, 'called the person');
    expect(approved).toEqual({
      sessionId: session,
      decision: 'REAL',
      rawDecision: 'SUSPICIOUS',
      riskScore: 0.5,
      review: {
        id: globalIdOf('VerificationReview', `${session}:1`),
        position: 1,
        reviewDecision: 'APPROVED',
        reason: 'called the person',
        actor: expect.stringMatching(/^vg_test_/),
        at: clock.now().toISOString(),
      },
    });
    expect(await decided(session)).toEqual(['Real', 0.5]);
    expect(await audited()).toEqual([
      { target: `verification:${session}`, before: null, after: { decision: 'approved' } },
    ]);
    const { node } = await project.graphql(
      'query ($id: ID!) { node(id: $id) { ... on VerificationReview { reason } } }',
      {
        id: approved.review.id,
      },
    );
    expect(node).toEqual({ reason: 'called the person' });
  });

  it('is added by a changed decision, unchanged by a repetition, and can be withdrawn', async () => {
    const session = await played();
    await call('approveVerification', session, 'fine');
    await call('approveVerification', session, 'fine');
    expect(await history(session)).toHaveLength(1);
    expect((await call('rejectVerification', session, 'is a copy')).decision).toBe('FAKE');
    expect((await call('rejectVerification', session, 'is a copy of a copy')).review.position).toBe(3);
    const cleared = await call('clearVerificationReview', session, 'wrong session');
    expect([cleared.decision, cleared.review]).toEqual(['SUSPICIOUS', null]);
    await call('clearVerificationReview', session);
    expect((await history(session)).map(({ reviewDecision, reason }) => [reviewDecision, reason])).toEqual([
      ['CLEARED', 'wrong session'],
      ['REJECTED', 'is a copy of a copy'],
      ['REJECTED', 'is a copy'],
      ['APPROVED', 'fine'],
    ]);
    expect(await audited()).toHaveLength(4);
    expect(await decided(session)).toEqual(['Suspicious', 0.5]);
    expect((await call('approveVerification', session, 'fine')).review.position).toBe(5);
  });

  it('has lower precedence than a block list, and higher precedence than an allow list', async () => {
    const account = unique('listed');
    const session = await played({ id: 'true', account_id: account });
    const answer = async () => (await verifyId(project, session)).body.decision;
    const put = (list: string) => project.rest('POST', `/list/${list}/account/${account}`);
    await put('block');
    expect((await call('approveVerification', session, 'fine')).decision).toBe('FAKE');
    expect(await answer()).toBe('Fake');
    await put('allow');
    expect(await answer()).toBe('Real');
    expect((await call('rejectVerification', session, 'not fine')).decision).toBe('FAKE');
    expect(await answer()).toBe('Fake');
    await call('clearVerificationReview', session);
    expect(await answer()).toBe('Real');
  });

  it('adds no statement to reads of a verification', async () => {
    const session = await played();
    const read = async () => costOf(await tripsOf(gateway, () => verifyFace(project, session)));
    const before = await read();
    await call('approveVerification', session, 'fine');
    expect(await read()).toEqual(before);
  });

  it('is read with those of other verifications after them, and by its id, in one statement each', async () => {
    const sessions = [await played(), await played(), await played()];
    for (const session of sessions) await call('approveVerification', session, `fine ${session}`);
    const read = async (ids: readonly string[], fields: string) => {
      gateway.takeStatements();
      const { nodes } = await project.graphql(`query ($ids: [ID!]!) { nodes(ids: $ids) { ${fields} } }`, {
        ids,
      });
      const sent = gateway.takeStatements().filter((name) => name.startsWith('prisma:'));
      return { nodes: nodes as Body[], sent };
    };
    const all = await read(
      sessions.map(idOf),
      '... on Verification { reviews { edges { node { id reason } } } }',
    );
    expect(all.sent).toEqual(['prisma:SELECT', 'prisma:SELECT']);
    const reviews = all.nodes.flatMap(({ reviews: { edges } }) => edges.map(({ node }: Body) => node));
    expect(reviews.map(({ reason }) => reason)).toEqual(sessions.map((session) => `fine ${session}`));
    const ids = reviews.map(({ id }) => id);
    const each = await read(ids, '... on VerificationReview { id reason }');
    expect(each.nodes).toEqual(reviews);
    expect(each.sent).toEqual(['prisma:SELECT']);
  });

  it('of two concurrent reviewers is in the history beside the other, in one order', async () => {
    const session = await played();
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        call(index % 2 === 0 ? 'approveVerification' : 'rejectVerification', session, `reviewer ${index}`),
      ),
    );
    const reviews = await history(session);
    expect(reviews.map(({ position }) => position)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(new Set(reviews.map(({ reason }) => reason)).size).toBe(12);
    expect(await decided(session)).toEqual([reviews[0].reviewDecision === 'APPROVED' ? 'Real' : 'Fake', 0.5]);
  });

  it('of two concurrent reviewers has one order in history, audit log and events', async () => {
    const session = await played();
    clock.advance(1000);
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        call(index % 2 === 0 ? 'approveVerification' : 'rejectVerification', session, `reviewer ${index}`),
      ),
    );
    const reviews = (await history(session)).reverse();
    const decisions = reviews.map(({ reviewDecision }) => reviewDecision.toLowerCase());
    const times = reviews.map(({ at }) => at);
    expect(times).toEqual([...new Set(times)].sort());
    expect(times[0]).toBe(clock.now().toISOString());
    expect((await audited()).map(({ before, after }) => [before?.decision ?? null, after.decision])).toEqual(
      decisions.map((decision, index) => [decisions[index - 1] ?? null, decision]),
    );
    await gateway.app.settleEvents();
    const { events } =
      await project.graphql(`{ events(first: 100, types: [VERIFICATION_REVIEWED]) { edges { node {
      ... on VerificationReviewedEvent { position reason createdAt } } } } }`);
    expect(events.edges.map(({ node }: Body) => node)).toEqual(
      reviews.map(({ position, reason, at }) => ({ position, reason, createdAt: at })),
    );
  });

  it('that replaces none is refused with decision, author and time of the one that applies', async () => {
    const session = await played();
    const change = (verb: Verb, reason: string, replace?: boolean) =>
      project.rawGraphql(mutationOf(verb), { input: { id: idOf(session), reason, replace } });
    const answers = await Promise.all([
      change('approveVerification', 'fine', false),
      change('rejectVerification', 'a copy', false),
    ]);
    const [refusal] = answers.flatMap(({ body }) => body.errors ?? []);
    const [first, ...others] = await history(session);
    expect(others).toEqual([]);
    expect(refusal.extensions.code).toBe('verification.already_reviewed');
    const decision = first.reviewDecision.toLowerCase();
    expect(refusal.message).toBe(`The verification was already ${decision} by ${first.actor} at ${first.at}`);
    // The same decision and reason is a repetition.
    const verb = decision === 'approved' ? 'approveVerification' : 'rejectVerification';
    expect((await change(verb, first.reason, false)).body.errors).toBeUndefined();
    expect((await change(verb, 'another reason', false)).body.errors).toHaveLength(1);
    expect(await history(session)).toEqual([first]);
    await change('rejectVerification', 'deliberate', true);
    await call('clearVerificationReview', session);
    expect((await change('approveVerification', 'after all', false)).body.errors).toBeUndefined();
    expect(await history(session)).toHaveLength(4);
  });

  it('is erased with the account of its verification', async () => {
    const account = unique('erased');
    const session = await played({ account_id: account });
    await call('approveVerification', session, 'fine');
    await project.rest('DELETE', `/account/${account}`);
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const { rowCount } = await client.query('select 1 from verification_reviews where project_id = $1', [
      project.projectId,
    ]);
    await client.end();
    expect(rowCount).toBe(0);
  });

  it('is removed with the result of a check without an account', async () => {
    const session = await played();
    await call('approveVerification', session, 'fine');
    clock.advance(32 * 86_400_000);
    await gateway.app.purgeSeen();
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const { rows } = await client.query(
      `select (select count(*)::int from verification_reviews where project_id = $1) as reviews,
              (select count(*)::int from verification_sessions where project_id = $1) as sessions`,
      [project.projectId],
    );
    await client.end();
    expect(rows).toEqual([{ reviews: 0, sessions: 1 }]);
  });
});

describe('rejected input', () => {
  it('changes nothing', async () => {
    const session = await played();
    const { sessionId: open } = await verificationLink(project, { simulate: 'success' });
    const failed = await playedVerification(gateway, project, { simulate: 'liveness_check_failed' });
    const reason = 'x';
    const refusals: [Body, string][] = [
      [{ id: idOf(session), reason: '' }, 'input.invalid'],
      [{ id: idOf(session), reason: '  ' }, 'input.invalid'],
      [{ id: idOf(session), reason: 'x'.repeat(1025) }, 'input.invalid'],
      [{ id: globalIdOf('Session', session), reason }, 'verification.session_not_found'],
      [{ id: idOf('00000000-0000-7000-8000-000000000000'), reason }, 'verification.session_not_found'],
      [{ id: idOf(open), reason }, 'verification.session_not_started'],
      [{ id: idOf(failed), reason }, 'verification.liveness_check_failed'],
    ];
    for (const [input, code] of refusals) expect(await refused('approveVerification', input)).toBe(code);
    expect(await history(session)).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  it('includes a key below the role operator, and a verification of another project', async () => {
    const session = await played();
    const input = { id: idOf(session), reason: 'fine' };
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    expect(await refused('approveVerification', input, project.withKey(key))).toBe('auth.forbidden');
    const other = await gateway.project();
    expect(await refused('rejectVerification', input, other)).toBe('verification.session_not_found');
    await call('approveVerification', session, 'fine');
    const id = globalIdOf('VerificationReview', `${session}:1`);
    expect(await other.graphql('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: null });
    expect(await history(session)).toHaveLength(1);
  });
});

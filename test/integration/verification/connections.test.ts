import { pageAfter } from '@vouchgraph/platform/keyset';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  PAGED_VERIFICATION_KEY,
  searchVerifications,
  type VerificationFilter,
} from '../../../src/domain/verification/verification-read-store.ts';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { pagesOf, readBackward, readForward } from '../../support/pages.ts';
import { planOf } from '../../support/plans.ts';
import { connectAs } from '../../support/sql.ts';
import { createVerification, enroll, playedVerification } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const created = async (of: TestProject, query: Record<string, string> = {}): Promise<string> =>
  (await createVerification(of, query)).body.session_id;
const played = (of: TestProject, query: Record<string, string> = {}) =>
  playedVerification(gateway, of, { simulate: 'success', simulate_decision: 'Real', ...query });

const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: VerificationFilter) {
  verifications(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
    totalCount { value isExact } edges { node { sessionId } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
const pages = (of: TestProject, filter: Body = null) =>
  pagesOf(of, PAGE, ({ verifications }) => verifications, { filter });
const ids = (nodes: Body[]): string[] => nodes.map(({ sessionId }) => sessionId);

const review = (of: TestProject, verb: 'approve' | 'reject' | 'clear', session: string) => {
  const type =
    verb === 'clear'
      ? 'ClearVerificationReviewInput'
      : `${verb === 'approve' ? 'Approve' : 'Reject'}VerificationInput`;
  const field = verb === 'clear' ? 'clearVerificationReview' : `${verb}Verification`;
  const input = { id: session, ...(verb === 'clear' ? {} : { reason: 'seen' }) };
  return of.graphql(`mutation ($input: ${type}!) { ${field}(input: $input) { verification { id } } }`, {
    input,
  });
};

describe('verifications', () => {
  it('are the same in forward and backward pages, by every filter, while others are created', async () => {
    const own = await gateway.project();
    const since = new Date().toISOString();
    const account = unique('verified');
    const named = await played(own, { account_id: account, id: 'true' });
    const bound = await played(own);
    expect((await enroll(own, bound, account)).status).toBe(200);
    const open = [await created(own, { id: 'true' }), await created(own)];
    const all = [named, bound, ...open].reverse();
    const add = () => created(own, { account_id: unique('another') });
    for (const [filter, expected] of [
      [null, all],
      [{ state: 'COMPLETED' }, [bound, named]],
      [{ state: 'COMPLETED', kind: 'ID_CHECK', decision: 'REAL' }, [named]],
      [{ kind: 'ID_CHECK', createdAfter: since }, [open[0], named]],
      [{ accountId: account }, [bound, named]],
      [{ state: 'EXPIRED' }, []],
      [{ createdBefore: since }, []],
    ] as const) {
      const read = pages(own, filter);
      const before = (await read({ first: 1 })).totalCount;
      expect(ids(await readForward(read, 1)).slice(-expected.length || undefined)).toEqual(expected);
      expect(ids(await readBackward(read, 1)).slice(-expected.length || undefined)).toEqual(expected);
      expect(before.isExact).toBe(true);
      expect(ids(await readForward(read, 2, add)).slice(-expected.length || undefined)).toEqual(expected);
      expect(ids(await readBackward(read, 2, add)).slice(-expected.length || undefined)).toEqual(expected);
    }
    expect((await pages(own, { accountId: account })({ last: 1 })).totalCount).toEqual({
      value: 2,
      isExact: true,
    });
  });

  it('are found by a minimum risk score once they are completed', async () => {
    const own = await gateway.project();
    const [low, high] = [
      await played(own, { simulate_risk_score: '0.1' }),
      await played(own, { simulate_risk_score: '0.9' }),
    ];
    await created(own);
    const found = async (minRiskScore: number) => {
      const page = await pages(own, { minRiskScore })({ first: 10 });
      const sessions = ids(page.edges.map(({ node }: Body) => node));
      expect(page.totalCount).toEqual({ value: sessions.length, isExact: true });
      return sessions;
    };
    expect(await found(0)).toEqual([high, low]);
    expect(await found(0.5)).toEqual([high]);
    expect(await found(0.9)).toEqual([high]);
    expect(await found(1)).toEqual([]);
    const { body } = await own.rawGraphql(PAGE, { filter: { minRiskScore: 2 } });
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining('minRiskScore: must be between 0 and 1'),
    });
    const { createBrowserToken } = await own.graphql(
      'mutation { createBrowserToken(input: { project: true, scopes: [VERIFICATION_STATE], ttlSeconds: 60 }) { token } }',
    );
    const asked = await own.rawGraphql(
      PAGE,
      { filter: { minRiskScore: 0.5 } },
      {
        'x-api-key': '',
        authorization: `Bearer ${createBrowserToken.token}`,
      },
    );
    expect(asked.body.errors[0].extensions.code).toBe('auth.forbidden');
  });

  it('are found by the review that applies, page by page', async () => {
    const own = await gateway.project();
    const [approved, rejected, cleared, waiting] = [
      await played(own),
      await played(own),
      await played(own),
      await played(own),
    ];
    await created(own);
    await playedVerification(gateway, own, { simulate: 'liveness_check_failed' });
    await review(own, 'approve', approved!);
    await review(own, 'reject', approved!);
    await review(own, 'approve', approved!);
    await review(own, 'reject', rejected!);
    await review(own, 'approve', cleared!);
    await review(own, 'clear', cleared!);
    const expected = { NONE: [waiting, cleared], APPROVED: [approved], REJECTED: [rejected] };
    for (const [state, sessions] of Object.entries(expected)) {
      const read = pages(own, { review: state });
      expect(ids(await readForward(read, 1)), state).toEqual(sessions);
      expect(ids(await readBackward(read, 1)), state).toEqual(sessions);
      expect((await read({ first: 1 })).totalCount).toEqual({ value: sessions.length, isExact: true });
    }
    expect(ids(await readForward(pages(own, { review: 'NONE', state: 'FAILED' }), 1))).toEqual([]);
    const { body } = await own.rawGraphql(PAGE, { filter: { review: 'CLEARED' } });
    expect(body.errors[0].message).toContain('"CLEARED" does not exist in "VerificationReviewCondition"');
    const { createBrowserToken } = await own.graphql(
      'mutation { createBrowserToken(input: { project: true, scopes: [VERIFICATION_RESULT], ttlSeconds: 60 }) { token } }',
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    const asked = await own.rawGraphql(PAGE, { filter: { review: 'NONE' } }, headers);
    expect(asked.body.errors[0].extensions.code).toBe('auth.forbidden');
  });

  it('with a review are read by an index', async () => {
    const client = await connectAs(gateway.database, 'vouchgraph_app');
    try {
      await client.query('set enable_seqscan = off');
      const search = (filter: VerificationFilter) =>
        planOf(client, project.projectId, (database) =>
          searchVerifications(
            database,
            filter,
            { page: pageAfter(null, 10), now: new Date() },
            { select: PAGED_VERIFICATION_KEY },
          ),
        );
      expect(await search({ review: 'rejected' })).toMatch(
        /Index (Only )?Scan.* using verification_sessions_reviewed/,
      );
      expect(await search({ review: 'rejected' })).not.toMatch(/Sort/);
    } finally {
      await client.end();
    }
  });

  it('are counted up to 10,000', async () => {
    const own = await gateway.project();
    const session = await created(own);
    const text = `insert into verification_sessions
      select (jsonb_populate_record(v, jsonb_build_object('session_id', gen_random_uuid()))).*
      from verification_sessions v, generate_series(1, $3::int) where v.project_id = $1 and v.session_id = $2`;
    const add = (count: number) =>
      gateway.app.database.system.query({ name: 'test.copy_verification', text }, [
        own.projectId,
        session,
        count,
      ]);
    await add(9_999);
    expect((await pages(own)({ first: 1 })).totalCount).toEqual({ value: 10_000, isExact: true });
    await add(1);
    expect((await pages(own, { kind: 'FACE_CHECK' })({ last: 1 })).totalCount).toEqual({
      value: 10_000,
      isExact: false,
    });
  });

  it('are read with their results with a constant number of statements', async () => {
    const own = await gateway.project();
    const account = unique('counted');
    for (let index = 0; index < 3; index += 1) {
      const session = await played(own);
      await enroll(own, session, account);
    }
    const read = async (first: number, fields: string) => {
      gateway.takeStatements();
      const { verifications } = await own.graphql(
        `query ($first: Int) { verifications(first: $first) { edges { node { ${fields} } } } }`,
        { first },
      );
      const sent = gateway
        .takeStatements()
        .filter((name) => name !== 'set_project' && !name.startsWith('key.'));
      return { nodes: verifications.edges.map(({ node }: Body) => node) as Body[], sent: sent.sort() };
    };
    const every = `accountId account { accountId } decision riskFlags listNames ruleNames photoUrls { face }
      deviceNetworkSignals { vpn } session { sessionId }`;
    const one = await read(1, every);
    expect(one.sent).toHaveLength(5);
    const three = await read(3, every);
    expect(three.sent).toEqual(one.sent);
    expect(three.nodes).toHaveLength(3);
    for (const node of three.nodes)
      expect(node).toMatchObject({ accountId: account, account: { accountId: account }, decision: 'REAL' });
    const ownColumns =
      'accountId state resultError riskScore rawDecision riskFlags photoUrls { face } review { actor }';
    expect((await read(3, ownColumns)).sent).toEqual(['prisma:SELECT']);
  });

  it('of several events are read in one statement, with the selected fields', async () => {
    const own = await gateway.project();
    const sessions = [await played(own), await played(own, { id: 'true' }), await played(own)];
    await gateway.app.settleEvents();
    gateway.takeStatements();
    const { events } = await own.graphql(
      `{ events(first: 100) { edges { node { sessionId ... on VerificationEndedEvent {
         verification { sessionId state riskScore } } } } } }`,
    );
    expect(gateway.takeStatements().filter((name) => name.startsWith('prisma:'))).toEqual(['prisma:SELECT']);
    const ended = events.edges.flatMap(({ node }: Body) => (node.verification ? [node] : []));
    expect(ended).toHaveLength(3);
    for (const { sessionId, verification } of ended)
      expect(verification).toEqual({ sessionId, state: 'COMPLETED', riskScore: expect.any(Number) });
    expect(ids(ended).sort()).toEqual(sessions.sort());
  });

  it('reject a cursor of another filter', async () => {
    for (let index = 0; index < 2; index += 1) await created(project);
    const { pageInfo } = await pages(project)({ first: 1 });
    const variables = { after: pageInfo.endCursor, filter: { kind: 'ID_CHECK' } };
    const { body } = await project.rawGraphql(PAGE, variables);
    expect(body.errors[0]).toMatchObject({
      message: 'after: must be a cursor of an earlier response to the same query with the same arguments',
      extensions: { code: 'input.invalid' },
    });
    expect(body.data).toEqual({ verifications: null });
  });
});

describe('a verification as a node', () => {
  const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Verification {
    sessionId kind decision resultError } } }`;
  const nodesOf = async (of: TestProject, global: string[], headers: Record<string, string> = {}) => {
    const { body } = await of.rawGraphql(NODES, { ids: global }, headers);
    expect(body.errors).toBeUndefined();
    return body.data.nodes;
  };

  it('is found by its global id, which is not that of its session', async () => {
    const session = await played(project, { account_id: unique('node') });
    const open = await created(project);
    const { verification } = await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { id session { id sessionId } } }',
      { id: session },
    );
    expect(verification.session.sessionId).toBe(session);
    expect(verification.session.id).not.toBe(verification.id);
    expect(await nodesOf(project, [verification.id, globalIdOf('Verification', open)])).toEqual([
      {
        ...{ __typename: 'Verification', id: verification.id, sessionId: session },
        ...{ kind: 'FACE_CHECK', decision: 'REAL', resultError: null },
      },
      {
        ...{ __typename: 'Verification', id: globalIdOf('Verification', open), sessionId: open },
        ...{ kind: 'FACE_CHECK', decision: null, resultError: 'NOT_STARTED' },
      },
    ]);
  });

  it('of another project, unknown or malformed is null', async () => {
    const session = await created(project);
    const foreign = await gateway.project();
    expect(await nodesOf(foreign, [globalIdOf('Verification', session)])).toEqual([null]);
    const plain = await project.session();
    const wrong = [
      globalIdOf('Verification', plain),
      globalIdOf('Session', session),
      globalIdOf('Verification', `${session}:1`),
      globalIdOf('Verification', 'x'),
      session,
      '%',
      '',
    ];
    expect(await nodesOf(project, wrong)).toEqual(wrong.map(() => null));
  });

  it('is null for a browser token of another account or session, and found by one of its own', async () => {
    const account = unique('own');
    const named = await played(project, { account_id: account });
    const bound = await played(project);
    await enroll(project, bound, account);
    const other = await played(project, { account_id: unique('other') });
    const global = [named, bound, other].map((session) => globalIdOf('Verification', session));
    const seenWith = async (input: Body): Promise<unknown[]> => {
      const { createBrowserToken } = await project.graphql(
        'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
        { input },
      );
      const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
      const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
      gateway.takeStatements();
      const { nodes } = (await project.rawGraphql(query, { ids: global }, headers)).body.data;
      // Those that the token may read, and then the nodes; none for a token without a scope of verifications.
      const sent = gateway.takeStatements().filter((name) => name.startsWith('prisma:'));
      expect(sent.length).toBeLessThanOrEqual(2);
      return nodes;
    };
    const own = [{ id: global[0] }, { id: global[1] }, null];
    expect(await seenWith({ accountId: account, scopes: ['VERIFICATION_STATE'] })).toEqual(own);
    expect(await seenWith({ sessionId: bound, scopes: ['VERIFICATION_RESULT'] })).toEqual([
      null,
      own[1],
      null,
    ]);
    expect(await seenWith({ accountId: account, scopes: ['ACCOUNT'] })).toEqual([null, null, null]);
  });
});

describe('the account and the referring session of a verification', () => {
  it('are objects, and null before they exist', async () => {
    const referring = await project.session();
    const query = `query ($id: ID!) { verification(sessionId: $id) {
      accountId account { accountId } referringSessionId referringSession { sessionId } } }`;
    const [unused, used] = [unique('unused'), unique('used')];
    const open = await created(project, { account_id: unused, referring_session_id: referring });
    expect((await project.graphql(query, { id: open })).verification).toEqual({
      ...{ accountId: unused, account: null },
      ...{ referringSessionId: referring, referringSession: { sessionId: referring } },
    });
    const done = await played(project, { account_id: used });
    expect((await project.graphql(query, { id: done })).verification).toEqual({
      ...{ accountId: used, account: { accountId: used } },
      ...{ referringSessionId: null, referringSession: null },
    });
  });
});

describe('unknown facts of a document', () => {
  it('are null in GraphQL and empty on REST, and dates are ISO in GraphQL', async () => {
    const session = await played(project, { id: 'true' });
    const { verification } = await project.graphql(
      `query ($id: ID!) { verification(sessionId: $id) { documentSignals { idBarcodeStatus faceAgeEstimate }
         documentData { templateInfo { templateType documentState } userData {
           firstName dateOfBirth idNumber2 address { street } } } } }`,
      { id: session },
    );
    const { body } = await project.rest('POST', '/liveness/verify-id', { session_id: session });
    const { template_info, user_data } = body.document_data;
    const [month, day, year] = user_data.date_of_birth.split('/');
    expect(verification.documentData).toEqual({
      templateInfo: {
        templateType: template_info.template_type.toUpperCase(),
        documentState: template_info.document_state || null,
      },
      userData: {
        firstName: user_data.first_name,
        dateOfBirth: `${year}-${month}-${day}`,
        idNumber2: null,
        address: { street: user_data.address.street || null },
      },
    });
    expect(user_data.id_number2).toBe('');
    expect(verification.documentSignals.idBarcodeStatus).toMatch(/^(NOT_EXPECTED|NOT_FOUND|READ)$/);
    expect(verification.documentSignals.faceAgeEstimate ?? 'OVER_18').toMatch(/^(UNDER|OVER)_\d+$/);
  });
});

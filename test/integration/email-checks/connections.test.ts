import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { upload } from '../../support/email-imports.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { pagesOf, readBackward, readForward } from '../../support/pages.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const ARGS = 'first: $first, after: $after, last: $last, before: $before';
const VARIABLES = '$first: Int, $after: String, $last: Int, $before: String';
const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

const batch = async (of: TestProject, emails: string[]): Promise<string> =>
  (await of.rest('POST', '/email', { emails: emails.map((email) => ({ email })) })).body.batch_id;
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `${unique('page')}${index}@gmail.com`);

/** A project with an import of 7 rows, 5 of them without a result, and its ids. */
async function imported(): Promise<{ own: TestProject; importId: string }> {
  const own = await gateway.project();
  const { body } = await upload(gateway, own, 'email,n\na@gmail.com,1\n,2\n,3\n,4\nb@gmail.com,5\n,6\n,7\n');
  await gateway.app.settleEmailChecks(own.projectId);
  return { own, importId: body.import_id };
}

describe('emailBatches', () => {
  const QUERY = `query (${VARIABLES}, $status: EmailBatchStatus) { emailBatches(${ARGS}, status: $status) {
    totalCount { value isExact } edges { node { batchId batchStatus } } ${PAGE_INFO} } }`;

  it('contains the same batches in forward and backward pages, by status, while others are added', async () => {
    const own = await gateway.project();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift(await batch(own, addresses(1)));
    await gateway.app.settleEmailChecks(own.projectId);
    const read = (status: string | null) =>
      pagesOf(own, QUERY, ({ emailBatches }) => emailBatches, { status });
    const batchIds = (nodes: Body[]) => nodes.map(({ batchId }) => batchId);
    for (const status of [null, 'COMPLETED']) {
      const forward = batchIds(await readForward(read(status), 2));
      expect(forward).toEqual(ids);
      expect(batchIds(await readBackward(read(status), 2))).toEqual(forward);
    }
    // The newest come first: those that are added are before the first page.
    const add = () => batch(own, addresses(1));
    expect(batchIds(await readForward(read(null), 2, add))).toEqual(ids);
    expect(batchIds(await readBackward(read('COMPLETED'), 2, add))).toEqual(ids);
    expect((await read('COMPLETED')({ first: 1 })).totalCount).toEqual({ value: 5, isExact: true });
    expect((await read(null)({ last: 1 })).totalCount).toEqual({ value: 9, isExact: true });
  });

  it('rejects a cursor of another status', async () => {
    const read = pagesOf(project, QUERY, ({ emailBatches }) => emailBatches);
    for (let index = 0; index < 2; index += 1) await batch(project, addresses(1));
    const { pageInfo } = await read({ first: 1 });
    const { body } = await project.rawGraphql(QUERY, { after: pageInfo.endCursor, status: 'PENDING' });
    expect(body.errors[0].extensions.code).toBe('input.invalid');
    expect(body.data).toEqual({ emailBatches: null });
  });
});

describe('the checks of a batch', () => {
  const QUERY = `query (${VARIABLES}, $id: ID!, $completedOnly: Boolean) { emailBatch(id: $id) {
    checks(${ARGS}, completedOnly: $completedOnly) {
      totalCount { value isExact } edges { node { batchPosition checkStatus batch { batchId } } } ${PAGE_INFO} } } }`;
  const positions = (nodes: Body[]) => nodes.map(({ batchPosition }) => batchPosition);

  it('are the same in forward and backward pages, with and without pending ones', async () => {
    const own = await gateway.project();
    const batchId = await batch(own, addresses(7));
    await gateway.app.settleEmailChecks(own.projectId);
    // Checks complete in the order sent, so that pending ones between completed ones are created manually.
    const { system } = gateway.app.database;
    const text = `update email_checks set status = 'pending', result = null, completed_at = null
                  where project_id = $1 and batch_id = $2 and position = any('{1,4}'::int[])`;
    await system.query({ name: 'test.pend_checks', text }, [own.projectId, batchId]);
    const read = (completedOnly: boolean) =>
      pagesOf(own, QUERY, ({ emailBatch }) => emailBatch.checks, {
        id: globalIdOf('EmailBatch', batchId),
        completedOnly,
      });
    for (const [completedOnly, expected] of [
      [false, [0, 1, 2, 3, 4, 5, 6]],
      [true, [0, 2, 3, 5, 6]],
    ] as const) {
      const forward = await readForward(read(completedOnly), 2);
      expect(positions(forward)).toEqual(expected);
      expect(new Set(forward.map((node) => node.batch.batchId))).toEqual(new Set([batchId]));
      expect(positions(await readBackward(read(completedOnly), 2))).toEqual(expected);
      expect((await read(completedOnly)({ last: 1 })).totalCount).toEqual({
        value: expected.length,
        isExact: true,
      });
    }
  });

  it('of many batches are read by one statement, and counted by another', async () => {
    const own = await gateway.project();
    for (let index = 0; index < 3; index += 1) await batch(own, addresses(2));
    await gateway.app.settleEmailChecks(own.projectId);
    const query = `{ emailBatches(first: 3) { totalCount { value } edges { node {
      checks(last: 1) { totalCount { value } edges { node { batchPosition batch { batchId } } } } } } } }`;
    gateway.takeStatements();
    const { emailBatches } = await own.graphql(query);
    const sent = gateway
      .takeStatements()
      .filter((name) => name !== 'set_project' && !name.startsWith('key.'));
    expect(sent.map((name) => name.split(':')[0]).sort()).toEqual([
      'email_check.count_batches',
      'email_check.count_of_batches',
      'email_check.find_batches',
      'email_check.list_batches',
      'email_check.list_of_batches',
    ]);
    for (const { node } of emailBatches.edges)
      expect(node.checks).toMatchObject({
        totalCount: { value: 2 },
        edges: [{ node: { batchPosition: 1 } }],
      });
  });
});

describe('imports', () => {
  const PROBLEMS = `query (${VARIABLES}, $id: ID!) { emailImport(id: $id) {
    problems(${ARGS}) { totalCount { value isExact } edges { node { line code } } ${PAGE_INFO} } } }`;

  it('have the same problems in forward and backward pages, in the order of the file', async () => {
    const { own, importId } = await imported();
    const read = pagesOf(own, PROBLEMS, ({ emailImport }) => emailImport.problems, {
      id: globalIdOf('EmailImport', importId),
    });
    const expected = [3, 4, 5, 7, 8].map((line) => ({ line, code: 'EMAIL_MISSING' }));
    expect(await readForward(read, 2)).toEqual(expected);
    expect(await readBackward(read, 2)).toEqual(expected);
    expect((await read({ first: 1 })).totalCount).toEqual({ value: 5, isExact: true });
  });

  it('are the same in forward and backward pages while another one is added', async () => {
    const { own, importId } = await imported();
    const ids = [importId];
    for (let index = 0; index < 2; index += 1)
      ids.unshift((await upload(gateway, own, `email\nx${index}@gmail.com\n`)).body.import_id);
    const query = `query (${VARIABLES}) { emailImports(${ARGS}) {
      totalCount { value isExact } edges { node { importId } } ${PAGE_INFO} } }`;
    const read = pagesOf(own, query, ({ emailImports }) => emailImports);
    const add = () => upload(gateway, own, 'email\nlate@gmail.com\n');
    const importIds = (nodes: Body[]) => nodes.map((node) => node.importId);
    expect(importIds(await readForward(read, 1, add))).toEqual(ids);
    expect(importIds(await readBackward(read, 2)).slice(-3)).toEqual(ids);
    expect((await read({ last: 1 })).totalCount).toEqual({ value: 5, isExact: true });
  });
});

describe('a node', () => {
  const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
    ... on EmailCheck { checkId email } ... on EmailBatch { batchId import { id } } ... on EmailImport { importId } } }`;
  const nodesOf = async (of: TestProject, ids: string[], headers: Record<string, string> = {}) => {
    const { body } = await of.rawGraphql(NODES, { ids }, headers);
    expect(body.errors).toBeUndefined();
    return body.data.nodes;
  };

  /** Global ids of a single check, of an import, of its batch and of the row of the import. */
  async function prepared() {
    const { own, importId } = await imported();
    const email = addresses(1)[0]!;
    const { body } = await own.rest('POST', '/email', { email });
    const { emailImport, emailBatches } = await own.graphql(
      `query ($id: ID!) { emailImport(id: $id) { id }
        emailBatches { edges { node { id batchId checks { edges { node { id } } } } } } }`,
      { id: globalIdOf('EmailImport', importId) },
    );
    const [{ node }] = emailBatches.edges;
    const check = globalIdOf('EmailCheck', body.request_id);
    const ids = { check, batch: node.id, import: emailImport.id, row: node.checks.edges[0].node.id };
    return { own, ids, email, importId, batchId: node.batchId, checkId: body.request_id };
  }

  it('is found by its global id', async () => {
    const { own, ids, email, importId, batchId, checkId } = await prepared();
    expect(await nodesOf(own, [ids.check, ids.batch, ids.import, ids.row])).toEqual([
      { __typename: 'EmailCheck', id: ids.check, checkId, email },
      { __typename: 'EmailBatch', id: ids.batch, batchId, import: { id: ids.import } },
      { __typename: 'EmailImport', id: ids.import, importId },
      { __typename: 'EmailCheck', id: ids.row, checkId: expect.any(String), email: 'a@gmail.com' },
    ]);
  });

  it('of another project, of another type, unknown or malformed is null', async () => {
    const { own, ids, batchId, checkId } = await prepared();
    const foreign = await gateway.project();
    expect(await nodesOf(foreign, Object.values(ids))).toEqual([null, null, null, null]);
    const wrong = [
      globalIdOf('EmailBatch', checkId),
      globalIdOf('EmailCheck', batchId),
      globalIdOf('EmailImport', batchId),
      globalIdOf('EmailCheck', `${checkId}:1`),
      globalIdOf('EmailBatch', 'x'),
      checkId,
      '%',
      '',
    ];
    expect(await nodesOf(own, wrong)).toEqual(wrong.map(() => null));
    for (const field of ['emailCheck', 'emailBatch', 'emailImport'])
      for (const id of [...wrong.slice(3).filter((each) => each !== checkId), ids.row.slice(0, 9)])
        expect(await own.graphql(`query ($id: ID!) { ${field}(id: $id) { id } }`, { id })).toEqual({
          [field]: null,
        });
    const byRow = (of: TestProject) => of.graphql(`{ emailCheck(id: "${checkId}") { id } }`);
    expect([await byRow(own), await byRow(foreign)]).toEqual([
      { emailCheck: { id: ids.check } },
      { emailCheck: null },
    ]);
  });

  it('is null for a browser token with any scopes', async () => {
    const { own, ids } = await prepared();
    const { createBrowserToken } = await own.graphql(
      'mutation { createBrowserToken(input: { project: true, scopes: [ACCOUNT, DOCUMENT, EVENTS] }) { token } }',
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    expect(await nodesOf(own, Object.values(ids), headers)).toEqual([null, null, null, null]);
  });
});

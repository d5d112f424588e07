import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-operations-'));
  gateway = await startGateway({ masterKey, recalculatesLinks: false });
  project = await gateway.project();
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
let lastNumber = 0;
function nextNumber(): number {
  lastNumber += 1;
  return lastNumber;
}
const newDocument = () => `query Managed${nextNumber()} { project { projectId } }`;
const REGISTER = `mutation ($input: RegisterOperationsInput!) { registerOperations(input: $input) {
  requestId operations { id sha256Hash text operationNames createdAt } } }`;
const DELETE = `mutation ($input: DeleteOperationsInput!) { deleteOperations(input: $input) { requestId deletedIds } }`;
const LIST = `query ($first: Int, $after: String, $last: Int, $before: String) {
  persistedOperations(first: $first, after: $after, last: $last, before: $before) { totalCount { value isExact }
    pageInfo { hasNextPage hasPreviousPage endCursor startCursor } edges { cursor node { id sha256Hash operationNames } } } }`;
const register = async (client: TestProject, documents: Body[]): Promise<Body> =>
  (await client.graphql(REGISTER, { input: { documents } })).registerOperations;
const refusal = async (documents: Body[], client = project): Promise<Body> =>
  (await client.rawGraphql(REGISTER, { input: { documents } })).body.errors[0];
const list = async (client: TestProject, page: Body = {}): Promise<Body> =>
  (await client.graphql(LIST, page)).persistedOperations;

describe('registering documents', () => {
  it('lists them, once each, in the requested order, and changes nothing when it is repeated', async () => {
    const own = await gateway.project();
    const [first, second] = [newDocument(), `${newDocument()} mutation Other { __typename }`];
    const documents = [{ text: second }, { text: first, sha256Hash: sha256(first) }, { text: second }];
    const { operations } = await register(own, documents);
    expect(operations).toMatchObject([
      {
        sha256Hash: sha256(second),
        text: second,
        operationNames: [expect.stringMatching(/^Managed/), 'Other'],
      },
      { sha256Hash: sha256(first), text: first },
    ]);
    expect((await register(own, documents)).operations).toEqual(operations);
    const { node } = await own.graphql(
      'query ($id: ID!) { node(id: $id) { id ... on PersistedOperation { sha256Hash text } } }',
      { id: operations[0].id },
    );
    expect(node).toEqual({ id: operations[0].id, sha256Hash: sha256(second), text: second });
    const { auditLog } = await own.graphql(
      '{ auditLog(filter: { actions: [OPERATION_REGISTER, OPERATION_DELETE] }) { edges { node { action target after } } } }',
    );
    expect(auditLog.edges).toEqual([
      {
        node: {
          action: 'OPERATION_REGISTER',
          target: `project:${own.projectId}`,
          after: { count: 2, sha256Hashes: [sha256(second), sha256(first)] },
        },
      },
    ]);
  });

  it.each([
    {
      what: 'a field that does not exist',
      text: '{ project {\n  nothing } }',
      message: /^documents\.1\.text: Cannot query field "nothing" on type "Project"\. \(line 2, column 3\)$/,
    },
    {
      what: 'text that does not parse',
      text: '{ project {',
      message: /^documents\.1\.text: Syntax Error.* \(line 1, column 12\)$/,
    },
    {
      what: 'too many levels',
      text: `{ account(accountId: "x") ${'{ linkedAccounts { edges { node '.repeat(5)}{ email }${' } } }'.repeat(5)} }`,
      message: /^documents\.1\.text: The query has \d+ levels, the limit is 14$/,
    },
  ])('rejects $what with the document and its position, and registers none', async ({ text, message }) => {
    const good = newDocument();
    expect(await refusal([{ text: good }, { text }])).toMatchObject({
      message: expect.stringMatching(message),
      extensions: {
        code: 'operation.invalid_document',
        inputPath: ['input', 'documents', 1, 'text'],
        details: { document: 1 },
      },
    });
    expect(JSON.stringify(await list(project, { first: 100 }))).not.toContain(sha256(good));
  });

  it.each([
    { what: 'no document', documents: [], message: 'documents: must have at least 1 entry' },
    { what: 'an empty text', documents: [{ text: ' ' }], message: 'documents.0.text: must not be empty' },
    {
      what: 'a long text',
      documents: [{ text: `{ project { name } } # ${'x'.repeat(32 * 1024)}` }],
      message: 'documents.0.text: must be at most 32768 bytes of UTF-8',
    },
    {
      what: 'a malformed hash',
      documents: [{ text: '{ x }', sha256Hash: 'A'.repeat(64) }],
      message: 'documents.0.sha256Hash: must be a SHA-256 as 64 hexadecimal digits in lower case',
    },
    {
      what: 'a hash of another text',
      documents: [{ text: '{ x }', sha256Hash: sha256('y') }],
      message: `documents.0.sha256Hash: must be the SHA-256 of text, ${sha256('{ x }')}`,
    },
    {
      what: 'too many',
      documents: Array.from({ length: 1001 }, () => ({ text: '{x}' })),
      message: 'documents: must have at most 1000 entries',
    },
  ])('rejects $what', async ({ documents, message }) => {
    expect(await refusal(documents)).toMatchObject({ message, extensions: { code: 'input.invalid' } });
  });

  it('stays within the limit of a project, also by two calls at once', async () => {
    const own = await gateway.project();
    const many = (from: number, length: number) =>
      Array.from({ length }, (_, index) => ({ text: `query Q${from + index} { project { name } }` }));
    await register(own, many(0, 990));
    const answers = await Promise.all(
      [1000, 2000].map((from) => own.rawGraphql(REGISTER, { input: { documents: many(from, 6) } })),
    );
    const codes = answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'registered');
    expect(codes.sort()).toEqual(['operation.too_many', 'registered']);
    expect((await list(own)).totalCount).toEqual({ value: 996, isExact: true });
    const text = many(0, 1)[0]!.text;
    expect((await register(own, [{ text }])).operations).toHaveLength(1);
  });

  it('of one text concurrently registers it once', async () => {
    const own = await gateway.project();
    const text = newDocument();
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(own, [{ text }])));
    expect(new Set(answers.map(({ operations }) => operations[0].id)).size).toBe(1);
    expect((await list(own)).totalCount.value).toBe(1);
  });
});

describe('registered documents', () => {
  it('are paged in both directions, the newest first', async () => {
    const own = await gateway.project();
    const texts = Array.from({ length: 5 }, newDocument);
    for (const text of texts) await register(own, [{ text }]);
    const newest = texts.map(sha256).reverse();
    const hashes = ({ edges }: Body) => edges.map(({ node }: Body) => node.sha256Hash);
    const first = await list(own, { first: 2 });
    expect(hashes(first)).toEqual(newest.slice(0, 2));
    expect(first).toMatchObject({ totalCount: { value: 5 }, pageInfo: { hasNextPage: true } });
    const second = await list(own, { first: 3, after: first.pageInfo.endCursor });
    expect(hashes(second)).toEqual(newest.slice(2));
    expect(hashes(await list(own, { last: 2, before: second.pageInfo.endCursor }))).toEqual(
      newest.slice(2, 4),
    );
    const foreign = await project.rawGraphql(LIST, { after: first.pageInfo.endCursor });
    expect(foreign.body.errors[0].extensions.code).toBe('input.invalid');
  });

  it('are registered, refetched and deleted with a constant number of statements', async () => {
    const own = await gateway.project();
    const statementsOf = async (request: () => Promise<unknown>) => {
      gateway.takeStatements();
      await request();
      const sent = gateway.takeStatements().filter((name) => /^(operation\.|prisma:)/.test(name));
      return sent.map((name) => name.split(':')[0]);
    };
    for (const count of [1, 5]) {
      const texts = Array.from({ length: count }, newDocument);
      let ids: string[] = [];
      const registered = await statementsOf(async () => {
        const { operations } = await register(
          own,
          texts.map((text) => ({ text })),
        );
        ids = operations.map(({ id }: Body) => id);
      });
      // The registered ones before and after.
      const lock = 'operation.lock_project';
      expect(registered).toEqual([lock, 'operation.size', 'prisma', 'operation.insert', 'prisma']);
      const refetched = await statementsOf(async () => {
        const { nodes } = await own.graphql(
          'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on PersistedOperation { text } } }',
          { ids },
        );
        expect(nodes).toEqual(texts.map((text) => ({ text })));
      });
      expect(refetched).toEqual(['prisma']);
      const deleted = await statementsOf(() =>
        own.graphql(DELETE, { input: { sha256Hashes: texts.map(sha256) } }),
      );
      expect(deleted).toEqual([lock, 'prisma', 'prisma', 'prisma']);
    }
  });

  it('of another project can be neither read nor deleted', async () => {
    const theirs = await gateway.project();
    const text = newDocument();
    const { operations } = await register(theirs, [{ text }]);
    const [{ id }] = operations;
    const missing = [id, globalIdOf('PersistedOperation', 'nonsense')];
    const read = await project.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: missing });
    expect(read).toEqual({ nodes: [null, null] });
    const deleted = await project.graphql(DELETE, { input: { sha256Hashes: [sha256(text)] } });
    expect(deleted.deleteOperations.deletedIds).toEqual([]);
    expect((await list(theirs)).totalCount.value).toBe(1);
  });

  it('are accessible to operators only', async () => {
    const { operations } = await register(project, [{ text: newDocument() }]);
    const server = project.withKey((await gateway.app.projects.createKey(project.projectId, 'server')).key);
    const codeOf = async (query: string, variables?: Body) =>
      (await server.rawGraphql(query, variables)).body.errors[0].extensions.code;
    expect(await codeOf(LIST)).toBe('auth.forbidden');
    expect(await codeOf(REGISTER, { input: { documents: [] } })).toBe('auth.forbidden');
    expect(await codeOf(DELETE, { input: { sha256Hashes: [] } })).toBe('auth.forbidden');
    const read = 'query ($id: ID!) { node(id: $id) { id } }';
    expect(await server.graphql(read, { id: operations[0].id })).toEqual({ node: null });
  });

  it('are deleted with an audit entry; unknown hashes change nothing', async () => {
    const own = await gateway.project();
    const text = newDocument();
    const { operations } = await register(own, [{ text }]);
    const remove = async (sha256Hashes: string[]) =>
      (await own.graphql(DELETE, { input: { sha256Hashes } })).deleteOperations.deletedIds;
    expect(await remove([sha256('unknown')])).toEqual([]);
    expect(await remove([sha256(text), sha256(text)])).toEqual([operations[0].id]);
    expect(await remove([sha256(text)])).toEqual([]);
    const { auditLog } = await own.graphql(
      '{ auditLog(filter: { actions: [OPERATION_DELETE] }) { edges { node { before } } } }',
    );
    expect(auditLog.edges).toEqual([{ node: { before: { count: 1, sha256Hashes: [sha256(text)] } } }]);
    const { body } = await own.rawGraphql(DELETE, { input: { sha256Hashes: ['x'] } });
    expect(body.errors[0].message).toMatch(/^sha256Hashes\.0: must be a SHA-256/);
  });
});

describe('vouchgraph operations', { timeout: 240_000 }, () => {
  async function command(...args: string[]) {
    const ended = await runCommand(['operations', ...args], {
      DATABASE_URL: gateway.database.ownerUrl,
      MASTER_KEY: masterKey,
    });
    return { ...ended, output: ended.output + ended.errors };
  }
  async function manifest(value: unknown): Promise<string> {
    const file = path.join(folder, `${unique('manifest')}.json`);
    await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  }

  it('registers manifests of Relay and Apollo, lists and deletes documents', async () => {
    const own = await gateway.project();
    const [first, second] = [newDocument(), newDocument()];
    const relay = await manifest({ [sha256(first)]: first });
    const apollo = await manifest({
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [{ id: sha256(second), name: 'Managed', type: 'query', body: second }],
    });
    const registered = await command('register', own.projectId, relay, apollo);
    expect(registered).toMatchObject({
      code: 0,
      output: '2 documents are registered. They are accepted within a second.\n',
    });
    const listed = JSON.parse((await command('list', own.projectId, '--json')).output);
    expect(listed.map((row: Body) => row.sha256_hash).sort()).toEqual([sha256(first), sha256(second)].sort());
    const deleted = await command('delete', own.projectId, sha256(first));
    expect(deleted).toMatchObject({
      code: 0,
      output: '1 document is deleted. They are rejected within a second.\n',
    });
    expect((await list(own)).edges.map(({ node }: Body) => node.sha256Hash)).toEqual([sha256(second)]);
  });

  it('names the file and the document of an error', async () => {
    const wrong = '{ nothing }';
    const file = await manifest({ [sha256(wrong)]: wrong });
    const { code, errors } = await command('register', project.projectId, file);
    expect(code).not.toBe(0);
    expect(errors).toContain(
      `${file}: ${sha256(wrong)}: Cannot query field "nothing" on type "Query". (line 1, column 3)`,
    );
  });

  it.each([
    {
      what: 'MD5 hashes',
      value: { d41d8cd98f00b204e9800998ecf8427e: '{ x }' },
      message: /"algorithm": "SHA256"/,
    },
    {
      what: 'an unknown format',
      value: { format: 'other' },
      message: /must have the format apollo-persisted-query-manifest/,
    },
    { what: 'invalid JSON', value: 'query', message: /must be JSON/ },
    { what: 'a list', value: [], message: /must be an object/ },
    { what: 'no documents', value: {}, message: /must have at least 1 document/ },
  ])('rejects a manifest with $what', async ({ value, message }) => {
    const { code, errors } = await command('register', project.projectId, await manifest(value));
    expect(code).not.toBe(0);
    expect(errors).toMatch(message);
  });
});

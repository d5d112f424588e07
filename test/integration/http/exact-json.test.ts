import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EXACT, exactDocuments } from '@vouchgraph/platform/exact-documents-for-tests';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Gateway, type TestProject, unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { createEndpoint, startReceiver } from '../../support/webhook-receiver.ts';
import { openSocket } from '../../support/websocket.ts';
import { type CommandWorld, openCommandWorld } from '../commands/support.ts';

let world: CommandWorld;
let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  world = await openCommandWorld();
  ({ gateway, project } = world);
});
afterAll(() => world.close());

const UPDATE = `mutation ($id: ID!, $metadata: JSONObject) {
  updateAccount(input: { accountId: $id, metadata: $metadata }) { account { metadata } } }`;
const READ = 'query ($id: ID!) { account(accountId: $id) { metadata } }';
const NUMBER_OF_RUNS = 25;
const WAIT = { timeout: 50_000, interval: 10 };

/** A new account without metadata. */
async function newAccount(): Promise<string> {
  const id = unique('exact');
  await project.authenticate({ id });
  return id;
}

/** The texts of the metadata of an account by REST and GraphQL. */
async function readTexts(id: string): Promise<(string | undefined)[]> {
  const rest = await project.rest('GET', `/account/${id}`);
  const post = await project.rawGraphql(READ, { id });
  const address = new URLSearchParams({ query: READ, variables: JSON.stringify({ id }) });
  const get = await project.rest('GET', `/graphql?${address}`);
  return [rest, post, get].map(({ text }) => metadataText(text));
}

const sameTexts = (text: string) => [text, text, text];

describe('metadata keeps the texts of numbers and all keys', () => {
  it('from PUT and from authenticate, in each answer', async () => {
    const id = await newAccount();
    const put = await project.rest('PUT', `/account/${id}`, `{"metadata":${EXACT}}`);
    expect(put.status).toBe(200);
    expect(metadataText(put.text)).toBe(EXACT);
    expect(await readTexts(id)).toEqual(sameTexts(EXACT));
    const other = unique('exact');
    const session = await project.session();
    const body = `{"session_id":"${session}","account":{"id":"${other}","metadata":${EXACT}}}`;
    const authenticated = await project.rest('POST', '/session/authenticate', body);
    expect(metadataText(authenticated.text)).toBe(EXACT);
    expect(await readTexts(other)).toEqual(sameTexts(EXACT));
  });

  it('in a merge, which keeps the texts of the other keys', async () => {
    const id = await newAccount();
    await project.rest('PUT', `/account/${id}`, '{"metadata":{"a":1.0,"__proto__":1e400,"b":2.0}}');
    const merged = await project.rest('PUT', `/account/${id}`, '{"metadata":{"b":-0,"constructor":3.0}}');
    expect(metadataText(merged.text)).toBe('{"a":1.0,"__proto__":1e400,"b":-0,"constructor":3.0}');
    await project.rest('PUT', `/account/${id}`, { username: 'unchanged metadata' });
    expect(await readTexts(id)).toEqual(sameTexts(metadataText(merged.text)!));
  });

  it('from any request by REST and by GraphQL variables and literals', async () => {
    const id = await newAccount();
    await fc.assert(
      fc.asyncProperty(exactDocuments, async (text) => {
        const clear = unique('exact');
        const body = `{"session_id":"${await project.session()}","account":{"id":"${clear}","metadata":${text}}}`;
        const rest = await project.rest('POST', '/session/authenticate', body);
        expect(metadataText(rest.text)).toBe(text);
        expect(await readTexts(clear)).toEqual(sameTexts(text));

        const [first, second] = [await newAccount(), await newAccount()];
        const sent = JSON.stringify({ query: UPDATE, variables: { id: first, metadata: '' } });
        const byVariable = await project.rest(
          'POST',
          '/graphql',
          sent.replace('"metadata":""', `"metadata":${text}`),
        );
        expect(metadataText(byVariable.text)).toBe(text);
        const literal = `mutation { updateAccount(input: { accountId: "${second}", metadata: ${graphqlLiteral(text)} }) {
          account { metadata } } }`;
        expect(metadataText((await project.rawGraphql(literal)).text)).toBe(text);
        for (const each of [first, second]) expect(await readTexts(each)).toEqual(sameTexts(text));
      }),
      { numRuns: NUMBER_OF_RUNS },
    );
    expect(await readTexts(id)).toEqual(sameTexts('{}'));
  });

  it('from variables inside a literal, and from a registered document', async () => {
    const id = await newAccount();
    const query = `mutation Exact($id: ID!, $value: JSON) {
      updateAccount(input: { accountId: $id, metadata: { value: $value, own: 1.0, list: [$value] } }) {
        account { metadata } } }`;
    const send = (value: string) =>
      project.rest(
        'POST',
        '/graphql',
        JSON.stringify({ query, variables: { id, value: '' } }).replace('"value":""', `"value":${value}`),
      );
    expect(metadataText((await send('1.0')).text)).toBe('{"value":1.0,"own":1.0,"list":[1.0]}');
    expect(metadataText((await send('{"__proto__":2.0}')).text)).toBe(
      '{"value":{"__proto__":2.0},"own":1.0,"list":[{"__proto__":2.0}]}',
    );
    const { registerOperations } = await project.graphql(
      'mutation ($input: RegisterOperationsInput!) { registerOperations(input: $input) { operations { sha256Hash } } }',
      { input: { documents: [{ text: query }] } },
    );
    const [{ sha256Hash }] = registerOperations.operations;
    const body = `{"documentId":"sha256:${sha256Hash}","variables":{"id":"${id}","value":-0}}`;
    const registered = await project.rest('POST', '/graphql', body);
    expect(metadataText(registered.text)).toBe('{"value":-0,"own":1.0,"list":[-0]}');
  });

  it('from a mutation over a WebSocket, and in its answer', async () => {
    const opened: { close(): void }[] = [];
    const id = await newAccount();
    const socket = await openSocket(opened, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    const texts: string[] = [];
    socket.socket.on('message', (data) => texts.push(String(data)));
    await socket.acknowledged(project.key);
    const payload = JSON.stringify({ query: UPDATE, variables: { id, metadata: '' } });
    socket.send(
      `{"id":"1","type":"subscribe","payload":${payload.replace('"metadata":""', `"metadata":${EXACT}`)}}`,
    );
    expect(await socket.receive()).toMatchObject({ id: '1', type: 'next' });
    expect(texts.map(metadataText)).toContain(EXACT);
    expect(await readTexts(id)).toEqual(sameTexts(EXACT));
    for (const each of opened) each.close();
  });

  it('in a repeated answer of an Idempotency-Key', async () => {
    const body = `{"session_id":"${await project.session()}","account":{"id":"${unique('exact')}","metadata":${EXACT}}}`;
    const key = unique('key');
    const authenticate = () =>
      project.rest('POST', '/session/authenticate', body, { 'idempotency-key': key });
    const [first, repeated] = [await authenticate(), await authenticate()];
    expect(metadataText(first.text)).toBe(EXACT);
    expect(repeated.text).toBe(first.text);
  });

  it('in events by query, in deliveries of webhooks and in the export', async () => {
    const receiver = await startReceiver();
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['account.updated'] });
    const id = await newAccount();
    await project.rest('PUT', `/account/${id}`, `{"metadata":${EXACT}}`);
    await gateway.app.settleWebhooks();
    const delivered = receiver.received.find(({ body }) => body.metadata.account_id === id)!;
    expect(metadataText(delivered.text.slice(delivered.text.indexOf('"data"')))).toBe(EXACT);
    const queried = await project.rawGraphql(
      `query ($id: ID!) { events(first: 1, accountId: $id, types: [ACCOUNT_UPDATED]) { edges { node { data
        ... on AccountUpdatedEvent { accountSnapshot { metadata } } } } } }`,
      { id },
    );
    expect(queried.text.split(EXACT)).toHaveLength(3);
    const exported = await project.rawGraphql(
      'mutation ($id: ID!) { exportAccount(input: { accountId: $id }) { records { section data } } }',
      { id },
    );
    expect(exported.text.split(EXACT).length).toBeGreaterThanOrEqual(3);
    await receiver.close();
  });

  it('in events over a WebSocket and over an event stream', async () => {
    const opened: { close(): void }[] = [];
    const id = await newAccount();
    const query = `subscription { events(accountId: "${id}", types: [ACCOUNT_UPDATED]) { data } }`;
    const socket = await openSocket(opened, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    const texts: string[] = [];
    socket.socket.on('message', (data) => texts.push(String(data)));
    await socket.acknowledged(project.key);
    socket.send({ id: '1', type: 'subscribe', payload: { query } });
    const stop = new AbortController();
    const stream = await fetch(`${gateway.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': project.key, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
      signal: stop.signal,
    });
    await vi.waitFor(() => expect(gateway.app.realtimeCounts().subscribers).toBe(2), WAIT);
    await project.rest('PUT', `/account/${id}`, `{"metadata":${EXACT}}`);
    let received = '';
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      received += chunk;
      if (received.includes('"metadata":{') && received.includes('\n\n', received.indexOf('"metadata":{')))
        break;
    }
    expect(metadataText(received)).toBe(EXACT);
    await vi.waitFor(() => expect(texts.map(metadataText)).toContain(EXACT), WAIT);
    stop.abort();
    for (const each of opened) each.close();
  });

  it.each(['ndjson', 'csv'])('from an import of %s', async (format) => {
    const [id, repeated] = [unique('exact'), unique('exact')];
    const file = path.join(world.folder, `${id}.${format}`);
    const cell = `"${EXACT.replaceAll('"', '""')}"`;
    const lines = {
      ndjson: [`{"id":"${id}","metadata":${EXACT}}`, `{"id":"${repeated}","metadata":{"a":1,"a":2}}`],
      csv: ['id,metadata', `${id},${cell}`, `${repeated},"{""a"":1,""a"":2}"`],
    }[format as 'csv' | 'ndjson'];
    await writeFile(file, `${lines.join('\n')}\n`);
    const { output, errors } = await runCommand(
      ['import', 'accounts', project.projectId, file, '--format', format],
      world.environment,
    );
    expect(errors + output).toContain('1 lines imported');
    expect(await readTexts(id)).toEqual(sameTexts(EXACT));
    expect(await readFile(`${file}.problems.ndjson`, 'utf8')).toContain('Duplicate key \\"a\\"');
  });

  it('in the output of commands, of this computer and of a remote gateway', async () => {
    const id = await newAccount();
    await project.rest('PUT', `/account/${id}`, `{"metadata":${EXACT}}`);
    for (const caller of [world.local, world.remote]) {
      const { output } = await caller.call('account', 'export', id);
      expect(output.replaceAll(/\n\s*/g, '')).toContain(EXACT);
    }
  });
});

describe('what cannot be stored is refused with its path', () => {
  const TOO_LARGE = ['1e131072', '-0.1E131073', '1e-16384', '1.0e-16383', `1${'0'.repeat(9)}e999999999`];

  it.each(TOO_LARGE)('the number %s in a body of REST and in variables', async (number) => {
    const id = await newAccount();
    const metadata = `{"a":[0,{"b c":${number}}]}`;
    const rest = await project.rest('PUT', `/account/${id}`, `{"metadata":${metadata}}`);
    expect(rest.status).toBe(400);
    expect(rest.body.message).toMatch(/^metadata\.a\[1\]\["b c"\]: must have at most 131,072 digits before/);
    const body = JSON.stringify({ query: UPDATE, variables: { id, metadata: '' } });
    const sent = body.replace('"metadata":""', `"metadata":${metadata}`);
    const graphql = await project.rest('POST', '/graphql', sent);
    expect(graphql.body.errors[0].message).toMatch(
      /^variables\.metadata\.a\[1\]\["b c"\]: must have at most/,
    );
    expect(await readTexts(id)).toEqual(sameTexts('{}'));
  });

  it.each(TOO_LARGE)('the number %s in a literal', async (number) => {
    const id = await newAccount();
    const query = `mutation { updateAccount(input: { accountId: "${id}", metadata: { a: [${number}] } }) { requestId } }`;
    const { body } = await project.rawGraphql(query);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(/^input\.metadata\.a\.0: must have at most/),
      extensions: { code: 'input.invalid', inputPath: ['input', 'metadata', 'a', 0] },
    });
  });

  it('in a mutation over a WebSocket, where a repeated key is refused too', async () => {
    const opened: { close(): void }[] = [];
    const id = await newAccount();
    const socket = await openSocket(opened, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    await socket.acknowledged(project.key);
    const refusal = async (metadata: string) => {
      const payload = JSON.stringify({ query: UPDATE, variables: { id, metadata: '' } });
      const sent = payload.replace('"metadata":""', `"metadata":${metadata}`);
      socket.send(`{"id":"1","type":"subscribe","payload":${sent}}`);
      return (await socket.receive()).payload[0];
    };
    expect(await refusal('{"a":{"b":1e131072}}')).toMatchObject({
      message: expect.stringMatching(/^metadata\.a\.b: must have at most/),
      extensions: { code: 'input.invalid' },
    });
    expect(await refusal('{"a":{"b":1,"b":2}}')).toMatchObject({
      message: 'Duplicate key "b"',
      extensions: { code: 'input.invalid' },
    });
    expect(await readTexts(id)).toEqual(sameTexts('{}'));
    for (const each of opened) each.close();
  });

  it('but the largest and the smallest number pass', async () => {
    const id = await newAccount();
    const metadata = '{"largest":9e131071,"smallest":-1e-16383,"zero":0e131072}';
    const { text } = await project.rest('PUT', `/account/${id}`, `{"metadata":${metadata}}`);
    expect(metadataText(text)).toBe(metadata);
  });
});

/** The same object as a literal of a GraphQL document: keys without quotes. */
function graphqlLiteral(json: string): string {
  return json.replace(/"((?:[^"\\]|\\.)*)"(:)?/g, (quoted, key: string, colon?: string) =>
    colon ? `${key}:` : quoted,
  );
}

/** The text of the metadata in an answer; undefined without metadata. */
function metadataText(answer: string): string | undefined {
  const found = answer.indexOf('"metadata":{');
  if (found < 0) return undefined;
  const start = found + '"metadata":'.length;
  let depth = 0;
  for (const match of answer.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (match[0] === '{') depth += 1;
    if (match[0] === '}') depth -= 1;
    if (depth === 0) return answer.slice(start, start + match.index + 1);
  }
  return undefined;
}

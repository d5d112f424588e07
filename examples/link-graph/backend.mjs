/*
 * The page's own backend: serves the page, and creates a browser token for the signed-in account. The API key stays here.
 *
 *   VOUCHGRAPH_URL=http://127.0.0.1:4000 VOUCHGRAPH_API_KEY=vg_test_… ACCOUNT_ID=alice node backend.mjs
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { VOUCHGRAPH_URL, VOUCHGRAPH_API_KEY, ACCOUNT_ID, PORT = '8080' } = process.env;

const MUTATION = `mutation ($input: CreateBrowserTokenInput!) {
  createBrowserToken(input: $input) { token expiresAt }
}`;

/** The account of the request. A real backend reads it from its own session, never from the request's body. */
const signedInAccount = (_request) => ACCOUNT_ID;

async function createToken(accountId) {
  const response = await fetch(`${VOUCHGRAPH_URL}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': VOUCHGRAPH_API_KEY },
    body: JSON.stringify({
      query: MUTATION,
      variables: { input: { scopes: ['LINKS'], accountId, ttlSeconds: 300 } },
    }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data.createBrowserToken.token;
}

const FILES = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/link-graph.js': ['link-graph.js', 'text/javascript; charset=utf-8'],
};

async function answer(request) {
  if (request.method === 'POST' && request.url === '/link-graph-token') {
    const accountId = signedInAccount(request);
    const access = { gateway: VOUCHGRAPH_URL, accountId, token: await createToken(accountId) };
    return { type: 'application/json', body: JSON.stringify(access) };
  }
  const [file, type] = FILES[request.url] ?? [];
  return file ? { type, body: await readFile(new URL(file, import.meta.url)) } : null;
}

const server = createServer(async (request, response) => {
  try {
    const found = await answer(request);
    if (!found) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': found.type, 'cache-control': 'no-store' }).end(found.body);
  } catch (error) {
    console.error(error);
    response.writeHead(502).end();
  }
});

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});

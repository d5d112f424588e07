import { randomBytes, randomUUID } from 'node:crypto';
import { inject, onTestFinished, vi } from 'vitest';
import { call, type Sandbox } from '../../acceptance/gateway-process.ts';

export const sandbox = inject('sandbox');
export const graphqlUrl = ({ base_url }: Sandbox = sandbox) => `${base_url}/graphql`;
export const socketUrl = (of: Sandbox = sandbox) => graphqlUrl(of).replace('http', 'ws');
export const headers = ({ api_key }: Sandbox = sandbox) => ({ 'x-api-key': api_key });

export const unique = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;

/** An IPv4 address of its own, so that accounts share no network unless a test says so. */
function uniqueAddress(): string {
  const [a, b, c] = randomBytes(3);
  return `81.${a}.${b}.${c}`;
}

/** Authenticates an account with a new simulated session, from a device and a network of its own. */
export async function authenticate(
  account: { id: string } & Record<string, unknown>,
  facts: Record<string, unknown> = {},
  of: Sandbox = sandbox,
): Promise<void> {
  const session = await call(of, 'POST', '/session', {
    device_id: unique('device'),
    ip_address: uniqueAddress(),
    ...facts,
  });
  if (session.status !== 200) throw new Error(JSON.stringify(session));
  const { session_id } = session.body as { session_id: string };
  const answer = await call(of, 'POST', '/session/authenticate', { session_id, account });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
}

/** Authenticates accounts that share an email address, so that each is linked to all others; returns their ids. */
export async function authenticateLinked(count: number): Promise<string[]> {
  const name = unique('linked');
  const accountIds = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  for (const id of accountIds) await authenticate({ id, email: `${name}@example.com` });
  return accountIds;
}

/** Cursor after all events of the project. */
export async function headCursor(): Promise<string> {
  const { events } = await execute<{ events: { headCursor: string } }>('{ events(first: 1) { headCursor } }');
  return events.headCursor;
}

/** Headers of a browser token of an account. */
export async function tokenHeaders(
  accountId: string,
  scopes: readonly string[],
): Promise<Record<string, string>> {
  const { createBrowserToken } = await execute<{ createBrowserToken: { token: string } }>(
    'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
    { input: { accountId, scopes } },
  );
  return { authorization: `Bearer ${createBrowserToken.token}` };
}

/** A GraphQL operation over plain HTTP, for the preparation of a test. */
export async function execute<Data>(
  query: string,
  variables: Record<string, unknown> = {},
  of: Sandbox = sandbox,
): Promise<Data> {
  const { body } = await call(of, 'POST', '/graphql', { query, variables });
  const { data, errors } = body as { data: Data; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Console output of libraries while the test runs: their warnings. */
export function collectWarnings(): string[] {
  const lines: string[] = [];
  for (const method of ['warn', 'error'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation((...parts) => {
      lines.push(parts.map(String).join(' '));
    });
    onTestFinished(() => spy.mockRestore());
  }
  return lines;
}

import createClient from 'openapi-fetch';
import { expect, it } from 'vitest';
import type { paths } from '../generated/rest/openapi.ts';
import { headers, sandbox, unique } from '../support/sandbox.ts';

it('openapi-typescript types requests and responses of openapi-fetch', async () => {
  const client = createClient<paths>({ baseUrl: sandbox.base_url, headers: headers() });
  const id = unique('typescript');
  const session = await client.POST('/session', { body: {} });
  const { session_id } = session.data!;
  const authenticated = await client.POST('/session/authenticate', {
    body: { session_id: session_id!, account: { id, username: 'typed' } },
  });
  const decision: 'Real' | 'Suspicious' | 'Fake' | undefined = authenticated.data?.decision;
  expect(decision).toBe('Real');

  const path = { account_id: id };
  const { data } = await client.GET('/account/{account_id}', { params: { path } });
  const username: string | undefined = data?.account.username;
  expect(username).toBe('typed');

  const unknown = await client.GET('/account/{account_id}', {
    params: { path: { account_id: unique('none') } },
  });
  expect(unknown.error).toMatchObject({ statusCode: 400 });

  // @ts-expect-error a field that the interface does not have
  expect(data?.nobody).toBeUndefined();
});

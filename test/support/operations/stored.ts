import { unique } from '../../acceptance/interface/client.ts';
import type { Scene } from './operation.ts';

/* Parts of several requests with an Idempotency-Key. */

/** The account's own address. */
export async function addressOf({ id, project }: Scene): Promise<string> {
  const email = `${unique('own')}@example.com`;
  await project.rest('PUT', `/account/${id}`, { email });
  return email;
}

export const RULE = 'name: "rule", trigger: ANY_SESSION, expression: "account.id = \\"x\\""';

import { type Headers, post, type Result } from './gateway.ts';

/*
 * Simulated sessions of a sandbox project, for examples that need a session.
 */

const OPEN = `mutation ($simulated: SimulatedFactsInput!) {
  createSession(input: { simulated: $simulated }) { session { sessionId } }
}`;

const VISIT = `mutation ($sessionId: ID!, $account: AccountInput!) {
  authenticateSession(input: { sessionId: $sessionId, account: $account }) { decision }
}`;

/** Addresses of known providers, so that sessions have a country and a network. */
const ADDRESSES = ['8.8.8.8', '81.2.69.142', '90.54.1.1', '193.0.6.139'];

/** The session that the page opened last. */
let lastSession = '';

export class SampleError extends Error {}

/** Opens a simulated session and returns its id. */
export async function openSession(headers: Headers): Promise<string> {
  const ipAddress = ADDRESSES[Math.floor(Math.random() * ADDRESSES.length)]!;
  const simulated = {
    ipAddress,
    deviceId: 'sample device',
    browserId: `sample ${crypto.getRandomValues(new Uint32Array(2)).join('')}`,
  };
  const data = dataOf(await post({ query: OPEN, variables: { simulated } }, headers));
  const { session } = data.createSession as { session: { sessionId: string } };
  lastSession = session.sessionId;
  return lastSession;
}

/** The last session of the page, or a new one. */
export async function anySession(headers: Headers): Promise<string> {
  return lastSession || openSession(headers);
}

/** Authenticates a sample account with a new session; returns the account's id. */
export async function visit(headers: Headers): Promise<string> {
  const accountId = `sample-${Math.floor(Math.random() * 1000)}`;
  const sessionId = await openSession(headers);
  dataOf(await post({ query: VISIT, variables: { sessionId, account: { accountId } } }, headers));
  return accountId;
}

function dataOf({ data, errors }: Result): Record<string, unknown> {
  if (errors?.[0] || !data) throw new SampleError(errors?.[0]?.message ?? 'No data');
  return data;
}

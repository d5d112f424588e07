import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { digestOf } from '@vouchgraph/email/internals/providers/spelled-hashes';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A local server with the protocols of Have I Been Pwned v3 and Gravatar v3, until a test makes it fail. */
export type ProviderServer = {
  readonly url: string;
  /** Paths of the requests since the start. */
  readonly paths: string[];
  /** Breaches by address. */
  readonly breaches: Map<string, object[]>;
  /** Profiles by address. */
  readonly profiles: Map<string, object>;
  /** Handles all requests instead of the protocols; null for the protocols. */
  fault: Answer | null;
  close(): Promise<void>;
};

export const HIBP_KEY = 'hibp-key-of-a-test';
export const GRAVATAR_KEY = 'gravatar-key-of-a-test';

export async function startProviderServer(): Promise<ProviderServer> {
  const paths: string[] = [];
  const breaches = new Map<string, object[]>();
  const profiles = new Map<string, object>();
  const http = createServer((request, response) => {
    paths.push(request.url!);
    if (server.fault) server.fault(request, response);
    else if (request.url!.startsWith('/v3/profiles/')) answerGravatar(request, response, profiles);
    else answerHibp(request, response, breaches);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const server: ProviderServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    paths,
    breaches,
    profiles,
    fault: null,
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return server;
}

function answerHibp(
  request: IncomingMessage,
  response: ServerResponse,
  breaches: Map<string, object[]>,
): void {
  const url = new URL(request.url!, 'http://localhost');
  const account = /^\/api\/v3\/breachedaccount\/([^/]+)$/.exec(url.pathname)?.[1];
  const found = account === undefined ? undefined : breaches.get(decodeURIComponent(account));
  // Only names are sent unless full data is requested.
  const isWhole = url.searchParams.get('truncateResponse') === 'false';
  if (!request.headers['user-agent']) end(response, 403, { message: 'a user agent is missing' });
  else if (request.headers['hibp-api-key'] !== HIBP_KEY)
    end(response, 401, { statusCode: 401, message: 'Access denied due to invalid hibp-api-key.' });
  else if (account === undefined) end(response, 400, null);
  else if (!found) end(response, 404, null);
  else end(response, 200, isWhole ? found : found.map((each) => ({ Name: (each as { Name: string }).Name })));
}

function answerGravatar(
  request: IncomingMessage,
  response: ServerResponse,
  profiles: Map<string, object>,
): void {
  const found = [...profiles].flatMap(([address, profile]) => {
    const hash = digestOf('sha256', address).toString('hex');
    return request.url === `/v3/profiles/${hash}` ? [{ hash, ...profile }] : [];
  });
  if (request.headers.authorization !== `Bearer ${GRAVATAR_KEY}`)
    end(response, 401, { error: 'Not Authorized', code: 'not_authorized' });
  else if (found.length > 0) end(response, 200, found[0]!);
  else end(response, 404, { error: 'Profile not found', code: 'profile_not_found' });
}

function end(response: ServerResponse, status: number, body: object | null): void {
  response.writeHead(status, body === null ? {} : { 'content-type': 'application/json' });
  response.end(body === null ? '' : JSON.stringify(body));
}

/** The breach of Adobe as returned by Have I Been Pwned, with other flags. */
export function hibpBreach(changes: object = {}): object {
  return {
    Name: 'Adobe',
    Title: 'Adobe',
    Domain: 'adobe.com',
    BreachDate: '2013-10-04',
    AddedDate: '2013-12-04T00:00:00Z',
    ModifiedDate: '2022-05-15T23:52:49Z',
    PwnCount: 152_445_165,
    Description: 'In October 2013, 153 million accounts were breached.',
    LogoPath: 'https://logos.haveibeenpwned.com/Adobe.png',
    DataClasses: ['Email addresses', 'Password hints', 'Passwords', 'Usernames'],
    IsVerified: true,
    IsFabricated: false,
    IsSensitive: false,
    IsRetired: false,
    IsSpamList: false,
    IsMalware: false,
    IsSubscriptionFree: false,
    IsStealerLog: false,
    ...changes,
  };
}

import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import type { AttemptError, Outcome } from './endpoint.ts';
import { isLoopbackAddress, isLoopbackHost, isPublicAddress, plainHost, urlProblem } from './target.ts';

/*
 * Sends a delivery. A name is resolved once, all its addresses are looked at, and one of those very addresses is
 * connected to: what the name stands for a moment later changes nothing. Redirects are not followed.
 */

/** The addresses of a name; throws when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export type Sender = {
  send(target: SendTarget): Promise<Outcome>;
  close(): Promise<void>;
};

export type SendTarget = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  allowsLoopback: boolean;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 15_000;
const MOST_READ = 64 * 1024;
const MOST_KEPT = 1024;

class RefusedAddress extends Error {}
class UnknownName extends Error {}

/** Asks name servers rather than the system, which knows names of its own and lets four threads wait for all. */
export function createResolve(servers: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return async (hostname) => {
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  };
}

export function createSender({
  resolve,
  timeoutMs = TIMEOUT_MS,
}: {
  resolve: Resolve;
  timeoutMs?: number;
}): Sender {
  const toInternet = agentFor(resolve, isPublicAddress);
  const toLoopback = agentFor(resolveLoopback, isLoopbackAddress);

  async function send({ url, headers, body, allowsLoopback, signal }: SendTarget): Promise<Outcome> {
    const begun = performance.now();
    const end = (outcome: Partial<Outcome>): Outcome => ({
      status: null,
      error: '',
      answer: '',
      retryAfter: null,
      ...outcome,
      durationMs: Math.round(performance.now() - begun),
    });
    if (urlProblem(url, { allowsLoopback }) !== null) return end({ error: 'address_refused' });
    const limit = AbortSignal.timeout(timeoutMs);
    let status: number | null = null;
    try {
      const answer = await request(url, {
        dispatcher: isLoopbackHost(new URL(url).hostname) ? toLoopback : toInternet,
        method: 'POST',
        headers,
        body,
        signal: signal ? AbortSignal.any([limit, signal]) : limit,
      });
      status = answer.statusCode;
      const retryAfter = answer.headers['retry-after'];
      return end({
        status,
        error: status >= 300 && status < 400 ? 'redirect' : '',
        answer: await readBeginning(answer),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      });
    } catch (error) {
      if (signal?.aborted) return end({ status, error: 'interrupted' });
      return end({ status, error: limit.aborted ? 'timeout' : reasonOf(error) });
    }
  }

  return {
    send,
    async close() {
      await Promise.all([toInternet.destroy(), toLoopback.destroy()]);
    },
  };
}

function agentFor(resolve: Resolve, isAllowed: (address: string) => boolean): Agent {
  const lookup: LookupFunction = (hostname, options, callback) => {
    findAddresses(hostname, resolve, isAllowed).then(
      (addresses) => {
        if (options.all) return callback(null, addresses);
        const [first] = addresses;
        return callback(null, first!.address, first!.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
  const connector = buildConnector({ lookup, timeout: TIMEOUT_MS, allowH2: false });
  return new Agent({
    allowH2: false,
    pipelining: 1,
    connect: (options, callback) => {
      // Of a host that is an address already, nobody asks for its addresses.
      const host = plainHost(options.hostname);
      if (isIP(host) !== 0 && !isAllowed(host)) callback(new RefusedAddress(), null);
      else connector(options, callback);
    },
  });
}

/** All addresses of a name; none when one of them is not allowed. */
async function findAddresses(hostname: string, resolve: Resolve, isAllowed: (address: string) => boolean) {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw new UnknownName();
  if (!addresses.every(isAllowed)) throw new RefusedAddress();
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

const resolveLoopback: Resolve = async () => ['127.0.0.1', '::1'];

/** The beginning of an answer; a longer one is not waited for. */
async function readBeginning({ body }: Dispatcher.ResponseData): Promise<string> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (read < MOST_KEPT) kept.push(chunk.subarray(0, MOST_KEPT - read));
    read += chunk.length;
    // Leaving the loop ends the connection.
    if (read > MOST_READ) break;
  }
  return Buffer.concat(kept).toString('utf8');
}

function reasonOf(error: unknown): AttemptError {
  if (error instanceof RefusedAddress) return 'address_refused';
  if (error instanceof UnknownName) return 'dns';
  const { code = '', name = '', message = '' } = error as { code?: string; name?: string; message?: string };
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|ETIMEOUT)/.test(code)) return 'dns';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout';
  if (/CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO/.test(code) || /certificate/i.test(message)) return 'tls';
  return name.startsWith('HTTPParser') || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW'
    ? 'invalid_answer'
    : 'connection';
}

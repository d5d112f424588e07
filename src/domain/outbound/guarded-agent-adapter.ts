import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress, plainHost } from '@vouchgraph/events/webhooks';
import { queryWithin } from '@vouchgraph/platform/name-query';
import { Agent, buildConnector } from 'undici';

/*
 * Connections to hosts that others name. A name is resolved once, all its addresses are checked, and the connection uses one of
 * these addresses: a later change of the name has no effect.
 */

/** The addresses of a name; throws when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Time of an attempt without an answer, and limit of all attempts of a query. */
const ATTEMPT_MS = 2000;
const RESOLVE_MS = 4000;

/** The host is in a private network, or has a name with an address in one. */
export class RefusedAddress extends Error {}
/** The host has no address. */
export class UnknownName extends Error {}

/** Limits of an agent: `connectMs` of opening a connection; the others are those of undici. */
export type AgentLimits = { readonly connectMs: number } & Pick<
  Agent.Options,
  'headersTimeout' | 'bodyTimeout' | 'maxResponseSize'
>;

/** Connects to public addresses only. */
export function publicAgent(resolve: Resolve, limits: AgentLimits): Agent {
  return agentFor(resolve, isPublicAddress, limits);
}

/** Connects to this machine only, whatever the name is. */
export function loopbackAgent(limits: AgentLimits): Agent {
  return agentFor(async () => ['127.0.0.1', '::1'], isLoopbackAddress, limits);
}

/** Queries name servers instead of the system, which has local names and resolves with four threads for all. */
export function createResolve(servers: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return async (hostname) => {
    const found = await Promise.allSettled([
      queryWithin(RESOLVE_MS, () => resolver.resolve4(hostname)),
      queryWithin(RESOLVE_MS, () => resolver.resolve6(hostname)),
    ]);
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  };
}

function agentFor(
  resolve: Resolve,
  isAllowed: (address: string) => boolean,
  { connectMs, ...limits }: AgentLimits,
): Agent {
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
  const connector = buildConnector({ lookup, timeout: connectMs, allowH2: false });
  return new Agent({
    allowH2: false,
    pipelining: 1,
    ...limits,
    connect: (options, callback) => {
      // A host that is an IP address is not resolved, so it is checked here.
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

import { type MxRecord, NODATA, NOTFOUND, type promises } from 'node:dns';
import { queryWithin } from '@vouchgraph/platform/name-query';

/** Whether a domain receives mail; `unknown` if no resolver answers, or if the answer is inconclusive. */
export type MailExchange = 'accepts' | 'none' | 'unknown';

/** Reason why a domain receives no mail: it does not exist, or it has a null MX (RFC 7505). */
export type MailRefusal = 'no_such_domain' | 'null_mx';

/** Answer of name servers: `hosts` in lower case without a final dot, preferred ones first. */
export type MailRoute = {
  readonly exchange: MailExchange;
  readonly hosts: readonly string[];
  readonly refusal: MailRefusal | null;
};

/** Queries of name servers, each within its own time limit. */
export type MailResolver = {
  resolveMx(domain: string): Promise<readonly MxRecord[]>;
  resolve4(domain: string): Promise<readonly string[]>;
  resolve6(domain: string): Promise<readonly string[]>;
};

/** Maximum number of hosts; further ones are dropped. */
const MAX_HOSTS = 10;

export const UNKNOWN_ROUTE: MailRoute = { exchange: 'unknown', hosts: [], refusal: null };

/** The queries of a resolver, each with this time limit. */
export function limitQueries(
  resolver: InstanceType<typeof promises.Resolver>,
  timeoutMs: number,
): MailResolver {
  return {
    resolveMx: (domain) => queryWithin(timeoutMs, () => resolver.resolveMx(domain)),
    resolve4: (domain) => queryWithin(timeoutMs, () => resolver.resolve4(domain)),
    resolve6: (domain) => queryWithin(timeoutMs, () => resolver.resolve6(domain)),
  };
}

/**
 * Resolves the mail hosts of a domain. `none`: the domain does not exist, or has a null MX. Any failure is `unknown`: an
 * unavailable name server is no evidence about the domain.
 */
export async function resolveMailRoute(resolver: MailResolver, domain: string): Promise<MailRoute> {
  try {
    const records = await resolver.resolveMx(domain);
    return isNullExchange(records)
      ? { exchange: 'none', hosts: [], refusal: 'null_mx' }
      : { exchange: 'accepts', hosts: hostsOf(records), refusal: null };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === NOTFOUND) return { exchange: 'none', hosts: [], refusal: 'no_such_domain' };
    if (code !== NODATA) return UNKNOWN_ROUTE;
    // A domain with neither record may still be in setup; no record declares that it receives no mail.
    const hasOwnHost = await hasAddress(resolver, domain);
    return hasOwnHost ? { exchange: 'accepts', hosts: [domain.toLowerCase()], refusal: null } : UNKNOWN_ROUTE;
  }
}

/** By priority, without duplicates. Records of the root next to others have no meaning. */
function hostsOf(records: readonly { priority: number; exchange: string }[]): string[] {
  const names = records
    .toSorted((one, other) => one.priority - other.priority)
    .map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, ''))
    .filter((name) => name !== '');
  return [...new Set(names)].slice(0, MAX_HOSTS);
}

/** RFC 7505: a single record whose exchange is the root. Next to other records it has no meaning. */
function isNullExchange(records: readonly { exchange: string }[]): boolean {
  return records.length === 1 && ['', '.'].includes(records[0]!.exchange);
}

/** RFC 5321, section 5.1: without an exchange, mail goes to the address of the domain itself. */
async function hasAddress(resolver: MailResolver, domain: string): Promise<boolean> {
  return Promise.any([resolver.resolve4(domain), resolver.resolve6(domain)]).then(
    () => true,
    () => false,
  );
}

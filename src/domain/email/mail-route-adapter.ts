import { NODATA, NOTFOUND, type promises } from 'node:dns';

/** Whether a domain receives mail; `unknown` if no resolver answers, or if the answer is inconclusive. */
export type MailExchange = 'accepts' | 'none' | 'unknown';

/** Why mail to a domain goes nowhere: it does not exist, or its null MX (RFC 7505) says that it takes none. */
export type MailRefusal = 'no_such_domain' | 'null_mx';

/** What name servers answered: `hosts` in lower case without a final dot, the preferred ones first. */
export type MailRoute = {
  readonly exchange: MailExchange;
  readonly hosts: readonly string[];
  readonly refusal: MailRefusal | null;
};

type Resolver = InstanceType<typeof promises.Resolver>;

/** Domains with more are kept without the last ones. */
const MAX_HOSTS = 10;

export const UNKNOWN_ROUTE: MailRoute = { exchange: 'unknown', hosts: [], refusal: null };

/**
 * Asks the domain name system where mail for a domain goes. `none` takes a domain that does not exist, or one that
 * says that it takes no mail. Whatever goes wrong is `unknown`: a name server that is down says nothing of the domain.
 */
export async function askMailRoute(resolver: Resolver, domain: string): Promise<MailRoute> {
  try {
    const records = await resolver.resolveMx(domain);
    return isNullExchange(records)
      ? { exchange: 'none', hosts: [], refusal: 'null_mx' }
      : { exchange: 'accepts', hosts: hostsOf(records), refusal: null };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === NOTFOUND) return { exchange: 'none', hosts: [], refusal: 'no_such_domain' };
    if (code !== NODATA) return UNKNOWN_ROUTE;
    // A domain with neither record may still be in setup; nothing states that it receives no mail.
    const hasOwnHost = await hasAddress(resolver, domain);
    return hasOwnHost ? { exchange: 'accepts', hosts: [domain.toLowerCase()], refusal: null } : UNKNOWN_ROUTE;
  }
}

/** By priority, each once. Records of the root beside others mean nothing. */
function hostsOf(records: readonly { priority: number; exchange: string }[]): string[] {
  const names = records
    .toSorted((one, other) => one.priority - other.priority)
    .map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, ''))
    .filter((name) => name !== '');
  return [...new Set(names)].slice(0, MAX_HOSTS);
}

/** RFC 7505: one record, whose exchange is the root. Beside others it means nothing. */
function isNullExchange(records: readonly { exchange: string }[]): boolean {
  return records.length === 1 && ['', '.'].includes(records[0]!.exchange);
}

/** RFC 5321, section 5.1: without an exchange, mail goes to the address of the domain itself. */
async function hasAddress(resolver: Resolver, domain: string): Promise<boolean> {
  return Promise.any([resolver.resolve4(domain), resolver.resolve6(domain)]).then(
    () => true,
    () => false,
  );
}

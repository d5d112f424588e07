import { NODATA, NOTFOUND, type promises } from 'node:dns';

/** Whether mail to a domain goes anywhere; `unknown` when nobody could be asked, or the answer leaves it open. */
export type MailExchange = 'accepts' | 'none' | 'unknown';

type Resolver = InstanceType<typeof promises.Resolver>;

/**
 * Asks the domain name system where mail for a domain goes. `none` takes a domain that does not exist, or one that
 * says that it takes no mail. Whatever goes wrong is `unknown`: a name server that is down says nothing of the domain.
 */
export async function askMailRoute(resolver: Resolver, domain: string): Promise<MailExchange> {
  try {
    return isNullExchange(await resolver.resolveMx(domain)) ? 'none' : 'accepts';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === NOTFOUND) return 'none';
    if (code !== NODATA) return 'unknown';
    // A domain with neither record may be about to get them; that it takes no mail is said by nobody.
    return (await hasAddress(resolver, domain)) ? 'accepts' : 'unknown';
  }
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

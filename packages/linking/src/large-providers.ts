import providers from '../data/large-providers.json' with { type: 'json' };

/** Providers with so many mailboxes that two people with the same name often have near emails. */
export const LARGE_PROVIDERS: ReadonlySet<string> = new Set(providers);

/** Brands with domains in many countries. */
const LARGE_BRANDS = /^(?:yahoo|hotmail|outlook|live|gmx|yandex)\.[a-z]{2,3}(?:\.[a-z]{2})?$/;

/** Whether a mail domain in lower case is that of a large provider of personal mailboxes. */
export function isLargeProvider(domain: string): boolean {
  return LARGE_PROVIDERS.has(domain) || LARGE_BRANDS.test(domain);
}

import { readMailDomain } from '@vouchgraph/email';
import { invalidInput } from '@vouchgraph/platform/errors';
import { inputShape } from '@vouchgraph/platform/input-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { tooManyText } from '@vouchgraph/platform/wording';
import { z } from 'zod';

const domains = (description: string) => z.array(z.string()).nullish().describe(description);

export const emailDomainsChangeShape = inputShape(
  'UpdateEmailDomainsInput',
  `Email domains to add to the lists of the project, and to remove from them, at most ${LIMITS.emailDomains.toLocaleString('en')} in each field.`,
  {
    addDisposable: domains(
      'Domains to treat as disposable, such as trash.example.com. Subdomains are included.',
    ),
    removeDisposable: domains('Disposable domains to remove. Domains that are not on the list are ignored.'),
    addTrusted: domains('Domains to treat as trusted, regardless of public lists. Subdomains are included.'),
    removeTrusted: domains('Trusted domains to remove. Domains that are not on the list are ignored.'),
  },
);
export type EmailDomainsChange = z.output<typeof emailDomainsChangeShape>;

/** Both lists of a project, each in ASCII lower case and in order. */
export type EmailDomains = { readonly disposableDomains: string[]; readonly trustedDomains: string[] };

/**
 * The lists after a change. Removals come first, so that one change moves a domain. An entry that exists already, or no
 * longer, is no mistake. Throws `input.invalid` with the field of the first wrong entry.
 */
export function changeEmailDomains(stored: EmailDomains, change: EmailDomainsChange): EmailDomains {
  const add = {
    disposableDomains: readDomains('addDisposable', change.addDisposable),
    trustedDomains: readDomains('addTrusted', change.addTrusted),
  };
  const remove = {
    disposableDomains: readDomains('removeDisposable', change.removeDisposable),
    trustedDomains: readDomains('removeTrusted', change.removeTrusted),
  };
  refuseBoth('addDisposable', add.disposableDomains, 'removeDisposable', remove.disposableDomains);
  refuseBoth('addTrusted', add.trustedDomains, 'removeTrusted', remove.trustedDomains);
  refuseBoth('addTrusted', add.trustedDomains, 'addDisposable', add.disposableDomains);
  const remaining = {
    disposableDomains: without(stored.disposableDomains, remove.disposableDomains),
    trustedDomains: without(stored.trustedDomains, remove.trustedDomains),
  };
  refuseBoth('addDisposable', add.disposableDomains, 'trustedDomains', remaining.trustedDomains);
  refuseBoth('addTrusted', add.trustedDomains, 'disposableDomains', remaining.disposableDomains);
  return {
    disposableDomains: joined('addDisposable', remaining.disposableDomains, add.disposableDomains),
    trustedDomains: joined('addTrusted', remaining.trustedDomains, add.trustedDomains),
  };
}

/** Domains as they are stored, in the order given. */
function readDomains(field: string, texts: readonly string[] | null = []): string[] {
  if (texts === null) return [];
  if (texts.length > LIMITS.emailDomains)
    throw invalidInput(`${field}: ${tooManyText(LIMITS.emailDomains)}`, [field]);
  return texts.map((text, index) => {
    const read = readMailDomain(text);
    if ('domain' in read) return read.domain;
    const wanted =
      read.refused === 'invalid'
        ? 'must be a domain such as mail.example.com'
        : 'must not be a public suffix';
    throw invalidInput(`${field}.${index}: ${wanted}`, [field, index]);
  });
}

function refuseBoth(field: string, domains: readonly string[], other: string, others: readonly string[]) {
  const taken = new Set(others);
  const index = domains.findIndex((domain) => taken.has(domain));
  if (index >= 0) throw invalidInput(`${field}.${index}: must not also be in ${other}`, [field, index]);
}

function without(domains: readonly string[], removed: readonly string[]): string[] {
  const gone = new Set(removed);
  return domains.filter((domain) => !gone.has(domain));
}

function joined(field: string, domains: readonly string[], added: readonly string[]): string[] {
  const all = [...new Set([...domains, ...added])].sort();
  if (all.length > LIMITS.emailDomains)
    throw invalidInput(`${field}: ${tooManyText(LIMITS.emailDomains)}`, [field]);
  return all;
}

/** Result of a change: added and removed domains by list; unchanged lists are omitted. */
export function differenceOf(before: EmailDomains, after: EmailDomains) {
  const names = ['disposableDomains', 'trustedDomains'] as const;
  const lists = names.filter((name) => before[name].join() !== after[name].join());
  const pick = (from: EmailDomains, other: EmailDomains) =>
    Object.fromEntries(lists.map((name) => [name, without(from[name], other[name])]));
  return { removed: pick(before, after), added: pick(after, before) };
}

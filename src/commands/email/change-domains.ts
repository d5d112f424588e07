import { noneText, print, printJson, UsageError } from '@vouchgraph/terminal';
import type { Api } from '../support/api.ts';
import { EMAIL_DOMAINS, UPDATE_EMAIL_DOMAINS } from './documents.ts';

type Domains = { readonly disposableDomains: string[]; readonly trustedDomains: string[] };
type ListOptions = { readonly disposable?: boolean; readonly trusted?: boolean; readonly json?: boolean };
type ChangeOptions = {
  readonly disposable?: string[];
  readonly trusted?: string[];
  readonly json?: boolean;
};

/** Prints the domains of the project. */
export async function listDomains(api: Api, { disposable, trusted, json }: ListOptions): Promise<void> {
  const { project } = await api.run<{ project: { settings: Domains } }>(EMAIL_DOMAINS);
  const { disposableDomains, trustedDomains } = project.settings;
  const isAll = !disposable && !trusted;
  const shown = {
    ...(isAll || disposable ? { disposable: disposableDomains } : {}),
    ...(isAll || trusted ? { trusted: trustedDomains } : {}),
  };
  if (json) return printJson(shown);
  for (const [list, domains] of Object.entries(shown))
    for (const domain of domains) print(`${list.padEnd(10)}  ${domain}`);
  if (Object.values(shown).every((domains) => domains.length === 0)) print(noneText('domains'));
}

/** Adds domains, and prints how many there are. */
export function addDomains(api: Api, options: ChangeOptions): Promise<void> {
  const { disposable, trusted } = domainsOf(options);
  return changeDomains(api, { addDisposable: disposable, addTrusted: trusted }, options.json);
}

/** Removes domains, and prints how many are left. */
export function removeDomains(api: Api, options: ChangeOptions): Promise<void> {
  const { disposable, trusted } = domainsOf(options);
  return changeDomains(api, { removeDisposable: disposable, removeTrusted: trusted }, options.json);
}

function domainsOf({ disposable = [], trusted = [] }: ChangeOptions) {
  if (disposable.length + trusted.length === 0)
    throw new UsageError('--disposable or --trusted is required', 'disposable');
  return { disposable, trusted };
}

async function changeDomains(api: Api, input: object, isJson = false): Promise<void> {
  const { updateEmailDomains } = await api.run<{ updateEmailDomains: { settings: Domains } }>(
    UPDATE_EMAIL_DOMAINS,
    { input },
  );
  const { disposableDomains, trustedDomains } = updateEmailDomains.settings;
  if (isJson) return printJson({ disposable: disposableDomains, trusted: trustedDomains });
  print(`${disposableDomains.length} disposable and ${trustedDomains.length} trusted domains.`);
  print('Takes effect within a second.');
}

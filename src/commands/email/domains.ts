import type { Command } from 'commander';
import { systemClock } from '../../platform/clock.ts';
import { JSON_OPTION } from '../support/arguments.ts';
import { print, printJson } from '../support/print.ts';
import { UsageError } from '../support/usage-error.ts';
import { withProject } from '../support/with-database.ts';

type ListOptions = { readonly disposable?: boolean; readonly trusted?: boolean; readonly json?: boolean };
type ChangeOptions = {
  readonly disposable?: string[];
  readonly trusted?: string[];
  readonly json?: boolean;
};

/** Registers `email domains`. */
export function addEmailDomainsCommand(email: Command): void {
  const domains = email
    .command('domains')
    .description('disposable and trusted mail domains of a project; subdomains are covered');
  domains
    .command('list')
    .description('list the domains')
    .argument('<project>', 'id of the project')
    .option('--disposable', 'disposable domains only')
    .option('--trusted', 'trusted domains only')
    .option(...JSON_OPTION)
    .action(listDomains);
  domains
    .command('add')
    .description('add domains; if one is invalid, none is added')
    .argument('<project>', 'id of the project')
    .option('--disposable <domain...>', 'domains to treat as disposable')
    .option('--trusted <domain...>', 'domains to trust, regardless of public lists')
    .option(...JSON_OPTION)
    .action((id: string, options: ChangeOptions) => changeDomains(id, 'add', options));
  domains
    .command('remove')
    .description('remove domains; unknown domains are ignored')
    .argument('<project>', 'id of the project')
    .option('--disposable <domain...>', 'disposable domains to remove')
    .option('--trusted <domain...>', 'trusted domains to remove')
    .option(...JSON_OPTION)
    .action((id: string, options: ChangeOptions) => changeDomains(id, 'remove', options));
}

async function listDomains(projectId: string, options: ListOptions): Promise<void> {
  const { disposableDomains, trustedDomains } = await withProject(
    projectId,
    1,
    async ({ project }) => project.settings,
  );
  const isAll = !options.disposable && !options.trusted;
  const shown = {
    ...(isAll || options.disposable ? { disposable: disposableDomains } : {}),
    ...(isAll || options.trusted ? { trusted: trustedDomains } : {}),
  };
  if (options.json) {
    printJson(shown);
    return;
  }
  for (const [list, domains] of Object.entries(shown))
    for (const domain of domains) print(`${list.padEnd(10)}  ${domain}`);
  if (Object.values(shown).every((domains) => domains.length === 0)) print('No domains yet.');
}

async function changeDomains(
  projectId: string,
  how: 'add' | 'remove',
  { disposable = [], trusted = [], json }: ChangeOptions,
): Promise<void> {
  const { disposableDomains, trustedDomains } = await withProject(projectId, 1, async (viewer) => {
    if (disposable.length + trusted.length === 0)
      throw new UsageError('--disposable or --trusted is required', 'disposable');
    const { createSettingsService } = await import('../../domain/projects/settings-service.ts');
    const change =
      how === 'add'
        ? { addDisposable: disposable, addTrusted: trusted }
        : { removeDisposable: disposable, removeTrusted: trusted };
    return createSettingsService({ clock: systemClock }).updateEmailDomains(viewer, null, change);
  });
  if (json) {
    printJson({ disposable: disposableDomains, trusted: trustedDomains });
    return;
  }
  print(`${disposableDomains.length} disposable and ${trustedDomains.length} trusted domains.`);
  print('Takes effect within a second.');
}

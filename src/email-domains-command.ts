import type { Command } from 'commander';
import type { ProjectForCommandLine } from './app.ts';
import { invalidInput } from './platform/errors.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

type ListOptions = { readonly disposable?: boolean; readonly trusted?: boolean; readonly json?: boolean };
type ChangeOptions = {
  readonly disposable?: readonly string[];
  readonly trusted?: readonly string[];
  readonly json?: boolean;
};

/** Opens a project for as long as the work takes. */
type WithProject = (
  projectId: string,
  work: (project: ProjectForCommandLine) => Promise<void>,
) => Promise<void>;

/** Adds `domains list`, `domains add` and `domains remove` to the command `email`. */
export function addEmailDomainCommands(email: Command, withProject: WithProject): void {
  const domains = email
    .command('domains')
    .description('disposable and trusted mail domains of a project; subdomains are covered');
  domains
    .command('list')
    .description('list the domains')
    .argument('<project>', 'id of the project')
    .option('--disposable', 'disposable domains only')
    .option('--trusted', 'trusted domains only')
    .option('--json', 'print JSON instead of text')
    .action((id: string, options: ListOptions) =>
      withProject(id, async (project) => listDomains(project, options)),
    );
  domains
    .command('add')
    .description('add domains; all of them or none')
    .argument('<project>', 'id of the project')
    .option('--disposable <domain...>', 'domains to treat as disposable')
    .option('--trusted <domain...>', 'domains to trust whatever the public lists say')
    .option('--json', 'print JSON instead of text')
    .action((id: string, options: ChangeOptions) =>
      withProject(id, (project) => changeDomains(project, 'add', options)),
    );
  domains
    .command('remove')
    .description('remove domains; absent ones are ignored')
    .argument('<project>', 'id of the project')
    .option('--disposable <domain...>', 'domains to remove from the disposable ones')
    .option('--trusted <domain...>', 'domains to remove from the trusted ones')
    .option('--json', 'print JSON instead of text')
    .action((id: string, options: ChangeOptions) =>
      withProject(id, (project) => changeDomains(project, 'remove', options)),
    );
}

function listDomains({ viewer }: ProjectForCommandLine, options: ListOptions): void {
  const { disposableDomains, trustedDomains } = viewer.project.settings;
  const isAll = !options.disposable && !options.trusted;
  const shown = {
    ...(isAll || options.disposable ? { disposable: disposableDomains } : {}),
    ...(isAll || options.trusted ? { trusted: trustedDomains } : {}),
  };
  if (options.json) {
    print(JSON.stringify(shown, null, 2));
    return;
  }
  for (const [list, domains] of Object.entries(shown))
    for (const domain of domains) print(`${list.padEnd(10)}  ${domain}`);
  if (Object.values(shown).every((domains) => domains.length === 0)) print('No domains yet.');
}

async function changeDomains(
  { viewer, settings }: ProjectForCommandLine,
  how: 'add' | 'remove',
  { disposable = [], trusted = [], json }: ChangeOptions,
): Promise<void> {
  if (disposable.length + trusted.length === 0)
    throw invalidInput('Domains are missing: --disposable or --trusted is required');
  const change =
    how === 'add'
      ? { addDisposable: disposable, addTrusted: trusted }
      : { removeDisposable: disposable, removeTrusted: trusted };
  const { disposableDomains, trustedDomains } = await settings.updateEmailDomains(viewer, null, change);
  if (json) {
    print(JSON.stringify({ disposable: disposableDomains, trusted: trustedDomains }, null, 2));
    return;
  }
  print(`${disposableDomains.length} disposable and ${trustedDomains.length} trusted domains.`);
  print('In force within a second.');
}

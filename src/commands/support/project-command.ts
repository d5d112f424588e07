import { printNotice } from '@vouchgraph/terminal';
import { type Command, Option } from 'commander';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { Api } from './api.ts';
import { JSON_OPTION } from './arguments.ts';
import { gatewaySource, URL_VARIABLE } from './gateway-source.ts';
import type { CommandStorage } from './open-project.ts';
import { chooseProject, PROJECT } from './project-argument.ts';
import type { Target } from './with-api.ts';
import { withProject } from './with-database.ts';

/*
 * Commands on one project: of the local database, selected by the argument [project], or of a remote gateway, whose key
 * belongs to one project. With a gateway there is no [project]. Commander checks the number of arguments, so the target
 * must be known before arguments are declared.
 */

const KEY_VARIABLE = 'VOUCHGRAPH_API_KEY';

export type ProjectOptions = { url?: string; key?: string; keyFile?: string; json?: boolean };

/** Help of a command group whose commands also reach a gateway over HTTP. */
export const REMOTE_HELP = `
With --url, or ${URL_VARIABLE}, a command calls a gateway over HTTP, and [project] is omitted: the key belongs to one
project. Without it, a command opens the database of DATABASE_URL or DATA_DIR. Set the key in ${KEY_VARIABLE} or pass
--key-file: other users of the machine can read an argument.

[project] can also be omitted if the database contains one project. Before any number of other arguments, such as
accounts, it is recognized by the form of its id, a UUID. Without --url, the id of a
project is never read as another argument.`;

/** A command on one project, with its first argument and the options of the gateway. */
export function projectCommand(
  parent: Command,
  name: string,
  description: string,
  { isDefault = false }: { isDefault?: boolean } = {},
): Command {
  const command = parent.command(name, { isDefault }).description(description);
  if (gatewaySource() === null)
    command.argument(`[${PROJECT}]`, 'id of the project; optional if there is only one; omitted with --url');
  return command;
}

/** A command on one project of the local database. */
export function localProjectCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(`${description}; local database only`)
    .argument(`[${PROJECT}]`, 'id of the project; optional if there is only one');
}

/** Adds the options of all commands on one project, after those of the command. */
export function addProjectOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'gateway to call instead of the local database').env(URL_VARIABLE))
    .addOption(new Option('--key-file <file>', 'file with an API key of the gateway'))
    .addOption(new Option('--key <key>', 'API key of the gateway').env(KEY_VARIABLE))
    .option(...JSON_OPTION);
}

/**
 * The action of a command on one project: `pick` returns the function of a module that receives the options and the arguments
 * behind [project]. The module is loaded when the command runs.
 */
export function inProject<Module, Own extends object, Values extends unknown[]>(
  load: () => Promise<Module>,
  pick: (module: Module) => (api: Api, options: ProjectOptions & Own, ...values: Values) => Promise<void>,
): (...given: unknown[]) => Promise<void> {
  return withTarget<Own, Values>(async (target, options, ...values) => {
    const { withApi } = await import('./with-api.ts');
    await withApi(target, async (api, isFirst) =>
      pick(await load())(api, options, ...ownValues(values, isFirst)),
    );
  });
}

/** The same for a command that connects on its own. */
export function withTarget<Own extends object, Values extends unknown[]>(
  work: (target: Target, options: ProjectOptions & Own, ...values: Values) => Promise<void>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.pop() as Command;
    const options = given.pop() as ProjectOptions & Own;
    const { choice, values } =
      gatewaySource() !== null ? { choice: null, values: given } : chooseProject(command, given);
    const { url, key, keyFile } = options;
    const isKeyGiven = command.getOptionValueSource('key') === 'cli';
    await work({ url, key, keyFile, isKeyGiven, project: choice }, options, ...(values as Values));
  };
}

/** The action of a local command, with this many connections to the database. */
export function inLocalProject<Own extends object, Values extends unknown[]>(
  connections: number | ((options: Own) => number),
  work: (project: LocalProject, options: Own, ...values: Values) => Promise<void>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.pop() as Command;
    const options = given.pop() as Own;
    const { choice, values } = chooseProject(command, given);
    if (gatewaySource() === URL_VARIABLE)
      printNotice(
        `${URL_VARIABLE} is set, but this command uses the local database.`,
        (options as { json?: boolean }).json,
      );
    const number = typeof connections === 'number' ? connections : connections(options);
    await withProject(choice, number, (viewer, storage, isFirst) =>
      work({ viewer, storage }, options, ...ownValues(values as Values, isFirst)),
    );
  };
}

export type LocalProject = { readonly viewer: Viewer; readonly storage: CommandStorage };

/** The arguments of the command without a project that it has read as its first, optional argument. */
function ownValues<Values extends unknown[]>(values: Values, isFirst: boolean): Values {
  return (isFirst ? [...values.slice(1), undefined] : values) as Values;
}

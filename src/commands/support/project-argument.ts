import { isUuid } from '@vouchgraph/platform/ids';
import { Command, CommanderError } from 'commander';

/*
 * The first argument of a command on one project is the project, and can be omitted. Commander assigns arguments by their
 * places, so an omitted project gets a placeholder before the arguments are parsed.
 */

/** The name of the argument. */
export const PROJECT = 'project';

/** An argument of a process cannot contain NUL, so no caller can pass the placeholder, not even as an empty variable. */
const OMITTED = '\0';

export const isOmitted = (project: string): boolean => project === OMITTED;

/** Whether the first argument of a command is the project. */
export const hasProject = ({ registeredArguments: [first] }: Command): boolean => first?.name() === PROJECT;

/** The arguments of a command, with a placeholder for an omitted project. */
export function withProjectArgument(command: Command, args: readonly string[]): string[] {
  if (!hasProject(command)) return [...args];
  const given = operandsOf(command, args);
  return given === null || namesProject(command, given) ? [...args] : [OMITTED, ...args];
}

/**
 * Whether the first argument is the project: there is one more than the command has. With any number of arguments it is
 * one in the form of an id if enough others follow.
 */
function namesProject({ registeredArguments: [, ...own] }: Command, given: readonly string[]): boolean {
  if (!own.some(({ variadic }) => variadic)) return given.length > own.length;
  return given.length > own.filter(({ required }) => required).length && isUuid(given[0]!);
}

/** The arguments that are no options nor values of options; null if commander rejects the options. */
function operandsOf({ options }: Command, args: readonly string[]): string[] | null {
  const reader = new Command().exitOverride().configureOutput({ outputError: () => {} });
  for (const option of options) reader.addOption(option);
  try {
    return reader.parseOptions([...args]).operands;
  } catch (error) {
    if (error instanceof CommanderError) return null;
    throw error;
  }
}

/** The project of a call, and the arguments among which it can be. */
export type ProjectChoice = {
  /** As given; null if it is omitted. */
  readonly given: string | null;
  /** The other arguments, in the order of the call. */
  readonly own: readonly { readonly name: string; readonly value: string }[];
  /** Whether the command can do without other arguments. */
  readonly isOptional: boolean;
  /** The argument that is missing if the first one is the project after all. */
  readonly missing: string;
};

/** Reads the project of a call and the other arguments of the command, as its action receives them. */
export function chooseProject(
  { registeredArguments: [, ...own] }: Command,
  [project, ...values]: readonly unknown[],
): { choice: ProjectChoice; values: unknown[] } {
  const required = own.filter((each) => each.required);
  return {
    choice: {
      given: typeof project === 'string' && !isOmitted(project) ? project : null,
      own: own.flatMap((argument, index) =>
        [values[index]].flat().flatMap((value) => {
          return typeof value === 'string' ? [{ name: argument.name(), value }] : [];
        }),
      ),
      isOptional: required.length === 0,
      missing: required.at(-1)?.name() ?? '',
    },
    values,
  };
}

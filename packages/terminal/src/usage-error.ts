import { OperatorError } from '@vouchgraph/platform/errors';
import { camelCase } from '@vouchgraph/platform/letter-case';

/** A call of a command that cannot be carried out as it is written. The process ends with the exit code 2. */
export class UsageError extends OperatorError {
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

/** Throws a UsageError if none of the options, with names in snake case, is present. */
export function requireChange(options: object, names: readonly string[]): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  if (names.some((name) => given[camelCase(name)] !== undefined)) return;
  throw new UsageError(
    `nothing to change: pass ${names.map((name) => `--${name.replaceAll('_', '-')}`).join(' or ')}`,
    names[0],
  );
}

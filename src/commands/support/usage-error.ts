import { OperatorError } from '../../platform/errors.ts';

/** A call of a command that cannot be carried out as it is written. The process ends with the exit code 2. */
export class UsageError extends OperatorError {
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

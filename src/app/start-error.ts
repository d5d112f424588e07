import { OperatorError } from '../platform/errors.ts';

/** The service cannot start; the message is one line for the operator. */
export class StartError extends OperatorError {}

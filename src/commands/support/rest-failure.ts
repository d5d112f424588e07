import { AppError, type ErrorKind, STATUS_OF_KIND } from '../../platform/errors.ts';
import { foreignAnswer } from './remote-http.ts';

const KINDS = Object.keys(STATUS_OF_KIND) as ErrorKind[];

const CODES: Partial<Record<ErrorKind, string>> = {
  invalid_input: 'input.invalid',
  unauthenticated: 'auth.unauthenticated',
  forbidden: 'auth.forbidden',
};

/**
 * The error of a response of REST, which has no codes. The field is the name before the message, as in
 * `email_column: must be …`.
 */
export function failureOf(address: string, status: number, text: string): AppError {
  const message = messageOf(text);
  const kind = KINDS.find((each) => STATUS_OF_KIND[each] === status);
  if (kind === undefined || message === null) return foreignAnswer(address, status);
  const [, field] = /^([a-z_]+): /.exec(message) ?? [];
  return new AppError(CODES[kind] ?? 'gateway.rejected', kind, message, {
    path: field === undefined ? undefined : [field],
  });
}

function messageOf(text: string): string | null {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : null;
  } catch {
    return null;
  }
}

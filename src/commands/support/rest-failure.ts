import { AppError, type ErrorKind, STATUS_OF_KIND } from '@vouchgraph/platform/errors';
import { foreignAnswer } from './remote-http.ts';

const KINDS = Object.keys(STATUS_OF_KIND) as ErrorKind[];

/** The error of a response of REST. The field is the name before the message, as in `email_column: must be …`. */
export function failureOf(address: string, status: number, text: string): AppError {
  const refusal = refusalOf(text);
  const kind = KINDS.find((each) => STATUS_OF_KIND[each] === status);
  if (kind === undefined || refusal === null) return foreignAnswer(address, status);
  const { code, message } = refusal;
  const [, field] = /^([a-z_]+): /.exec(message) ?? [];
  return new AppError(code, kind, message, { path: field === undefined ? undefined : [field] });
}

function refusalOf(text: string): { code: string; message: string } | null {
  try {
    const { code, message } = JSON.parse(text) as { code?: unknown; message?: unknown };
    return typeof code === 'string' && typeof message === 'string' ? { code, message } : null;
  } catch {
    return null;
  }
}

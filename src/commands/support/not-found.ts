import { AppError } from '@vouchgraph/platform/errors';

/** Objects that an argument or an option of a command names: the noun of their error, and the argument, by its code. */
const OBJECTS = {
  'account.not_found': ['Account', 'account'],
  'email.import_not_found': ['Email import', 'import'],
  'key.not_found': ['Key', 'key'],
  'list.not_found': ['List', 'list'],
  'project.not_found': ['Project', 'project'],
  'rule.not_found': ['Rule', 'rule'],
  'session.not_found': ['Session', 'session'],
  'verification.session_not_found': ['Verification', 'verification'],
  'webhook.delivery_not_found': ['Webhook delivery', 'delivery'],
  'webhook.endpoint_not_found': ['Webhook endpoint', 'endpoint'],
} as const satisfies Readonly<Record<string, readonly [noun: string, argument: string]>>;

export type NotFoundCode = keyof typeof OBJECTS;

/** The error of an object that does not exist, named as in the call. */
export function notFound(code: NotFoundCode, name: string, hint = ''): AppError {
  return named(code, `${OBJECTS[code][0]} not found: ${JSON.stringify(name)}${hint}`);
}

function named(code: NotFoundCode, message: string): AppError {
  return new AppError(code, 'not_found', message, { path: [OBJECTS[code][1]] });
}

/** The same error for one of the API, which may not name the object; `nameIn` reads the argument of the call. */
export function namedNotFound(error: AppError, nameIn: (argument: string) => string | undefined): AppError {
  if (!(error.code in OBJECTS)) return error;
  const code = error.code as NotFoundCode;
  if (error.message.includes(' not found: ')) return error.inputPath ? error : named(code, error.message);
  const [message, hint] = /^[^:]* not found\.?(;.*)?$/s.exec(error.message) ?? [];
  if (message === undefined) return error;
  const name = nameIn(OBJECTS[code][1]);
  return name === undefined ? error : notFound(code, name, hint);
}

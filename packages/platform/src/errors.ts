/** Class of an error; each protocol maps it to its own status. */
export type ErrorKind =
  | 'invalid_input'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'unprocessable'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

/** HTTP status of each kind, unless an older interface requires another one. */
export const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
};

/** Maximum length of client input quoted in a message. */
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 1000;
/** Quoted text, a word, or a separator. */
const PIECE = /"(?:[^"\\]+|\\.)*"?|[^\s|"]+|[\s|]+/gs;

/** Truncates quoted input of a message for the client. */
export function boundedMessage(message: string): string {
  if (message.length <= MAX_NAME_LENGTH) return message;
  let bounded = '';
  for (const [piece] of message.matchAll(PIECE)) {
    const quotes = piece.startsWith('"') ? 1 : 0;
    const isLong = piece.length > MAX_NAME_LENGTH + 2 * quotes;
    bounded += isLong ? `${piece.slice(0, MAX_NAME_LENGTH + quotes)}…${'"'.repeat(quotes)}` : piece;
    if (bounded.length > MAX_MESSAGE_LENGTH) return `${bounded.slice(0, MAX_MESSAGE_LENGTH)}…`;
  }
  return bounded;
}

export type AppErrorOptions = {
  /** Path of the invalid input, e.g. ['account', 'email']. */
  path?: ReadonlyArray<string | number>;
  /** Seconds after which the client can retry. */
  retryAfterSeconds?: number;
  /** Machine-readable details, such as the position of an error in a text. */
  details?: Readonly<Record<string, number | string>>;
  /** Additional entries of the error's `extensions`, for GraphQL clients. */
  extensions?: Readonly<Record<string, number | string>>;
  cause?: unknown;
};

/** A condition that the operator can fix. It is reported as one line without a stack. */
export class OperatorError extends Error {}

/**
 * The only error that the domain throws intentionally. `code` is stable (`domain.reason`). `message` is public: it can quote
 * client input, but never a secret, SQL, a column or a file path.
 */
export class AppError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  /** Not named `path`: graphql-js treats an error with a path as already located in the response. */
  readonly inputPath: ReadonlyArray<string | number> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, number | string>> | undefined;
  readonly extensions: Readonly<Record<string, number | string>> | undefined;

  constructor(code: string, kind: ErrorKind, publicMessage: string, options: AppErrorOptions = {}) {
    super(boundedMessage(publicMessage), { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.kind = kind;
    this.inputPath = options.path?.map((part) => (typeof part === 'string' ? boundedMessage(part) : part));
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
    this.extensions = options.extensions;
  }
}

/** The input is invalid; nothing was changed. */
export function invalidInput(message: string, path?: ReadonlyArray<string | number>): AppError {
  return new AppError('input.invalid', 'invalid_input', message, { path });
}

/** The same error for an unknown, expired and revoked key, token or secret. */
export function unauthenticated(): AppError {
  const message = 'Unauthorized: unknown, expired or revoked key or token';
  return new AppError('auth.unauthenticated', 'unauthenticated', message);
}

/** The caller is authenticated but not permitted. */
export function forbidden(message: string): AppError {
  return new AppError('auth.forbidden', 'forbidden', message);
}

/** The database or another service is temporarily unavailable; nothing was changed. */
export function unavailable(cause?: unknown): AppError {
  return new AppError('service.unavailable', 'unavailable', 'Service unavailable, try again shortly', {
    retryAfterSeconds: 1,
    cause,
  });
}

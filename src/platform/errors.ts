/** What went wrong, as a class of outcomes; each face maps it to its own status. */
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

/** The HTTP status that stands for a kind where no older interface prescribes another. */
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

/** Names and values of the client that a message repeats are cut to this. */
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 1000;
/** Quoted text, a word, or what separates them. */
const PIECE = /"(?:[^"\\]+|\\.)*"?|[^\s|"]+|[\s|]+/gs;

/** A message for the client in which what it repeats of the request is short. */
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
  /** Where in the input the mistake is, e.g. ['account', 'email']. */
  path?: ReadonlyArray<string | number>;
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number;
  /** More that a program can use, such as where in a text the mistake is. */
  details?: Readonly<Record<string, number | string>>;
  /** Entries of the error's `extensions` beside its code, for GraphQL clients. */
  extensions?: Readonly<Record<string, number | string>>;
  cause?: unknown;
};

/** A condition that the operator can correct: the message is one line without a stack. */
export class OperatorError extends Error {}

/**
 * The only error that the domain throws on purpose. `code` is stable (`domain.reason`); `message` is public: it
 * may quote what the caller sent, never a secret, SQL, a column or a path on disk.
 */
export class AppError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  /** Not `path`: graphql-js takes an error with a path for one that has its place in the answer. */
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

/** A value of the input breaks a rule; nothing was changed. */
export function invalidInput(message: string, path?: ReadonlyArray<string | number>): AppError {
  return new AppError('input.invalid', 'invalid_input', message, { path });
}

/** No key, a wrong key, a revoked key: all alike. */
export function unauthenticated(message = 'Unauthorized'): AppError {
  return new AppError('auth.unauthenticated', 'unauthenticated', message);
}

/** The caller is known and may not do this. */
export function forbidden(message: string): AppError {
  return new AppError('auth.forbidden', 'forbidden', message);
}

/** The database or another part is away for the moment; nothing was changed. */
export function unavailable(cause?: unknown): AppError {
  return new AppError('service.unavailable', 'unavailable', 'Service unavailable, try again shortly', {
    retryAfterSeconds: 1,
    cause,
  });
}

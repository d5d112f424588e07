/** Environment of a project. */
export type Environment = 'sandbox' | 'production';

export type ErrorCode =
  | 'not_configured'
  | 'environment_mismatch'
  | 'refused'
  | 'server_error'
  | 'network_error'
  | 'timeout';

export type Options = {
  /** Public id of the project. */
  projectId: string;
  /** URL of the service. Required unless the module is loaded from the service. */
  baseUrl?: string;
  /** Required environment of the project. Another one gives the error `environment_mismatch`. */
  environment?: Environment;
  /** `true` lets the browser ask the user for the position; `'granted'` reads the position only if the user already allowed it. */
  location?: boolean | 'granted';
  /** Your STUN server, such as `stun:stun.example.com:3478`. Without it, WebRTC is not used. */
  stunServer?: string;
  /** `false` disables the Blob worker. */
  worker?: boolean;
  /** Receives error codes. */
  onError?: (code: ErrorCode) => void;
};

/** Id of the session, or an error code. */
export type SessionAnswer =
  | { session_id: string; error?: undefined }
  | { session_id: null; error: ErrorCode };

/** Collected facts, with the names of the REST interface. */
export type Facts = {
  readonly browser?: Readonly<Record<string, unknown>>;
  readonly device?: Readonly<Record<string, unknown>>;
  readonly location?: Readonly<Record<string, unknown>>;
  readonly bot?: Readonly<Record<string, number>>;
  readonly checks?: Readonly<Record<string, unknown>>;
};

export type Collected = { facts: Facts; milliseconds: number | null };

/** Starts the script. A second call with the same options has no effect. */
export declare function init(options: Options): void;
/** Resolves with the session after it is open and the newest counts are sent. Never rejects. */
export declare function session(): Promise<SessionAnswer>;
/** Opens a new session, for example after a logout, and resolves with it. */
export declare function reinitialize(): Promise<SessionAnswer>;
/** Sends the hash of the id of the signed-in account. Does not send `email`, and does not bind the session. */
export declare function account(account: { id: string; email?: string }): Promise<SessionAnswer>;
/** Closes the session. Nothing is collected or sent afterwards. */
export declare function complete(): Promise<SessionAnswer>;
/** Data collected so far; null before the start. */
export declare function collected(): Collected | null;

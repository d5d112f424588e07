/** Where a project is in its life. */
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
  /** Address of the service; needed unless the module is loaded from it. */
  baseUrl?: string;
  /** The environment that the project has to be of. */
  environment?: Environment;
  /** `true` lets the browser ask the person for the position; `'granted'` takes it where that was allowed before. */
  location?: boolean | 'granted';
  /** A STUN server of your own, as `stun:stun.example.com:3478`; without one WebRTC is not used. */
  stunServer?: string;
  /** `false` does without the Blob worker. */
  worker?: boolean;
  /** Receives error codes. */
  onError?: (code: ErrorCode) => void;
};

/** A session's id, or why there is none. */
export type SessionAnswer =
  | { session_id: string; error?: undefined }
  | { session_id: null; error: ErrorCode };

/** Facts under the names of the REST interface. */
export type Facts = {
  readonly browser?: Readonly<Record<string, unknown>>;
  readonly device?: Readonly<Record<string, unknown>>;
  readonly location?: Readonly<Record<string, unknown>>;
  readonly bot?: Readonly<Record<string, number>>;
  readonly checks?: Readonly<Record<string, unknown>>;
};

export type Collected = { facts: Facts; milliseconds: number | null };

/** Starts; with the options that it runs with already, nothing happens. */
export declare function init(options: Options): void;
/** The session, when it is open and knows the newest counts. Never rejects. */
export declare function session(): Promise<SessionAnswer>;
/** Opens a new session, as after a log-out, and resolves with it. */
export declare function reinitialize(): Promise<SessionAnswer>;
/** Sends the hash of the id of the signed-in account. `email` is not sent. Does not bind the session. */
export declare function account(account: { id: string; email?: string }): Promise<SessionAnswer>;
/** Closes the session: nothing is watched or sent afterwards. */
export declare function complete(): Promise<SessionAnswer>;
/** What was collected so far; null before the start. */
export declare function collected(): Collected | null;

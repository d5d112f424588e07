/** Environment of a project. Keys and data of the two are separate. */
export type Environment = 'sandbox' | 'production';

/** Options of the script. */
export type Options = {
  /** Public id of the project. */
  projectId: string;
  /** URL of the service; by default the location of the script. */
  baseUrl?: string;
  /** Required environment of the project. The script stops if the project has another one. */
  environment?: Environment;
  /**
   * `true` requests the position, with a prompt of the browser; `'granted'` reads it only if the person allowed it before.
   * By default the position is never read.
   */
  location?: boolean | 'granted';
  /** STUN server of the operator, such as `stun:stun.example.com:3478`. By default WebRTC is never used. */
  stunServer?: string;
  /** `false` disables the Blob worker, for sites whose policy forbids it and logs violations. */
  worker?: boolean;
  /** Receives error codes. The script never throws into the page. */
  onError?: (code: ErrorCode) => void;
};

export type ErrorCode =
  | 'not_configured'
  | 'environment_mismatch'
  | 'refused'
  | 'server_error'
  | 'network_error'
  | 'timeout';

/** Complete options of the correct types. */
export type Settings = {
  readonly projectId: string;
  readonly baseUrl: string;
  readonly environment: Environment | null;
  readonly location: boolean | 'granted';
  readonly stunServer: string;
  readonly worker: boolean;
  readonly onError: (code: ErrorCode) => void;
};

/** Reads options as a page gave them, of whatever types; null when the project or the address is missing. */
export function readSettings(given: unknown, scriptUrl: string): Settings | null {
  const options = (typeof given === 'object' && given !== null ? given : {}) as Readonly<
    Record<string, unknown>
  >;
  const projectId = text(options.projectId);
  const baseUrl = addressOf(text(options.baseUrl)) || baseOfScript(scriptUrl);
  if (projectId === '' || baseUrl === '') return null;
  return {
    projectId,
    baseUrl,
    environment: environmentOf(options.environment),
    location: options.location === 'granted' || options.location === true ? options.location : false,
    stunServer: /^stuns?:/.test(text(options.stunServer)) ? text(options.stunServer) : '',
    worker: options.worker !== false,
    onError: typeof options.onError === 'function' ? (options.onError as Settings['onError']) : () => {},
  };
}

/** Options from the `data-` attributes of a script element, without their prefix. */
export function optionsOfAttributes(attribute: (name: string) => string | null): Record<string, unknown> {
  const location = attribute('location');
  return {
    projectId: attribute('project') ?? '',
    baseUrl: attribute('base-url') ?? '',
    environment: attribute('environment') ?? '',
    location: location === 'true' || location,
    stunServer: attribute('stun-server') ?? '',
    worker: attribute('worker') !== 'off',
  };
}

/** An environment that is misspelled matches none, so that the script stops rather than runs in the wrong one. */
function environmentOf(value: unknown): Environment | null {
  return value === undefined || value === null || value === '' ? null : (value as Environment);
}

/** The folder that a script of ours was loaded from; '' for any other file. */
function baseOfScript(scriptUrl: string): string {
  const match = /^(.*)\/sdk\.m?js(?:[?#].*)?$/.exec(scriptUrl);
  return match ? addressOf(match[1]!) : '';
}

function addressOf(address: string): string {
  return /^https?:\/\/[^/?#]+/.test(address) ? address.replace(/[?#].*$/, '').replace(/\/+$/, '') : '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Where a project is in its life; keys and data of the two never mix. */
export type Environment = 'sandbox' | 'production';

/** What a page may ask of the script. */
export type Options = {
  /** Public id of the project. */
  projectId: string;
  /** Address of the service; by default where the script came from. */
  baseUrl?: string;
  /** The environment that the project has to be of; the script stops when the service says otherwise. */
  environment?: Environment;
  /**
   * `true` asks for the position, which makes the browser ask the person; `'granted'` takes it only where the person
   * allowed it before. Left out, the position is never looked at.
   */
  location?: boolean | 'granted';
  /** A STUN server of the operator's own, as `stun:stun.example.com:3478`. Left out, WebRTC is never used. */
  stunServer?: string;
  /** `false` does without the Blob worker, for sites whose policy forbids one and that log what it forbids. */
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

/** Options that are whole and of the right types. */
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

/** An environment that is misspelt matches none, so that the script stops rather than runs in the wrong one. */
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

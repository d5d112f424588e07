/* The requests of the sign-in library that exist here. Everything else of it is unreachable. */

/** A member of a body: a text, an object as WebAuthn makes it, or the path of a page of the console. */
type Member = 'text' | 'object' | 'page';

export type Mounted = {
  /** Members of the body that are passed on; all others are dropped. */
  readonly body?: Readonly<Record<string, Member>>;
  /** Members that are always sent. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Parameters of the query that are passed on. */
  readonly query?: readonly string[];
  /** Whether it may end with a session for the person. */
  readonly signsIn?: true;
  /** Whether it begins a sign-in with the provider of the body. */
  readonly begins?: true;
  /** Whether the sign-in of the session must be recent. */
  readonly needsFresh?: true;
  /** Whether pages of other sites lead here: the state of the request, in a cookie and in the database, is the proof. */
  readonly isFromElsewhere?: true;
};

const password = { password: 'text' } as const;
const code = { code: 'text' } as const;
const atProvider = {
  body: { provider: 'text', callbackURL: 'page', errorCallbackURL: 'page' },
  fixed: { disableRedirect: true },
  begins: true,
} as const;

/** By method and path below /auth. */
export const MOUNTED: Readonly<Record<string, Mounted>> = {
  'POST /sign-in/email': { body: { email: 'text', password: 'text' }, signsIn: true },
  'POST /sign-out': {},
  'GET /get-session': {},
  'POST /change-password': {
    body: { currentPassword: 'text', newPassword: 'text' },
    // The other sessions end: a thief of the old password may have one.
    fixed: { revokeOtherSessions: true },
  },
  'POST /two-factor/enable': { body: password },
  'POST /two-factor/disable': { body: password },
  'POST /two-factor/generate-backup-codes': { body: password },
  'POST /two-factor/verify-totp': { body: code, signsIn: true },
  'POST /two-factor/verify-backup-code': { body: code, signsIn: true },
  'GET /passkey/generate-register-options': { query: ['name'] },
  'POST /passkey/verify-registration': { body: { response: 'object', name: 'text' } },
  'GET /passkey/generate-authenticate-options': {},
  'POST /passkey/verify-authentication': { body: { response: 'object' }, signsIn: true },
  'GET /passkey/list-user-passkeys': {},
  'POST /passkey/update-passkey': { body: { id: 'text', name: 'text' } },
  'POST /passkey/delete-passkey': { body: { id: 'text' } },
  'POST /sign-in/social': atProvider,
  'POST /link-social': { ...atProvider, needsFresh: true },
  'GET /callback/:id': {
    query: ['code', 'state', 'iss', 'error'],
    signsIn: true,
    isFromElsewhere: true,
  },
};

/** Name of a request in the list: the id of a provider is a parameter. */
export function mountedName(method: string | undefined, path: string): string {
  return `${method} ${path.replace(/^\/callback\/[a-z0-9-]{1,32}$/, '/callback/:id')}`;
}

const PAGE = /^\/console(\/[\w./-]*)?(\?[\w=&.%/-]*)?$/;

/** The body for the library: known members of the right type, at most this long. */
export function mountedBody({ body = {}, fixed }: Mounted, sent: unknown): Record<string, unknown> {
  const given = (typeof sent === 'object' && sent !== null ? sent : {}) as Record<string, unknown>;
  const kept = Object.entries(body).flatMap(([name, type]) => {
    const value = given[name];
    const isValid =
      type === 'object' ? typeof value === 'object' && value !== null : typeof value === 'string';
    if (type === 'page' && !(isValid && PAGE.test(value as string))) return [];
    return isValid ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(kept), ...fixed };
}

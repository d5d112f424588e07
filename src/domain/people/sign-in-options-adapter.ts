import { passkey } from '@better-auth/passkey';
import type { Clock } from '@vouchgraph/platform/clock';
import type { BetterAuthOptions } from 'better-auth';
import { APIError } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins';
import { PostgresDialect } from 'kysely';
import { PEOPLE_SCHEMA, type PeopleDatabase } from '../../storage/people-database.ts';
import type { SignInMethod } from './person-session-store.ts';
import type { Provider } from './provider.ts';
import type { ProviderSignIn } from './provider-sign-in-service.ts';
import { providersPlugin } from './sign-in-providers-adapter.ts';

/* Options of better-auth: what the sign-in uses of it, under the names of our tables, and what is switched off. */

export const AUTH_PATH = '/auth';
/** Header of a request to the library with the address that the gateway determined. */
export const ADDRESS_HEADER = 'x-vouchgraph-client-address';
/** A session ends at this time after the sign-in, however often it is used. */
export const SESSION_SECONDS = 12 * 3600;
export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 128;
/** Changes of the ways to sign in need a sign-in this recent. */
export const FRESH_SECONDS = 3600;
const ATTEMPTS = { window: 60, max: 10 };

export type SignInDeps = {
  people: PeopleDatabase;
  secret: string;
  /** Origin under which browsers reach the gateway. */
  origin: string;
  /** Further origins of the gateway itself, such as its address in numbers. */
  otherOrigins: readonly string[];
  isSecure: boolean;
  /** Whether the person may sign in, and the code, if one was used, was not used before. */
  beforeSession: (personId: string, code: string | null) => Promise<boolean>;
  providers: ProviderSignIn;
  clock: Clock;
  onError: (message: string) => void;
};

/** Name of the session cookie. Browsers accept `__Host-` only for Secure cookies of the exact host. */
export function sessionCookieName(isSecure: boolean): string {
  return `${cookiePrefix(isSecure)}.session_token`;
}

const cookiePrefix = (isSecure: boolean) => (isSecure ? '__Host-vouchgraph' : 'vouchgraph');
const snake = (name: string) => name.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);
const columns = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, name === 'userId' ? 'person_id' : snake(name)])) as Record<
    Name,
    string
  >;

/** Method of a sign-in by the path of its request. */
const METHODS: Readonly<Record<string, SignInMethod>> = {
  '/sign-in/email': 'password',
  '/two-factor/verify-totp': 'password_and_totp',
  '/two-factor/verify-backup-code': 'backup_code',
  '/passkey/verify-authentication': 'passkey',
  '/callback/:id': 'provider',
};

/** `providers`: those of the installation at this time. */
export function signInOptions(deps: SignInDeps, providers: readonly Provider[]) {
  const { people, secret, origin, otherOrigins, isSecure, onError } = deps;
  return {
    appName: 'Vouchgraph',
    baseURL: origin,
    basePath: AUTH_PATH,
    // `secret` alone could be replaced by a variable of the environment.
    secrets: [{ version: 1, value: secret }],
    secret,
    trustedOrigins: [...otherOrigins],
    telemetry: { enabled: false },
    experimental: { instrumentation: { enabled: false } },
    // Unexpected errors reject the request and are logged by the gateway.
    // A return from a provider that is unknown by now leads to the sign-in page.
    onAPIError: { throw: true, errorURL: `${origin}/console/sign-in` },
    logger: { level: 'error', log: (_level: string, message: string) => onError(message) },
    database: {
      dialect: new PostgresDialect({ pool: people.pool }),
      type: 'postgres' as const,
      transaction: true,
      schemaName: PEOPLE_SCHEMA,
    },
    advanced: {
      // The tables are those of our migration.
      database: { generateId: 'uuid' as const, joins: true, validateSchema: false },
      cookiePrefix: cookiePrefix(isSecure),
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'lax' as const, path: '/' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER], ipv6Subnet: 64 },
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      autoSignIn: false,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: MAX_PASSWORD_LENGTH,
    },
    user: { modelName: 'people', fields: columns('emailVerified', 'createdAt', 'updatedAt') },
    session: {
      modelName: 'sessions',
      fields: columns('userId', 'expiresAt', 'createdAt', 'updatedAt', 'ipAddress', 'userAgent'),
      additionalFields: {
        method: { type: 'string', required: false, input: false, returned: false },
        lastUsedAt: {
          type: 'date',
          required: false,
          input: false,
          returned: false,
          fieldName: 'last_used_at',
        },
      },
      expiresIn: SESSION_SECONDS,
      // The time of a session is fixed; the end of an idle one is ours (person-session-store.ts).
      disableSessionRefresh: true,
      freshAge: FRESH_SECONDS,
      cookieCache: { enabled: false },
    },
    account: {
      modelName: 'credentials',
      fields: columns(
        ...(['accountId', 'providerId', 'userId', 'accessToken', 'refreshToken', 'idToken'] as const),
        ...(['accessTokenExpiresAt', 'refreshTokenExpiresAt', 'createdAt', 'updatedAt'] as const),
      ),
      updateAccountOnSignIn: false,
      // A person joins an identity while signed in, or by an invitation. Emails count for nothing.
      accountLinking: {
        enabled: true,
        disableImplicitLinking: true,
        allowDifferentEmails: true,
        trustedProviders: providers.map(({ id }) => id),
      },
    },
    verification: {
      modelName: 'verifications',
      storeIdentifier: 'hashed' as const,
      fields: columns('expiresAt', 'createdAt', 'updatedAt'),
    },
    rateLimit: limitsOfAttempts(),
    databaseHooks: {
      session: { create: { before: beforeSession(deps) } },
      account: { create: { before: withoutTokens }, update: { before: withoutTokens } },
    },
    plugins: [secondFactor(), passkeys(deps), providersPlugin(providers, deps.providers)],
  } satisfies BetterAuthOptions;
}

/** In the database, so that all gateways count together. */
function limitsOfAttempts() {
  return {
    enabled: true,
    storage: 'database' as const,
    modelName: 'attempts',
    fields: columns('lastRequest'),
    window: 60,
    max: 120,
    // The first that matches counts.
    customRules: {
      '/sign-in/social': { window: 60, max: 60 },
      '/sign-in/*': ATTEMPTS,
      '/two-factor/*': ATTEMPTS,
      '/passkey/*': { window: 60, max: 30 },
      '/change-password': ATTEMPTS,
      '/get-session': false as const,
    },
  };
}

/** Tokens of providers are not stored: they are not needed after the sign-in. */
async function withoutTokens<Credential extends object>(credential: Credential) {
  return { data: { ...credential, accessToken: null, refreshToken: null, idToken: null, scope: null } };
}

type HookContext = { path?: string; body?: { code?: unknown } } | null;

/** Every session passes here, whatever the method of the sign-in is. */
function beforeSession({ beforeSession: check, clock }: SignInDeps) {
  return async (session: { userId: string }, context: HookContext) => {
    const path = context?.path ?? '';
    const method = METHODS[path] ?? 'password';
    const sent = context?.body?.code;
    const code = path.startsWith('/two-factor/') && typeof sent === 'string' ? sent : null;
    const isAllowed = await check(session.userId, code);
    // The same answers as for an unknown identity, and for a wrong password or code.
    if (!isAllowed && method === 'provider')
      throw APIError.from('UNAUTHORIZED', { code: 'signup_disabled', message: '' });
    if (!isAllowed)
      throw code === null
        ? APIError.from('UNAUTHORIZED', {
            code: 'INVALID_EMAIL_OR_PASSWORD',
            message: 'Invalid email or password',
          })
        : APIError.from('UNAUTHORIZED', { code: 'INVALID_CODE', message: 'Invalid code' });
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + SESSION_SECONDS * 1000);
    return { data: { ...session, method, lastUsedAt: now, expiresAt } };
  };
}

function secondFactor() {
  return twoFactor({
    issuer: 'Vouchgraph',
    schema: {
      user: { fields: columns('twoFactorEnabled') },
      twoFactor: {
        modelName: 'two_factors',
        fields: columns('backupCodes', 'userId', 'failedVerificationCount', 'lockedUntil'),
      },
    },
  });
}

/** A passkey signs in without a second factor: the authenticator must have verified the person. */
function passkeys({ origin, otherOrigins }: SignInDeps) {
  const refuse = () => {
    throw APIError.from('UNAUTHORIZED', {
      code: 'USER_NOT_VERIFIED',
      message: 'The passkey must verify its user, by a PIN or a biometric check',
    });
  };
  return passkey({
    rpID: new URL(origin).hostname,
    rpName: 'Vouchgraph',
    origin: [origin, ...otherOrigins],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) => {
        if (!verification.registrationInfo?.userVerified) refuse();
      },
    },
    authentication: {
      afterVerification: async ({ verification }) => {
        if (!verification.authenticationInfo.userVerified) refuse();
      },
    },
    schema: {
      passkey: {
        modelName: 'passkeys',
        fields: {
          ...columns('publicKey', 'userId', 'deviceType', 'backedUp', 'createdAt'),
          credentialID: 'credential_id',
        },
      },
    },
  });
}

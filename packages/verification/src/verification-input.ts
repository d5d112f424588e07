import { verificationKindShape } from '@vouchgraph/decisions';
import { accountIdShape } from '@vouchgraph/platform/account-id';
import { isUuid } from '@vouchgraph/platform/ids';
import { inputShape, readInput } from '@vouchgraph/platform/input-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { toOrigin } from '@vouchgraph/platform/origin';
import { isInFuture, parseTimestamp } from '@vouchgraph/platform/timestamp';
import { z } from 'zod';
import { consentMissing, redirectNotAllowed } from './errors.ts';
import { simulationFields } from './simulation.ts';

/** Languages of the page. */
export const LANGUAGES = ['en', 'es', 'fr', 'de', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

export const languageShape = z.enum(LANGUAGES);

export const createVerificationShape = inputShape(
  'CreateVerificationSessionInput',
  'Verification session to create. The simulate fields are for sandbox projects: the chosen outcome follows three ' +
    'seconds after the page was opened, without a camera.',
  {
    kind: verificationKindShape.describe('Kind of the check.'),
    accountId: objectIdShape
      .nullish()
      .describe(
        'Id of an account, assigned by the client, at most 256 characters. The account is created if it does not exist, and the face is ' +
          'enrolled for it on completion unless the account has an enrolled face. No account by default.',
      ),
    referringSessionId: objectIdShape
      .nullish()
      .describe(
        'Id of the session that the person came from. It is compared with the session of the verification. None by default.',
      ),
    redirectUrl: z
      .string()
      .nullish()
      .describe(
        'URL that the page returns to, with session_id, success and, on failure, error_message. In production projects its ' +
          'origin must be in allowedOrigins of the project.',
      ),
    language: languageShape
      .nullish()
      .describe('Language of the page. The language of the browser by default.'),
    ...simulationFields,
  },
);
export type NewVerificationInput = z.output<typeof createVerificationShape>;

const identityFields = {
  sessionId: objectIdShape.describe('Id of the verification session.'),
  accountId: accountIdShape.describe('Id of the account, assigned by the client, at most 256 characters.'),
};

/** A session and the account whose enrolled face is compared with its face. */
export const identityShape = z.object(identityFields);

export const enrollFaceShape = inputShape(
  'EnrollFaceInput',
  'Session whose face is enrolled for an account.',
  {
    ...identityFields,
    replace: z
      .boolean()
      .nullish()
      .describe(
        'Whether an enrolled face is replaced. Requires a key with the role operator. False by default.',
      ),
  },
);
export type FaceToEnroll = z.output<typeof enrollFaceShape>;

/** Supported language closest to the requested one; English if none matches. Null leaves the choice to the browser. */
export function languageOf(wish: string | null | undefined): Language | null {
  if (!wish) return null;
  const base = wish.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((each) => each === base) ?? 'en';
}

/**
 * Redirect URL: within the allowed origins in a production project; any web address or an app's own scheme in a sandbox.
 * Never one that runs as a script.
 */
export function checkRedirect(
  {
    environment,
    settings,
  }: { environment: string; settings: { readonly allowedOrigins: readonly string[] } },
  text: string | null | undefined,
): string {
  if (!text) return '';
  const isSandbox = environment === 'sandbox';
  const url = text.length <= LIMITS.redirectUrlLength && URL.canParse(text) ? new URL(text) : null;
  const isAcceptable =
    url !== null &&
    url.username === '' &&
    url.password === '' &&
    !/^(javascript|data|blob|file|vbscript|about):$/.test(url.protocol);
  if (!isAcceptable) throw redirectNotAllowed(isSandbox);
  if (isSandbox) return url.href;
  const origin = toOrigin(url.origin);
  if (origin === null || !settings.allowedOrigins.includes(origin)) throw redirectNotAllowed(isSandbox);
  return url.href;
}

/** The id of an account, or null without one. Throws `input.invalid` for an id that cannot be one. */
export function checkAccountId(accountId: string | null | undefined): string | null {
  if (accountId == null || accountId === '') return null;
  return readInput(accountIdShape, accountId, 'accountId');
}

/** A malformed id is answered like an unknown one. */
export function sessionIdOf(text: string): string | null {
  return isUuid(text) ? text.toLowerCase() : null;
}

export type Consent = { readonly textVersion: string; readonly givenAt: Date };

const MAX_VERSION_LENGTH = 64;

/** Throws `verification.consent_missing` unless the consent was given after the session's creation and not after `latest`. */
export function checkConsent(
  consent: { textVersion?: unknown; givenAt?: unknown } | null | undefined,
  { createdAt, latest }: { createdAt: Date; latest: Date },
): Consent {
  const { textVersion, givenAt } = consent ?? {};
  const time = givenAt instanceof Date ? givenAt : parseTimestamp(typeof givenAt === 'string' ? givenAt : '');
  const isVersion =
    typeof textVersion === 'string' && textVersion !== '' && textVersion.length <= MAX_VERSION_LENGTH;
  if (!isVersion || time === null || isInFuture(time, latest) || isInFuture(createdAt, time))
    throw consentMissing();
  return { textVersion: textVersion as string, givenAt: time };
}

/** Redirect URL with the result of the session in its query. */
export function redirectWith(
  redirectUrl: string,
  outcome: { sessionId: string; success: boolean; errorMessage: string },
): string {
  if (redirectUrl === '') return '';
  const url = new URL(redirectUrl);
  url.searchParams.set('session_id', outcome.sessionId);
  url.searchParams.set('success', String(outcome.success));
  if (!outcome.success) url.searchParams.set('error_message', outcome.errorMessage);
  return url.href;
}

import { invalidInput } from '@vouchgraph/platform/errors';
import { inputShape, readInput } from '@vouchgraph/platform/input-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { toOrigin } from '@vouchgraph/platform/origin';
import { betweenText, numberBetween, tooManyText } from '@vouchgraph/platform/wording';
import { FACE_MATCHING_LEVELS } from '@vouchgraph/vision/face-thresholds';
import { z } from 'zod';
import { BROWSER_TOKEN_OPERATIONS } from './browser-token-operations.ts';
import { changeEmailDomains, differenceOf, type EmailDomainsChange } from './email-domains.ts';

const score = numberBetween(0, 1);
const days = betweenText(1, LIMITS.seenFaceDays);
const seenFaceDays = z.int().min(1, days).max(LIMITS.seenFaceDays, days);
export const faceMatchingShape = z.enum(FACE_MATCHING_LEVELS);
export const browserTokenOperationsShape = z.enum(BROWSER_TOKEN_OPERATIONS);

/** Settings of a project; the defaults are those of a new project. */
const settingsShape = z.object({
  /** Version of the thresholds: raised whenever one changes, stored with every decision. */
  thresholdsVersion: z.int().default(1),
  /** `account_score` from which an account is Suspicious, and from which it is Fake. */
  suspiciousFrom: score.default(0.4),
  fakeFrom: score.default(0.7),
  /** `risk_score` from which a verification is Suspicious, and from which it is Fake. */
  verificationSuspiciousFrom: score.default(0.4),
  verificationFakeFrom: score.default(0.7),
  /** Days for which faces and documents of completed verifications are compared with later ones. */
  seenFaceDays: seenFaceDays.default(30),
  /** Maximum distance of two faces of one person: in 1:1 comparisons and in the search of all faces. */
  faceMatching: faceMatchingShape.default('strict'),
  /** Whether a verification may be started with its session id alone, as `/?session_id=` links of existing integrations do. */
  plainVerificationLinks: z.boolean().default(true),
  /** Whether REST folds Suspicious into Real on accounts, for clients that know two values only. */
  twoValuedDecision: z.boolean().default(true),
  /** Origins whose pages may call with a browser token; a sandbox project allows any. */
  allowedOrigins: z.array(z.string()).default([]),
  /** Which operations browser tokens may execute. */
  browserTokenOperations: browserTokenOperationsShape.default('any'),
  /** Whether production keys below operator may introspect the schema. */
  introspection: z.boolean().default(false),
  /** Mail domains that the project itself calls disposable or trusted, in ASCII lower case; subdomains are covered. */
  disposableDomains: z.array(z.string()).default([]),
  trustedDomains: z.array(z.string()).default([]),
});

const flag = (description: string) => z.boolean().nullish().describe(description);
const threshold = (description: string) => score.nullish().describe(description);

/** Origins as browsers send them, each once. */
const originsShape = z
  .array(z.string())
  .max(LIMITS.allowedOrigins, tooManyText(LIMITS.allowedOrigins))
  .transform((texts, context) => {
    const origins = texts.map(toOrigin);
    for (const [index, origin] of origins.entries())
      if (origin === null) context.addIssue({ code: 'custom', path: [index], message: ORIGIN });
    return [...new Set(origins)] as string[];
  });
const ORIGIN =
  'must be an origin such as https://shop.example: scheme, host and port alone, https, or http on localhost';

export const settingsChangeShape = inputShape(
  'UpdateProjectSettingsInput',
  'Settings to change. Null and absent fields keep their value.',
  {
    suspiciousFrom: threshold('Minimum account score of the decision SUSPICIOUS, 0 to 1, at most fakeFrom.'),
    fakeFrom: threshold('Minimum account score of the decision FAKE, 0 to 1.'),
    verificationSuspiciousFrom: threshold(
      'Minimum risk score of a SUSPICIOUS verification, 0 to 1, at most verificationFakeFrom. Completed ' +
        'verifications do not change.',
    ),
    verificationFakeFrom: threshold('Minimum risk score of a FAKE verification, 0 to 1.'),
    seenFaceDays: seenFaceDays
      .nullish()
      .describe(
        'Number of days for which faces and documents of verifications are compared with later ones, ' +
          `1 to ${LIMITS.seenFaceDays.toLocaleString('en')}.`,
      ),
    faceMatching: faceMatchingShape
      .nullish()
      .describe(
        'Matching level of faces. Applies from the next comparison on. Completed checks and existing links do not change.',
      ),
    plainVerificationLinks: flag(
      'Whether a verification may be started with its session id alone, without the secret of its URL.',
    ),
    twoValuedDecision: flag('Whether REST returns SUSPICIOUS decisions of accounts as REAL.'),
    allowedOrigins: originsShape
      .nullish()
      .describe(
        'Origins to which verifications may redirect, and whose pages may send requests with a browser token. They replace the stored ones. Scheme, host ' +
          `and port, such as https://shop.example: https, or http on localhost. At most ${LIMITS.allowedOrigins}.`,
      ),
    browserTokenOperations: browserTokenOperationsShape
      .nullish()
      .describe(
        'Operations that browser tokens may execute, by GraphQL and by REST. Running subscriptions continue.',
      ),
    introspection: flag('Whether keys below the role operator may introspect the schema in production.'),
    confirm: flag(
      'Whether a threshold of 0 is intended, from which every account or verification is SUSPICIOUS or FAKE. Required for a ' +
        'threshold that becomes 0.',
    ),
  },
);

export type ProjectSettings = z.infer<typeof settingsShape>;

/** Settings that an operator can change. Null and absent fields keep their value. */
export type SettingsChange = z.output<typeof settingsChangeShape>;

/** Stored settings with the defaults filled in; a stored value that is out of range falls back as a whole. */
export function parseSettings(stored: unknown): ProjectSettings {
  const parsed = settingsShape.safeParse(stored);
  return parsed.success ? parsed.data : settingsShape.parse({});
}

type Values = Partial<ProjectSettings>;

/** Stored settings after a change, with what differs; both sides are empty when nothing does. */
export type ChangedSettings = {
  settings: ProjectSettings;
  /** Values to store. Unset values are not stored and use the defaults. */
  stored: Readonly<Record<string, unknown>>;
  before: Values;
  after: Values;
};

/** Applies a change to stored settings. Throws `input.invalid` when the result would not hold together. */
export function changeSettings(stored: unknown, change: SettingsChange): ChangedSettings {
  const old = parseSettings(stored);
  const { confirm, ...wanted } = readInput(settingsChangeShape, change);
  const isOther = ([name, value]: [string, unknown]) =>
    value != null && JSON.stringify(value) !== JSON.stringify(old[name as keyof ProjectSettings]);
  const after: Values = Object.fromEntries(Object.entries(wanted).filter(isOther));
  const isOtherThreshold = after.suspiciousFrom !== undefined || after.fakeFrom !== undefined;
  if (isOtherThreshold) after.thresholdsVersion = old.thresholdsVersion + 1;
  const names = Object.keys(after) as (keyof ProjectSettings)[];
  const before: Values = Object.fromEntries(names.map((name) => [name, old[name]]));
  const settings = { ...old, ...after };
  if (isOtherThreshold) checkOrder(settings, after, 'suspiciousFrom', 'fakeFrom');
  checkOrder(settings, after, 'verificationSuspiciousFrom', 'verificationFakeFrom');
  if (!confirm) checkZero(after);
  return { settings, stored: { ...keptOf(stored), ...after }, before, after };
}

/** Settings that affect scores and decisions of accounts. */
const OF_ACCOUNTS: readonly (keyof ProjectSettings)[] = [
  'suspiciousFrom',
  'fakeFrom',
  'disposableDomains',
  'trustedDomains',
];

/** Whether a change affects scores or decisions of accounts. */
export function changesAccounts({ before, after }: Pick<ChangedSettings, 'before' | 'after'>): boolean {
  return OF_ACCOUNTS.some((name) => before[name] !== undefined || after[name] !== undefined);
}

/** What cannot be read is in force as the defaults, and is not kept. */
function keptOf(stored: unknown): object {
  return settingsShape.safeParse(stored).success ? (stored as object) : {};
}

/**
 * Adds and removes single mail domains of stored settings. `before` contains the removed, `after` the added domains. Throws
 * `input.invalid`.
 */
export function changeDomains(stored: unknown, change: EmailDomainsChange): ChangedSettings {
  const old = parseSettings(stored);
  const lists = changeEmailDomains(old, change);
  const { removed, added } = differenceOf(old, lists);
  return {
    settings: { ...old, ...lists },
    stored: { ...keptOf(stored), ...lists },
    before: removed,
    after: added,
  };
}

const DECIDED: Readonly<Record<ScoreName, string>> = {
  suspiciousFrom: 'every account at least SUSPICIOUS',
  fakeFrom: 'every account FAKE',
  verificationSuspiciousFrom: 'every verification at least SUSPICIOUS',
  verificationFakeFrom: 'every verification FAKE',
};

/** Throws for a threshold that becomes 0: a score of 0 reaches it, so that no honest user is decided REAL by score. */
function checkZero(after: Values): void {
  const name = (Object.keys(DECIDED) as ScoreName[]).findLast((each) => after[each] === 0);
  if (name !== undefined)
    throw invalidInput(
      `${name}: 0 decides ${DECIDED[name]}. If this is intended, send confirm: true, or --yes on the command line`,
      [name],
    );
}

type ScoreName = 'suspiciousFrom' | 'fakeFrom' | 'verificationSuspiciousFrom' | 'verificationFakeFrom';

function checkOrder(settings: ProjectSettings, after: Values, lower: ScoreName, upper: ScoreName): void {
  if (settings[lower] <= settings[upper]) return;
  const name = after[upper] === undefined ? lower : upper;
  throw invalidInput(`${lower}: must be at most ${upper} (${settings[lower]} > ${settings[upper]})`, [name]);
}

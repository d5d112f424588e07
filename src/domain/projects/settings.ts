import { z } from 'zod';
import { invalidInput } from '../../platform/errors.ts';
import { LIMITS } from '../../platform/limits.ts';
import { betweenText, oneOfText, tooManyText } from '../../platform/wording.ts';
import { FACE_MATCHING_LEVELS } from '../vision/faces/face-thresholds.ts';
import { BROWSER_TOKEN_OPERATIONS } from './browser-token-operations.ts';
import {
  changeEmailDomains,
  checkEmailDomains,
  differenceOf,
  type EmailDomainsChange,
} from './email-domains.ts';
import { toOrigin } from './origin.ts';

const score = z.number().min(0).max(1);

/** What a project may choose; the defaults are those of a new project. */
const settingsShape = z.object({
  /** Version of the thresholds: raised whenever one changes, stored with every decision. */
  thresholdsVersion: z.number().int().default(1),
  /** `account_score` from which an account is Suspicious, and from which it is Fake. */
  suspiciousFrom: score.default(0.4),
  fakeFrom: score.default(0.7),
  /** `risk_score` from which a verification is Suspicious, and from which it is Fake. */
  verificationSuspiciousFrom: score.default(0.4),
  verificationFakeFrom: score.default(0.7),
  /** Days for which faces and documents of completed verifications are compared with later ones. */
  seenFaceDays: z.number().int().min(1).max(LIMITS.seenFaceDays).default(30),
  /** How near two faces have to be to count as one person's: in 1:1 comparisons and in the search of all faces. */
  faceMatching: z.enum(FACE_MATCHING_LEVELS).default('strict'),
  /** Whether a verification may be started with its session id alone, as links of older integrations do. */
  plainVerificationLinks: z.boolean().default(true),
  /** Whether REST folds Suspicious into Real on accounts, for clients that know two values only. */
  twoValuedDecision: z.boolean().default(true),
  /** Origins whose pages may call with a browser token; a sandbox project allows any. */
  allowedOrigins: z.array(z.string()).default([]),
  /** Which operations browser tokens may execute. */
  browserTokenOperations: z.enum(BROWSER_TOKEN_OPERATIONS).default('any'),
  /** Whether production keys below operator may introspect the schema. */
  introspection: z.boolean().default(false),
  /** Mail domains that the project itself calls disposable or trusted, in ASCII lower case; subdomains are covered. */
  disposableDomains: z.array(z.string()).default([]),
  trustedDomains: z.array(z.string()).default([]),
});

export type ProjectSettings = z.infer<typeof settingsShape>;

/** What an operator may change; what is absent stays. */
export type SettingsChange = Partial<Omit<ProjectSettings, 'thresholdsVersion'>>;

/** Stored settings with the defaults filled in; a stored value that is out of range falls back as a whole. */
export function parseSettings(stored: unknown): ProjectSettings {
  const parsed = settingsShape.safeParse(stored);
  return parsed.success ? parsed.data : settingsShape.parse({});
}

type Values = Partial<ProjectSettings>;

/** Stored settings after a change, with what differs; both sides are empty when nothing does. */
export type ChangedSettings = {
  settings: ProjectSettings;
  /** Values to store. Unset values are not stored, so that they follow the defaults. */
  stored: Readonly<Record<string, unknown>>;
  before: Values;
  after: Values;
};

/** Applies a change to stored settings. Throws `input.invalid` when the result would not hold together. */
export function changeSettings(stored: unknown, change: SettingsChange): ChangedSettings {
  const old = parseSettings(stored);
  const wanted = { ...checkChange(change), ...checkEmailDomains(old, change) };
  const before: Values = {};
  const after: Values = {};
  const take = <Name extends keyof ProjectSettings>(name: Name, value: ProjectSettings[Name] | undefined) => {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(old[name])) return;
    before[name] = old[name];
    after[name] = value;
  };
  take('suspiciousFrom', wanted.suspiciousFrom);
  take('fakeFrom', wanted.fakeFrom);
  const isOtherThreshold = after.suspiciousFrom !== undefined || after.fakeFrom !== undefined;
  take('thresholdsVersion', isOtherThreshold ? old.thresholdsVersion + 1 : undefined);
  take('verificationSuspiciousFrom', wanted.verificationSuspiciousFrom);
  take('verificationFakeFrom', wanted.verificationFakeFrom);
  take('seenFaceDays', wanted.seenFaceDays);
  take('faceMatching', wanted.faceMatching);
  take('plainVerificationLinks', wanted.plainVerificationLinks);
  take('twoValuedDecision', wanted.twoValuedDecision);
  take('allowedOrigins', wanted.allowedOrigins);
  take('browserTokenOperations', wanted.browserTokenOperations);
  take('introspection', wanted.introspection);
  take('disposableDomains', wanted.disposableDomains);
  take('trustedDomains', wanted.trustedDomains);
  const settings = { ...old, ...after };
  if (isOtherThreshold) checkOrder(settings, after, 'suspiciousFrom', 'fakeFrom');
  checkOrder(settings, after, 'verificationSuspiciousFrom', 'verificationFakeFrom');
  return { settings, stored: { ...keptOf(stored), ...after }, before, after };
}

/** Settings from which scores and decisions of accounts follow. */
const OF_ACCOUNTS: readonly (keyof ProjectSettings)[] = [
  'suspiciousFrom',
  'fakeFrom',
  'disposableDomains',
  'trustedDomains',
];

/** Whether scores or decisions of accounts follow from what a change replaced. */
export function changesAccounts({ before, after }: Pick<ChangedSettings, 'before' | 'after'>): boolean {
  return OF_ACCOUNTS.some((name) => before[name] !== undefined || after[name] !== undefined);
}

/** What cannot be read is in force as the defaults, and is not kept. */
function keptOf(stored: unknown): object {
  return settingsShape.safeParse(stored).success ? (stored as object) : {};
}

/**
 * Adds and removes single mail domains of stored settings; \`before\` and \`after\` name those that went and came. Throws
 * \`input.invalid\`.
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

function checkChange(change: SettingsChange): SettingsChange {
  for (const name of SCORES) {
    const value = change[name];
    if (value !== undefined && !(value >= 0 && value <= 1))
      throw invalidInput(`${name}: ${betweenText(0, 1)}`, [name]);
  }
  const { allowedOrigins, browserTokenOperations, faceMatching, seenFaceDays } = change;
  if (browserTokenOperations !== undefined && !BROWSER_TOKEN_OPERATIONS.includes(browserTokenOperations))
    throw invalidInput(`browserTokenOperations: ${oneOfText(BROWSER_TOKEN_OPERATIONS)}`, [
      'browserTokenOperations',
    ]);
  if (faceMatching !== undefined && !FACE_MATCHING_LEVELS.includes(faceMatching))
    throw invalidInput(`faceMatching: must be one of ${FACE_MATCHING_LEVELS.join(', ')}`, ['faceMatching']);
  if (seenFaceDays !== undefined && !(seenFaceDays >= 1 && seenFaceDays <= LIMITS.seenFaceDays))
    throw invalidInput(`seenFaceDays: ${betweenText(1, LIMITS.seenFaceDays)}`, ['seenFaceDays']);
  return allowedOrigins ? { ...change, allowedOrigins: toOrigins(allowedOrigins) } : change;
}

type ScoreName = 'suspiciousFrom' | 'fakeFrom' | 'verificationSuspiciousFrom' | 'verificationFakeFrom';
const SCORES: readonly ScoreName[] = [
  'suspiciousFrom',
  'fakeFrom',
  'verificationSuspiciousFrom',
  'verificationFakeFrom',
];

function checkOrder(settings: ProjectSettings, after: Values, lower: ScoreName, upper: ScoreName): void {
  if (settings[lower] <= settings[upper]) return;
  const name = after[upper] === undefined ? lower : upper;
  throw invalidInput(`${lower}: must be at most ${upper} (${settings[lower]} > ${settings[upper]})`, [name]);
}

/** Origins as browsers send them, each once. */
function toOrigins(texts: readonly string[]): string[] {
  if (texts.length > LIMITS.allowedOrigins)
    throw invalidInput(`allowedOrigins: ${tooManyText(LIMITS.allowedOrigins)}`, ['allowedOrigins']);
  const origins = texts.map((text, index) => {
    const origin = toOrigin(text);
    if (origin !== null) return origin;
    throw invalidInput(
      `allowedOrigins.${index}: must be an origin such as https://shop.example: scheme, host and port alone, ` +
        'https, or http on localhost',
      ['allowedOrigins', index],
    );
  });
  return [...new Set(origins)];
}

import { FACE_MATCHING_LEVELS } from '@vouchgraph/vision/face-thresholds';
import { BROWSER_TOKEN_OPERATIONS } from '../../domain/projects/browser-token-operations.ts';
import type { ProjectSettings } from '../../domain/projects/settings.ts';
/** Settings that an operator can change. */
export type ChangeableSetting = Exclude<keyof ProjectSettings, 'thresholdsVersion'>;

/** Settings with closed sets of values. */
export const CHOICES = {
  faceMatching: FACE_MATCHING_LEVELS,
  browserTokenOperations: BROWSER_TOKEN_OPERATIONS,
};

const VALUES: Readonly<Record<ChangeableSetting, string>> = {
  suspiciousFrom: 'account score from which the decision is Suspicious, 0 to 1',
  fakeFrom: 'account score from which the decision is Fake, 0 to 1',
  verificationSuspiciousFrom: 'verification score from which the decision is Suspicious, 0 to 1',
  verificationFakeFrom: 'verification score from which the decision is Fake, 0 to 1',
  seenFaceDays: 'days for which seen faces and documents are compared',
  faceMatching: `matching level of faces: ${CHOICES.faceMatching.join(', ')}`,
  plainVerificationLinks: 'accept verification links without a secret: true, false',
  twoValuedDecision: 'REST shows Suspicious as Real: true, false',
  allowedOrigins: 'origins for redirects and browser tokens',
  browserTokenOperations: `operations that browser tokens can execute; registered excludes REST: ${CHOICES.browserTokenOperations.join(', ')}`,
  introspection: 'introspection by keys without the role operator: true, false',
  disposableDomains: 'disposable email domains',
  trustedDomains: 'trusted email domains',
};

export const SETTING_NAMES = Object.keys(VALUES) as ChangeableSetting[];

/** The settings with their accepted values, a line each, for `--help`. */
export function settingLines(): string {
  return SETTING_NAMES.map((name) => `  ${name.padEnd(26)}  ${VALUES[name]}`).join('\n');
}

/* Documents of the public schema that the commands of projects run. */

const SETTINGS = `settings {
  thresholdsVersion suspiciousFrom fakeFrom verificationSuspiciousFrom verificationFakeFrom seenFaceDays faceMatching
  plainVerificationLinks twoValuedDecision allowedOrigins browserTokenOperations introspection disposableDomains
  trustedDomains }`;

export const PROJECT_SETTINGS = `query ProjectSettings { project { ${SETTINGS} } }`;

export const UPDATE_SETTINGS = `mutation UpdateSettings($input: UpdateProjectSettingsInput!) {
  changed: updateProjectSettings(input: $input) { ${SETTINGS} } }`;

export const UPDATE_DOMAINS = `mutation UpdateDomains($input: UpdateEmailDomainsInput!) {
  changed: updateEmailDomains(input: $input) { ${SETTINGS} } }`;

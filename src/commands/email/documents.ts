/* Documents of the public schema that the commands of email checks run. */

const DOMAINS = 'settings { disposableDomains trustedDomains }';

export const EMAIL_DOMAINS = `query EmailDomains { project { ${DOMAINS} } }`;

export const UPDATE_EMAIL_DOMAINS = `mutation UpdateEmailDomains($input: UpdateEmailDomainsInput!) {
  updateEmailDomains(input: $input) { ${DOMAINS} } }`;

export const PROJECT_NAME = 'query ProjectName { project { name } }';

export const ERASE_EMAIL = `mutation EraseEmail($input: EraseEmailInput!) {
  eraseEmail(input: $input) { checks events deliveries } }`;

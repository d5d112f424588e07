import { EMAIL_DOMAIN_TYPES, EMAIL_SIGNALS, type EmailSignal } from '@vouchgraph/email';
import { builder } from '../kernel/builder.ts';
import { GROWING, valuesOf } from '../kernel/enum-values.ts';

export const EmailDomainTypeEnum = builder.enumType('EmailDomainType', {
  description: 'Kind of mail domain.',
  values: valuesOf(EMAIL_DOMAIN_TYPES, {
    personal: 'Mailboxes of private persons.',
    business: 'Company.',
    education: 'School or university.',
    government: 'Government.',
    relay: 'Service that forwards mail to one permanent mailbox.',
    inactive: 'Domain that accepts no mail, or address that cannot be read.',
  }),
});

/** Values of an enum from a table with a description of each. */
const SIGNAL_VALUES = Object.fromEntries(
  Object.entries(EMAIL_SIGNALS).map(([code, { description }]) => [
    code.toUpperCase(),
    { value: code, description },
  ]),
) as Record<Uppercase<EmailSignal>, { value: EmailSignal; description: string }>;

export const EmailSignalCodeEnum = builder.enumType('EmailSignalCode', {
  ...GROWING,
  description: 'Trust or risk signal of an email address. New signals can be added.',
  values: SIGNAL_VALUES,
});

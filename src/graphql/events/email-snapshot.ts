import { EmailDomainTypeEnum, EmailSignalCodeEnum } from '../email/email-enums.ts';
import { EmailDecisionType, EmailSendRecommendationType } from '../email/email-result.ts';
import { country, each, facts, factType, int, number, text, word, words } from '../kernel/fact-fields.ts';

const EmailSignalSnapshot = factType(
  'EmailSignalSnapshot',
  'Signal of an email check at its completion.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    code: word(EmailSignalCodeEnum, 'Code of the signal.'),
    weight: number('Weight in the risk score, 0 to 1.'),
    source: text('List, rule, provider or history behind the signal.'),
    evidence: text('Observation.'),
  },
);

const EmailDomainSnapshot = factType(
  'EmailDomainSnapshot',
  'Domain of an email address at the completion of its check.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    riskScore: number('Risk score, -1 to 1.'),
    fqdn: text('Domain in ASCII.'),
    apex: text('Registrable domain.'),
    type: word(EmailDomainTypeEnum, 'Kind of domain.'),
    ageYears: number('Age of the domain in years.'),
    country: country('Country of the domain.'),
  },
);

export const EmailResultSnapshot = factType(
  'EmailResultSnapshot',
  'Result of an email check at its completion. It has no id and does not replace the EmailCheck in a cache.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    decision: word(EmailDecisionType, 'Band of the risk score.'),
    riskScore: number('Risk score, -1 (trust) to 1 (risk).'),
    trustSignals: words(EmailSignalCodeEnum, 'Codes of trust signals.'),
    riskSignals: words(EmailSignalCodeEnum, 'Codes of risk signals.'),
    signals: each(EmailSignalSnapshot, 'Signals with their evidence.', { from: 'signalDetails' }),
    domain: facts(EmailDomainSnapshot, 'Domain of the address.'),
    normalized: text('Normalized address, equal for all spellings of the mailbox.', {
      from: 'email.normalized',
    }),
    deliveryRiskScore: number('Risk that mail is not delivered, 0 to 1.', {
      from: 'deliverability.riskScore',
    }),
    sendRecommendation: word(EmailSendRecommendationType, 'Recommendation for sending mail.', {
      from: 'deliverability.sendRecommendation',
    }),
    breachCount: int('Number of data breaches that contain the address.', {
      from: 'breachIntelligence.breachCount',
    }),
  },
);

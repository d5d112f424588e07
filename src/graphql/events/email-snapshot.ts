import { EMAIL_DECISIONS, SEND_RECOMMENDATIONS } from '../../domain/email/email-assessment.ts';
import { EMAIL_DOMAIN_TYPES } from '../../domain/email/email-classes.ts';
import { EMAIL_SIGNAL_CODES, EmailDomainTypeEnum, EmailSignalCodeEnum } from '../email-enums.ts';
import { EmailDecisionType, EmailSendRecommendationType } from '../email-result.ts';
import { country, each, facts, factType, int, number, text, word, words } from '../fact-fields.ts';

const EmailSignalSnapshot = factType('EmailSignalSnapshot', 'Signal of an email check at its completion.', {
  code: word(EmailSignalCodeEnum, EMAIL_SIGNAL_CODES, 'Code of the signal.'),
  weight: number('Weight in the risk score, 0 to 1.'),
  source: text('List, rule, provider or history behind the signal.'),
  evidence: text('Observation.'),
});

const EmailDomainSnapshot = factType(
  'EmailDomainSnapshot',
  'Domain of an email address at the completion of its check.',
  {
    riskScore: number('Risk score, -1 to 1.'),
    fqdn: text('Domain in ASCII.'),
    apex: text('Registrable domain.'),
    type: word(EmailDomainTypeEnum, EMAIL_DOMAIN_TYPES, 'Kind of domain.'),
    ageYears: number('Age of the domain in years.'),
    country: country('Country of the domain.'),
  },
);

export const EmailResultSnapshot = factType(
  'EmailResultSnapshot',
  'Result of an email check at its completion. It has no id and does not replace the EmailCheck in a cache.',
  {
    decision: word(EmailDecisionType, EMAIL_DECISIONS, 'Band of the risk score.'),
    riskScore: number('Risk score, -1 (trust) to 1 (risk).'),
    trustSignals: words(EmailSignalCodeEnum, EMAIL_SIGNAL_CODES, 'Codes of trust signals.'),
    riskSignals: words(EmailSignalCodeEnum, EMAIL_SIGNAL_CODES, 'Codes of risk signals.'),
    signals: each(EmailSignalSnapshot, 'Signals with their evidence.', { from: 'signalDetails' }),
    domain: facts(EmailDomainSnapshot, 'Domain of the address.'),
    normalized: text('Normalized address, equal for all spellings of the mailbox.', {
      from: 'email.normalized',
    }),
    deliveryRiskScore: number('Risk that mail is not delivered, 0 to 1.', {
      from: 'deliverability.riskScore',
    }),
    sendRecommendation: word(
      EmailSendRecommendationType,
      SEND_RECOMMENDATIONS,
      'Recommendation for sending mail.',
      { from: 'deliverability.sendRecommendation' },
    ),
    breachCount: int('Number of data breaches that contain the address.', {
      from: 'breachIntelligence.breachCount',
    }),
  },
);

import { EmailSignalCodeEnum } from '../email/email-enums.ts';
import {
  EmailDecisionType,
  EmailDomain,
  EmailSendRecommendationType,
  EmailSignal,
} from '../email/email-result.ts';
import { each, facts, factType, int, number, text, word, words } from '../kernel/fact-fields.ts';

export const EmailResultSnapshot = factType(
  'EmailResultSnapshot',
  'Result of an email check at its completion. It has no id and does not replace the EmailCheck in a cache.',
  { tokenScopes: 'never', revealedBy: 'parent', subjects: 'wide' },
  {
    decision: word(EmailDecisionType, 'Band of the risk score.'),
    riskScore: number('Risk score, -1 (trust) to 1 (risk).'),
    trustSignals: words(EmailSignalCodeEnum, 'Codes of trust signals.'),
    riskSignals: words(EmailSignalCodeEnum, 'Codes of risk signals.'),
    signals: each(EmailSignal, 'Signals with their evidence.', { from: 'signalDetails' }),
    domain: facts(EmailDomain, 'Domain of the address.'),
    normalized: text('Normalized address, equal for all spellings of the mailbox.', {
      mask: 'email',
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

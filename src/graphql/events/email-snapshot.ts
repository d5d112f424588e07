import { EMAIL_DECISIONS, SEND_RECOMMENDATIONS } from '../../domain/email/email-assessment.ts';
import { EMAIL_DOMAIN_TYPES } from '../../domain/email/email-classes.ts';
import { builder } from '../builder.ts';
import { EMAIL_SIGNAL_CODES, EmailDomainTypeEnum, EmailSignalCodeEnum } from '../email-enums.ts';
import { EmailDecisionType, EmailSendRecommendationType } from '../email-result.ts';
import {
  readEach,
  readFacts,
  readInt,
  readNumber,
  readText,
  readWord,
  readWords,
  type StoredFacts,
} from './stored-facts.ts';

const UNKNOWN = 'Null if unknown.';

const EmailSignalSnapshot = builder.objectRef<StoredFacts>('EmailSignalSnapshot').implement({
  description: 'Signal of an email check at its completion.',
  fields: (t) => ({
    code: t.field({
      type: EmailSignalCodeEnum,
      nullable: true,
      description: `Code of the signal. ${UNKNOWN}`,
      resolve: readWord('code', EMAIL_SIGNAL_CODES),
    }),
    weight: t.float({
      nullable: true,
      description: `Weight in the risk score, 0 to 1. ${UNKNOWN}`,
      resolve: readNumber('weight'),
    }),
    source: t.string({
      nullable: true,
      description: `List, rule, provider or history behind the signal. ${UNKNOWN}`,
      resolve: readText('source'),
    }),
    evidence: t.string({
      nullable: true,
      description: `Observation. ${UNKNOWN}`,
      resolve: readText('evidence'),
    }),
  }),
});

const EmailDomainSnapshot = builder.objectRef<StoredFacts>('EmailDomainSnapshot').implement({
  description: 'Domain of an email address at the completion of its check.',
  fields: (t) => ({
    riskScore: t.float({
      nullable: true,
      description: `Risk score, -1 to 1. ${UNKNOWN}`,
      resolve: readNumber('riskScore'),
    }),
    fqdn: t.string({ nullable: true, description: `Domain in ASCII. ${UNKNOWN}`, resolve: readText('fqdn') }),
    apex: t.string({
      nullable: true,
      description: `Registrable domain. ${UNKNOWN}`,
      resolve: readText('apex'),
    }),
    type: t.field({
      type: EmailDomainTypeEnum,
      nullable: true,
      description: `Kind of domain. ${UNKNOWN}`,
      resolve: readWord('type', EMAIL_DOMAIN_TYPES),
    }),
    ageYears: t.float({
      nullable: true,
      description: `Age of the domain in years. ${UNKNOWN}`,
      resolve: readNumber('ageYears'),
    }),
    country: t.field({
      type: 'CountryCode',
      nullable: true,
      description: `Country of the domain. ${UNKNOWN}`,
      resolve: readText('country'),
    }),
  }),
});

const inside =
  <T>(part: string, read: (facts: StoredFacts) => T) =>
  (facts: StoredFacts): T =>
    read(readFacts(part)(facts) ?? {});

export const EmailResultSnapshot = builder.objectRef<StoredFacts>('EmailResultSnapshot').implement({
  description:
    'Result of an email check at its completion. It has no id and does not replace the EmailCheck in a cache.',
  fields: (t) => ({
    decision: t.field({
      type: EmailDecisionType,
      nullable: true,
      description: `Band of the risk score. ${UNKNOWN}`,
      resolve: readWord('decision', EMAIL_DECISIONS),
    }),
    riskScore: t.float({
      nullable: true,
      description: `Risk score, -1 (trust) to 1 (risk). ${UNKNOWN}`,
      resolve: readNumber('riskScore'),
    }),
    trustSignals: t.field({
      type: [EmailSignalCodeEnum],
      nullable: true,
      description: `Codes of trust signals. ${UNKNOWN}`,
      resolve: readWords('trustSignals', EMAIL_SIGNAL_CODES),
    }),
    riskSignals: t.field({
      type: [EmailSignalCodeEnum],
      nullable: true,
      description: `Codes of risk signals. ${UNKNOWN}`,
      resolve: readWords('riskSignals', EMAIL_SIGNAL_CODES),
    }),
    signals: t.field({
      type: [EmailSignalSnapshot],
      nullable: true,
      description: `Signals with their evidence. ${UNKNOWN}`,
      resolve: readEach('signalDetails'),
    }),
    domain: t.field({
      type: EmailDomainSnapshot,
      nullable: true,
      description: `Domain of the address. ${UNKNOWN}`,
      resolve: readFacts('domain'),
    }),
    normalized: t.string({
      nullable: true,
      description: `Normalized address, equal for all spellings of the mailbox. ${UNKNOWN}`,
      resolve: inside('email', readText('normalized')),
    }),
    deliveryRiskScore: t.float({
      nullable: true,
      description: `Risk that mail is not delivered, 0 to 1. ${UNKNOWN}`,
      resolve: inside('deliverability', readNumber('riskScore')),
    }),
    sendRecommendation: t.field({
      type: EmailSendRecommendationType,
      nullable: true,
      description: `Recommendation for sending mail. ${UNKNOWN}`,
      resolve: inside('deliverability', readWord('sendRecommendation', SEND_RECOMMENDATIONS)),
    }),
    breachCount: t.int({
      nullable: true,
      description: `Number of data breaches that contain the address. ${UNKNOWN}`,
      resolve: inside('breachIntelligence', readInt('breachCount')),
    }),
  }),
});

import { EMAIL_DOMAIN_TYPES } from '../../domain/email/email-classes.ts';
import { builder } from '../builder.ts';
import { EMAIL_SIGNAL_CODES, EmailDomainTypeEnum, EmailSignalCodeEnum } from '../email-enums.ts';
import { DecisionType } from '../risk.ts';
import { RiskScoresSnapshot } from './session-snapshot.ts';
import {
  readBoolean,
  readDay,
  readFacts,
  readInt,
  readNumber,
  readText,
  readTexts,
  readTime,
  readWord,
  readWords,
  type StoredFacts,
} from './stored-facts.ts';

const UNKNOWN = 'Null if unknown.';

/** Words of decisions in stored events. */
export const readDecision = readWord('decision', ['Real', 'Suspicious', 'Fake']);

const RecentCountsSnapshot = builder.objectRef<StoredFacts>('RecentCountsSnapshot').implement({
  description:
    'Numbers of distinct values in the sessions of an account, in the days before its lastSeen, at the ' +
    'time of an event.',
  fields: (t) => ({
    oneDay: t.int({
      nullable: true,
      description: `Number in the day before lastSeen, 0 or more. ${UNKNOWN}`,
      resolve: readInt('oneDay'),
    }),
    sevenDay: t.int({
      nullable: true,
      description: `Number in the seven days before lastSeen, 0 or more. ${UNKNOWN}`,
      resolve: readInt('sevenDay'),
    }),
  }),
});

const EmailFactsSnapshot = builder.objectRef<StoredFacts>('EmailFactsSnapshot').implement({
  description: 'Facts about the email address of an account at the time of an event.',
  fields: (t) => ({
    email: t.string({ nullable: true, description: `Address. ${UNKNOWN}`, resolve: readText('email') }),
    disposable: t.boolean({
      nullable: true,
      description: `Whether the domain provides disposable addresses. ${UNKNOWN}`,
      resolve: readBoolean('disposable'),
    }),
    personal: t.boolean({
      nullable: true,
      description: `Whether the domain provides mailboxes for private persons. ${UNKNOWN}`,
      resolve: readBoolean('personal'),
    }),
    valid: t.boolean({
      nullable: true,
      description: `Whether the syntax of the address is correct and its domain ends in a public suffix. ${UNKNOWN}`,
      resolve: readBoolean('valid'),
    }),
    domainType: t.field({
      type: EmailDomainTypeEnum,
      nullable: true,
      description: `Kind of the mail domain. ${UNKNOWN}`,
      resolve: readWord('domainType', EMAIL_DOMAIN_TYPES),
    }),
    emailScore: t.float({
      nullable: true,
      description: `Risk score, -1 (trust) to 1 (risk). ${UNKNOWN}`,
      resolve: readNumber('emailScore'),
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
    numAccountFromDomain: t.int({
      nullable: true,
      description:
        'Number of accounts with an address of the same registrable domain, including this account: 0 to ' +
        `1,000. ${UNKNOWN}`,
      resolve: readInt('numAccountFromDomain'),
    }),
  }),
});

/** Personal data are an object of their own in the stored record. */
const personal = (facts: StoredFacts): StoredFacts => readFacts('account')(facts) ?? {};

export const AccountSnapshot = builder.objectRef<StoredFacts>('AccountSnapshot').implement({
  description: 'Account at the time of an event. It has no id and does not replace the Account in a cache.',
  fields: (t) => ({
    email: t.string({
      nullable: true,
      description: `Email address as the client sent it. ${UNKNOWN}`,
      resolve: (facts) => readText('email')(personal(facts)),
    }),
    phone: t.string({
      nullable: true,
      description: `Phone number in E.164 if it is valid, otherwise as the client sent it. ${UNKNOWN}`,
      resolve: (facts) => readText('phone')(personal(facts)),
    }),
    firstName: t.string({
      nullable: true,
      description: `First name. ${UNKNOWN}`,
      resolve: (facts) => readText('firstName')(personal(facts)),
    }),
    lastName: t.string({
      nullable: true,
      description: `Last name. ${UNKNOWN}`,
      resolve: (facts) => readText('lastName')(personal(facts)),
    }),
    username: t.string({
      nullable: true,
      description: `Username. ${UNKNOWN}`,
      resolve: (facts) => readText('username')(personal(facts)),
    }),
    dateOfBirth: t.field({
      type: 'Date',
      nullable: true,
      description: `Date of birth. ${UNKNOWN}`,
      resolve: (facts) => readDay('dateOfBirth')(personal(facts)),
    }),
    expectedCountries: t.field({
      type: ['CountryCode'],
      nullable: true,
      description: `Expected countries of the sessions. ${UNKNOWN}`,
      resolve: (facts) => readTexts('expectedCountries')(personal(facts)),
    }),
    metadata: t.field({
      type: 'JSONObject',
      nullable: true,
      description: `Data of the client. ${UNKNOWN}`,
      resolve: (facts) => (personal(facts).metadata ?? null) as Record<string, unknown> | null,
    }),
    group: t.string({
      nullable: true,
      description: 'Group of the account. Null if unknown or if the account has no group.',
      resolve: (facts) => readText('group')(personal(facts)),
    }),
  }),
});

/** Sessions. */
builder.objectFields(AccountSnapshot, (t) => ({
  numSessions: t.int({
    nullable: true,
    description: `Number of sessions. ${UNKNOWN}`,
    resolve: readInt('numSessions'),
  }),
  firstSeen: t.field({
    type: 'DateTime',
    nullable: true,
    description: `Start of the earliest session. ${UNKNOWN}`,
    resolve: readTime('firstSeen'),
  }),
  lastSeen: t.field({
    type: 'DateTime',
    nullable: true,
    description: `Start of the latest session. ${UNKNOWN}`,
    resolve: readTime('lastSeen'),
  }),
  lastSessionId: t.field({
    type: 'UUID',
    nullable: true,
    description: `Id of the latest session. ${UNKNOWN}`,
    resolve: readText('lastSession'),
  }),
  country: t.field({
    type: 'CountryCode',
    nullable: true,
    description: `Country of the latest session. ${UNKNOWN}`,
    resolve: readText('country'),
  }),
  countries: t.field({
    type: ['CountryCode'],
    nullable: true,
    description: `Countries of the sessions, in the order of their first session. ${UNKNOWN}`,
    resolve: readTexts('countries'),
  }),
  uniqueDevices: t.field({
    type: RecentCountsSnapshot,
    nullable: true,
    description: `Numbers of distinct devices. ${UNKNOWN}`,
    resolve: readFacts('uniqueDevices'),
  }),
  uniqueNetworks: t.field({
    type: RecentCountsSnapshot,
    nullable: true,
    description: `Numbers of distinct networks. ${UNKNOWN}`,
    resolve: readFacts('uniqueNetworks'),
  }),
}));

/** Decision, scores and links. */
builder.objectFields(AccountSnapshot, (t) => ({
  decision: t.field({
    type: DecisionType,
    nullable: true,
    description: `Decision. ${UNKNOWN}`,
    resolve: readDecision,
  }),
  accountScore: t.float({
    nullable: true,
    description: `Overall risk, 0 to 1. ${UNKNOWN}`,
    resolve: readNumber('accountScore'),
  }),
  botScore: t.float({
    nullable: true,
    description: `Score of automation, 0 to 1. ${UNKNOWN}`,
    resolve: readNumber('bot'),
  }),
  multipleAccounts: t.float({
    nullable: true,
    description: `Risk that one person has several accounts, 0 to 1. ${UNKNOWN}`,
    resolve: readNumber('multipleAccounts'),
  }),
  riskSignalScore: t.float({
    nullable: true,
    description: `Combined score of all risk signals, 0 to 1. ${UNKNOWN}`,
    resolve: readNumber('riskSignals'),
  }),
  riskSignalAverage: t.field({
    type: RiskScoresSnapshot,
    nullable: true,
    description: `Average score of each risk signal over the sessions. ${UNKNOWN}`,
    resolve: readFacts('riskSignalAverage'),
  }),
  accountsLinked: t.int({
    nullable: true,
    description: `Number of linked accounts, at most 1,500. ${UNKNOWN}`,
    resolve: readInt('accountsLinked'),
  }),
  listNames: t.stringList({
    nullable: true,
    description: `Names of the lists that contain the account. ${UNKNOWN}`,
    resolve: readTexts('lists'),
  }),
  emailFacts: t.field({
    type: EmailFactsSnapshot,
    nullable: true,
    description: `Facts about the email address. ${UNKNOWN}`,
    resolve: readFacts('emailFacts'),
  }),
}));

import { EmailDomainTypeEnum, EmailSignalCodeEnum } from '../email/email-enums.ts';
import {
  boolean,
  countries,
  country,
  day,
  facts,
  factType,
  inside,
  int,
  json,
  number,
  text,
  texts,
  time,
  uuid,
  word,
  words,
} from '../kernel/fact-fields.ts';
import { DecisionType } from '../kernel/risk.ts';
import { RiskScoresSnapshot } from './session-snapshot.ts';

const RecentCountsSnapshot = factType(
  'RecentCountsSnapshot',
  'Numbers of distinct values in the sessions of an account, in the days before its lastSeen, at the ' +
    'time of an event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    oneDay: int('Number in the day before lastSeen, 0 or more.'),
    sevenDay: int('Number in the seven days before lastSeen, 0 or more.'),
  },
);

const EmailFactsSnapshot = factType(
  'EmailFactsSnapshot',
  'Facts about the email address of an account at the time of an event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    email: text('Address.'),
    disposable: boolean('Whether the domain provides disposable addresses.'),
    personal: boolean('Whether the domain provides mailboxes for private persons.'),
    valid: boolean('Whether the syntax of the address is correct and its domain ends in a public suffix.'),
    domainType: word(EmailDomainTypeEnum, 'Kind of the mail domain.'),
    emailScore: number('Risk score, -1 (trust) to 1 (risk).'),
    trustSignals: words(EmailSignalCodeEnum, 'Codes of trust signals.'),
    riskSignals: words(EmailSignalCodeEnum, 'Codes of risk signals.'),
    numAccountFromDomain: int(
      'Number of accounts with an address of the same registrable domain, including this account: 0 to ' +
        '1,000.',
    ),
  },
);

export const AccountSnapshot = factType(
  'AccountSnapshot',
  'Account at the time of an event. It has no id and does not replace the Account in a cache.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    // Personal data are an object of their own in the stored record.
    ...inside('account', {
      email: text('Email address as the client sent it.'),
      phone: text('Phone number in E.164 if it is valid, otherwise as the client sent it.'),
      firstName: text('First name.'),
      lastName: text('Last name.'),
      username: text('Username.'),
      dateOfBirth: day('Date of birth.'),
      expectedCountries: countries('Expected countries of the sessions.'),
      metadata: json('Data of the client.'),
      group: text('Group of the account.', { nulls: 'Null if unknown or if the account has no group.' }),
    }),
    numSessions: int('Number of sessions.'),
    firstSeen: time('Start of the earliest session.'),
    lastSeen: time('Start of the latest session.'),
    lastSessionId: uuid('Id of the latest session.', { from: 'lastSession' }),
    country: country('Country of the latest session.'),
    countries: countries('Countries of the sessions, in the order of their first session.'),
    uniqueDevices: facts(RecentCountsSnapshot, 'Numbers of distinct devices.'),
    uniqueNetworks: facts(RecentCountsSnapshot, 'Numbers of distinct networks.'),
    decision: word(DecisionType, 'Decision.'),
    accountScore: number('Overall risk, 0 to 1.'),
    botScore: number('Score of automation, 0 to 1.', { from: 'bot' }),
    multipleAccounts: number('Risk that one person has several accounts, 0 to 1.'),
    riskSignalScore: number('Combined score of all risk signals, 0 to 1.', { from: 'riskSignals' }),
    riskSignalAverage: facts(RiskScoresSnapshot, 'Average score of each risk signal over the sessions.'),
    accountsLinked: int('Number of linked accounts, at most 1,500.'),
    listNames: texts('Names of the lists that contain the account.', { from: 'lists' }),
    emailFacts: facts(EmailFactsSnapshot, 'Facts about the email address.'),
  },
);

import { EmailFactsType, RecentCounts } from '../accounts/account.ts';
import {
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
} from '../kernel/fact-fields.ts';
import { DecisionType, RiskSignalScores } from '../kernel/risk.ts';

export const AccountSnapshot = factType(
  'AccountSnapshot',
  'Account at the time of an event. It has no id and does not replace the Account in a cache.',
  { tokenScopes: 'any', revealedBy: 'parent', subjects: 'wide' },
  {
    // Personal data are an object of their own in the stored record.
    ...inside('account', {
      email: text('Email address as the client sent it.', { mask: 'email' }),
      phone: text('Phone number in E.164 if it is valid, otherwise as the client sent it.', {
        mask: 'phone',
      }),
      firstName: text('First name.', { mask: 'name' }),
      lastName: text('Last name.', { mask: 'name' }),
      username: text('Username.', { mask: 'name' }),
      dateOfBirth: day('Date of birth.', { mask: 'date' }),
      expectedCountries: countries('Expected countries of the sessions.'),
      metadata: json('Data of the client.', { mask: 'values' }),
      group: text('Group of the account.', {
        mask: 'none',
        nulls: 'Null if unknown or if the account has no group.',
      }),
    }),
    numSessions: int('Number of sessions.'),
    firstSeen: time('Start of the earliest session.'),
    lastSeen: time('Start of the latest session.'),
    lastSessionId: uuid('Id of the latest session.', { from: 'lastSession' }),
    country: country('Country of the latest session.'),
    countries: countries('Countries of the sessions, in the order of their first session.'),
    uniqueDevices: facts(RecentCounts, 'Numbers of distinct devices.'),
    uniqueNetworks: facts(RecentCounts, 'Numbers of distinct networks.'),
    decision: word(DecisionType, 'Decision.'),
    accountScore: number('Overall risk, 0 to 1.'),
    botScore: number('Score of automation, 0 to 1.', { from: 'bot' }),
    multipleAccounts: number('Risk that one person has several accounts, 0 to 1.'),
    riskSignalScore: number('Combined score of all risk signals, 0 to 1.', { from: 'riskSignals' }),
    riskSignalAverage: facts(RiskSignalScores, 'Average score of each risk signal over the sessions.'),
    accountsLinked: int('Number of linked accounts, at most 1,500.'),
    listNames: texts('Names of the lists that contain the account.', { mask: 'none', from: 'lists' }),
    emailFacts: facts(EmailFactsType, 'Facts about the email address.'),
  },
);

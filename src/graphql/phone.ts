import type { PhoneFacts } from '../domain/phone/describe-phone.ts';
import { checkPhone, type PhoneHistory } from '../domain/phone/phone-service.ts';
import {
  PHONE_LINE_TYPES,
  PHONE_SIGNALS,
  type PhoneLineType,
  type PhoneSignal,
  type PhoneSignalCode,
} from '../domain/phone/phone-signals.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enum-values.ts';
import { known } from './known.ts';
import { ListEffect } from './list.ts';

const LINE_MEANINGS: Readonly<Record<PhoneLineType, string>> = {
  mobile: 'Mobile phone.',
  fixed_line: 'Fixed line.',
  fixed_line_or_mobile:
    'Fixed line or mobile: its numbering plan does not distinguish them, as in North America.',
  toll_free: 'Service number that its holder pays for.',
  premium_rate: 'Service number at a premium price.',
  shared_cost: 'Service number whose cost caller and holder share.',
  voip: 'Internet telephony.',
  personal_number: 'Number that forwards to another one.',
  pager: 'Pager.',
  uan: 'Universal access number of a company.',
  voicemail: 'Access to voicemail.',
  unknown: 'The number is not valid, or its numbering plan does not say.',
};

const PhoneLineTypeEnum = builder.enumType('PhoneLineType', {
  description: 'Kind of line that a numbering plan assigns a number to.',
  values: valuesOf(PHONE_LINE_TYPES, LINE_MEANINGS),
});

const PhoneSignalCodeEnum = builder.enumType('PhoneSignalCode', {
  description: 'Risk signal of a phone number.',
  values: Object.fromEntries(
    Object.entries(PHONE_SIGNALS).map(([code, { description }]) => [
      code.toUpperCase(),
      { value: code, description },
    ]),
  ) as Record<Uppercase<PhoneSignalCode>, { value: PhoneSignalCode; description: string }>,
});

const PhoneSignalType = builder.objectRef<PhoneSignal>('PhoneSignal').implement({
  description: 'Risk signal of a phone number with its evidence.',
  fields: (t) => ({
    code: t.field({ type: PhoneSignalCodeEnum, description: 'The signal.', resolve: ({ code }) => code }),
    weight: t.exposeFloat('weight', {
      description: 'Weight in the risk score, 0 to 1: an expert prior, not a measured probability.',
    }),
    source: t.exposeString('source', { description: 'Data that it comes from, such as libphonenumber.' }),
    evidence: t.exposeString('evidence', { description: 'Observation in words, without the number itself.' }),
  }),
});

const PhoneCarrier = builder.objectRef<NonNullable<PhoneFacts['carrier']>>('PhoneCarrier').implement({
  description:
    'Carrier that the range of a number was assigned to. A ported number keeps its range: the carrier that serves it now may be another one.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name in English, as the source spells it.' }),
    source: t.exposeString('source', { description: 'Data set and version that the name comes from.' }),
  }),
});

const PhoneHistoryList = builder.objectRef<PhoneHistory['lists'][number]>('PhoneHistoryList').implement({
  description: 'List that an account with the number is on.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the list.' }),
    effect: t.field({
      type: ListEffect,
      description: 'Effect of a membership on decisions.',
      resolve: ({ effect }) => effect,
    }),
  }),
});

const PhoneHistoryType = builder.objectRef<PhoneHistory>('PhoneHistory').implement({
  description:
    'Records of the project about a number, in any spelling. Accounts that were erased do not count. Sessions, countries, lists and decisions are those of the 100 newest accounts with the number.',
  fields: (t) => ({
    firstSeen: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'First session or change of an account with the number. Null if there was none.',
      resolve: ({ firstSeen }) => firstSeen,
    }),
    lastSeen: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Latest session or change of an account with the number. Null if there was none.',
      resolve: ({ lastSeen }) => lastSeen,
    }),
    accounts: t.exposeInt('accounts', { description: 'Number of accounts with it; stops at 1,000.' }),
    sessions: t.exposeInt('sessions', { description: 'Number of sessions of these accounts.' }),
    countries: t.field({
      type: ['CountryCode'],
      description: 'Countries of these sessions, in order.',
      resolve: ({ countries }) => [...countries],
    }),
    lists: t.field({
      type: [PhoneHistoryList],
      description: 'Lists that contain these accounts, by name.',
      resolve: ({ lists }) => [...lists],
    }),
    fakeAccounts: t.exposeInt('fakeAccounts', {
      description: 'Number of these accounts whose latest decision is Fake.',
    }),
  }),
});

/** A number as checkPhone answers it, and as an account shows its own. */
export const PhoneCheck = builder.objectRef<PhoneFacts>('PhoneCheck').implement({
  description:
    'Phone number as numbering plans describe it, with its risk signals and its history in this project.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'Whether a numbering plan assigns the number.' }),
    possible: t.boolean({
      nullable: true,
      description: 'Whether numbers of this length exist. Null for a national number without its country.',
      resolve: ({ possible }) => possible,
    }),
    phoneNumber: t.exposeString('phoneNumber', {
      description: 'Number in E.164 where it is valid, else the text as the client sent it.',
    }),
    e164: t.string({
      nullable: true,
      description: 'Number in E.164, such as +14155552671; null unless it is valid.',
      resolve: ({ e164 }) => known(e164),
    }),
    international: t.string({
      nullable: true,
      description: 'International form for people, such as +1 415 555 2671; null unless it is possible.',
      resolve: ({ international }) => known(international),
    }),
    national: t.string({
      nullable: true,
      description: 'National form for people, such as (415) 555-2671; null unless it is possible.',
      resolve: ({ national }) => known(national),
    }),
    callingCode: t.string({
      nullable: true,
      description: 'Country calling code in digits, such as 1 or 44; null unless the number is possible.',
      resolve: ({ callingCode }) => known(callingCode),
    }),
    country: t.field({
      type: 'CountryCode',
      nullable: true,
      description:
        'Country of the number. Null for calling codes of no country, such as 800 and 881, and where several countries share the calling code and the number does not say which.',
      resolve: ({ country }) => known(country),
    }),
    region: t.string({
      nullable: true,
      description:
        'Place of the area code in English, such as Berlin or San Francisco, CA. Null for numbers without an area code, such as most mobiles, and where the data does not know it.',
      resolve: ({ region }) => region,
    }),
    timezones: t.exposeStringList('timezones', {
      description: 'IANA timezones of the area code; empty where it is unknown.',
    }),
  }),
});

/** Line, risk and history. */
builder.objectFields(PhoneCheck, (t) => ({
  carrier: t.field({
    type: PhoneCarrier,
    nullable: true,
    description: 'Carrier that the range was assigned to; null where the data does not know it.',
    resolve: ({ carrier }) => carrier,
  }),
  lineType: t.field({
    type: PhoneLineTypeEnum,
    description: 'Kind of line; unknown unless the number is valid.',
    resolve: ({ lineType }) => lineType,
  }),
  riskScore: t.float({
    nullable: true,
    description:
      'Risk of the number itself, 0 to 1, by the signals. History does not enter. Null for a national number without a country, unless it is a placeholder.',
    resolve: ({ riskScore }) => riskScore,
  }),
  weightsVersion: t.exposeInt('weightsVersion', { description: 'Version of the weights of the signals.' }),
  signals: t.field({
    type: [PhoneSignalType],
    description: 'Risk signals, the strongest first.',
    resolve: ({ signals }) => [...signals],
  }),
  history: t.field({
    type: PhoneHistoryType,
    description: 'History of the number in this project. Not for tokens that are limited to an account.',
    complexity: 10,
    resolve: ({ matchKey }, _args, context) => {
      return context.loaders.phoneHistory.load(matchKey);
    },
  }),
}));

builder.queryFields((t) => ({
  checkPhone: t.field({
    type: PhoneCheck,
    nullable: true,
    description:
      'Describes a phone number from offline data and the history of the project. Nothing is stored. ' +
      'Errors: `phone.invalid` for a text without a digit, or of more than 32 characters.',
    authScopes: (_root, _args, { isTrustedDocument }) => ({
      may: isTrustedDocument ? 'phone.check_by_rest' : 'phone.check',
    }),
    args: {
      phoneNumber: t.arg.string({
        required: true,
        description: 'Number in any spelling, at most 32 characters: +, 00 and tel: need no country.',
      }),
      country: t.arg({
        type: 'CountryCode',
        description: 'Country that a national number is read with; without one it is not read.',
      }),
    },
    resolve: (_root, { phoneNumber, country }, { viewer }) =>
      checkPhone(viewer, phoneNumber, country ?? null),
  }),
}));

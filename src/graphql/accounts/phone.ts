import {
  PHONE_LINE_TYPES,
  PHONE_SIGNALS,
  type PhoneFacts,
  type PhoneLineType,
  type PhoneSignal,
  type PhoneSignalCode,
} from '@vouchgraph/phone';
import { checkPhoneShape } from '../../domain/phone/phone-input.ts';
import { checkPhone, type PhoneHistory } from '../../domain/phone/phone-service.ts';
import { builder } from '../kernel/builder.ts';
import { GROWING, valuesOf } from '../kernel/enum-values.ts';
import { argsFrom } from '../kernel/input-from.ts';
import { known } from '../kernel/known.ts';
import { ListEffect } from '../lists/list.ts';

const LINE_MEANINGS: Readonly<Record<PhoneLineType, string>> = {
  mobile: 'Mobile phone.',
  fixed_line: 'Fixed line.',
  fixed_line_or_mobile:
    'Fixed line or mobile. The numbering plan does not distinguish them, as in North America.',
  toll_free: 'Service number that its holder pays for.',
  premium_rate: 'Service number at a premium price.',
  shared_cost: 'Service number whose cost caller and holder share.',
  voip: 'Internet telephony.',
  personal_number: 'Number that forwards to another number.',
  pager: 'Pager.',
  uan: 'Universal access number of a company.',
  voicemail: 'Access to voicemail.',
  unknown: 'Unknown: the number is not valid, or its numbering plan does not determine the kind of line.',
};

const PhoneLineTypeEnum = builder.enumType('PhoneLineType', {
  description: 'Kind of line, according to the numbering plan.',
  values: valuesOf(PHONE_LINE_TYPES, LINE_MEANINGS),
});

const PhoneSignalCodeEnum = builder.enumType('PhoneSignalCode', {
  ...GROWING,
  description: 'Risk signal of a phone number. New signals can be added.',
  values: Object.fromEntries(
    Object.entries(PHONE_SIGNALS).map(([code, { description }]) => [
      code.toUpperCase(),
      { value: code, description },
    ]),
  ) as Record<Uppercase<PhoneSignalCode>, { value: PhoneSignalCode; description: string }>,
});

const PhoneSignalType = builder.objectRef<PhoneSignal>('PhoneSignal').implement({
  tokenScopes: 'any',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Risk signal of a phone number with its evidence.',
  fields: (t) => ({
    code: t.expose('code', { type: PhoneSignalCodeEnum, description: 'Code of the signal.' }),
    weight: t.exposeFloat('weight', {
      description: 'Weight in the risk score, 0 to 1: an expert estimate, not a measured probability.',
    }),
    source: t.exposeString('source', {
      mask: 'none',
      description: 'Source of the signal, such as libphonenumber.',
    }),
    evidence: t.exposeString('evidence', {
      mask: 'sentence',
      description: 'Observation, without the number.',
    }),
  }),
});

const PhoneCarrier = builder.objectRef<NonNullable<PhoneFacts['carrier']>>('PhoneCarrier').implement({
  tokenScopes: 'any',
  subjects: 'none',
  mask: 'none',
  description:
    'Carrier of the range of a number. A ported number keeps its range, so another carrier may serve it ' +
    'now.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name in English, as the source spells it.' }),
    source: t.exposeString('source', { description: 'Data set and version that contain the name.' }),
  }),
});

const PhoneHistoryList = builder.objectRef<PhoneHistory['lists'][number]>('PhoneHistoryList').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'List that contains an account with the number.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the list.' }),
    effect: t.expose('effect', { type: ListEffect, description: 'Effect of membership on decisions.' }),
  }),
});

const PhoneHistoryType = builder.objectRef<PhoneHistory>('PhoneHistory').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description:
    'Records of the project about a number, in any spelling, without erased accounts. Sessions, ' +
    'countries, lists and decisions are those of the 100 newest accounts with the number.',
  fields: (t) => ({
    firstSeen: t.expose('firstSeen', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the first session or change of an account with the number. Null without such an account.',
    }),
    lastSeen: t.expose('lastSeen', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the latest session or change of an account with the number. Null without such an account.',
    }),
    accounts: t.exposeInt('accounts', { description: 'Number of accounts with the number, at most 1,000.' }),
    sessions: t.exposeInt('sessions', { description: 'Number of sessions of the accounts.' }),
    countries: t.field({
      type: ['CountryCode'],
      description: 'Countries of the sessions, in alphabetical order of their codes.',
      resolve: ({ countries }) => [...countries],
    }),
    lists: t.field({
      type: [PhoneHistoryList],
      description: 'Lists that contain the accounts, by name.',
      resolve: ({ lists }) => [...lists],
    }),
    fakeAccounts: t.exposeInt('fakeAccounts', {
      description: 'Number of fake accounts, by their latest decision.',
    }),
  }),
});

/** A number as checkPhone answers it, and as an account shows its own. */
export const PhoneCheck = builder.objectRef<PhoneFacts>('PhoneCheck').implement({
  tokenScopes: ['ACCOUNT'],
  revealedBy: 'parent',
  subjects: 'none',
  description:
    'Phone number according to numbering plans, with its risk signals and its history in the project.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'Whether a numbering plan assigns the number.' }),
    possible: t.exposeBoolean('possible', {
      nullable: true,
      description: 'Whether numbers of this length exist. Null for a national number without a country.',
    }),
    phoneNumber: t.exposeString('phoneNumber', {
      mask: 'phone',
      description: 'Number in E.164 if it is valid, otherwise the text from the client.',
    }),
    e164: t.string({
      mask: 'phone',
      nullable: true,
      description: 'Number in E.164, such as +14155552671. Null if it is not valid.',
      resolve: ({ e164 }) => known(e164),
    }),
    international: t.string({
      mask: 'phone',
      nullable: true,
      description: 'International format, such as +1 415 555 2671. Null if the number is not possible.',
      resolve: ({ international }) => known(international),
    }),
    national: t.string({
      mask: 'phone',
      nullable: true,
      description: 'National format, such as (415) 555-2671. Null if the number is not possible.',
      resolve: ({ national }) => known(national),
    }),
    callingCode: t.string({
      mask: 'none',
      nullable: true,
      description: 'Country calling code in digits, such as 1 or 44. Null if the number is not possible.',
      resolve: ({ callingCode }) => known(callingCode),
    }),
    country: t.field({
      type: 'CountryCode',
      nullable: true,
      description:
        'Country of the number. Null for calling codes without a country, such as 800 and 881. Null if ' +
        'several countries share the calling code and the number does not determine one.',
      resolve: ({ country }) => known(country),
    }),
    region: t.exposeString('region', {
      mask: 'none',
      nullable: true,
      description:
        'Place of the area code in English, such as Berlin or San Francisco, CA. Null for numbers ' +
        'without an area code, such as most mobile numbers. Null if unknown.',
    }),
    timezones: t.exposeStringList('timezones', {
      mask: 'none',
      description: 'IANA time zones of the area code. Empty if unknown.',
    }),
  }),
});

/** Line, risk and history. */
builder.objectFields(PhoneCheck, (t) => ({
  carrier: t.expose('carrier', {
    type: PhoneCarrier,
    nullable: true,
    description: 'Carrier of the range of the number. Null if unknown.',
  }),
  lineType: t.expose('lineType', {
    type: PhoneLineTypeEnum,
    description: 'Kind of line. UNKNOWN if the number is not valid.',
  }),
  riskScore: t.exposeFloat('riskScore', {
    nullable: true,
    description:
      'Risk of the number, 0 to 1, by its signals without history. Null for a national number without a ' +
      'country, unless it is a placeholder.',
  }),
  weightsVersion: t.exposeInt('weightsVersion', { description: 'Version of the weights of the signals.' }),
  signals: t.field({
    type: [PhoneSignalType],
    description: 'Risk signals, the strongest first.',
    resolve: ({ signals }) => [...signals],
  }),
  history: t.field({
    tokenScopes: 'never',
    rest: { description: 'History of the number in the project.' },
    type: PhoneHistoryType,
    description: 'History of the number in the project. Not available to tokens limited to an account.',
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
      'Facts about a phone number, from offline data and the history of the project. Nothing is stored. ' +
      'Errors: `phone.invalid` (a text without a digit, or of more than 32 characters).',
    authScopes: (_root, _args, { isTrustedDocument }) => ({
      may: isTrustedDocument ? 'phone.check_by_rest' : 'phone.check',
    }),
    args: argsFrom(checkPhoneShape),
    resolve: (_root, { phoneNumber, country }, { viewer }) =>
      checkPhone(viewer, phoneNumber, country ?? null),
  }),
}));

import { PHONE_LINE_TYPES, PHONE_SIGNALS } from '@vouchgraph/phone';
import { snakeCase } from '@vouchgraph/platform/letter-case';
import type { Field } from '@vouchgraph/rules';
import {
  ALL_CODES,
  CONNECTION_TYPES,
  RISK_FLAGS,
  RISK_SCORES,
  RULE_DEVICE_FACTS,
  scoreName,
} from '@vouchgraph/signals';
import {
  BARCODE_STATUSES,
  DIGITAL_SPOOF_STATUSES,
  FACE_AGE_BRACKETS,
  FULL_ID_STATUSES,
  ID_FACE_STATUSES,
  ID_TEXT_STATUSES,
  ID_VALIDITIES,
  TEMPLATE_TYPES,
} from '@vouchgraph/vision';
import { VERIFICATION_KINDS } from './verification-kind.ts';

/** A field that rules can read. */
export type RuleField = Field & {
  /**
   * When it is known: `session`, of the session that is being decided on (also a verification's session);
   * `verification`, when an ID check or a face check is bound; `document`, when an ID check is bound; `any`, whenever
   * its account is known.
   */
  readonly on: 'session' | 'verification' | 'document' | 'any';
  /** Whether its values are masked for persons: a condition on it answers about a value that the person does not see. */
  readonly isPersonal?: true;
};

type Details = Omit<RuleField, 'type' | 'description' | 'on'>;
type Make = (description: string, details?: Details) => RuleField;

const make =
  (type: Field['type'], on: RuleField['on'], always: Details = {}): Make =>
  (description, details = {}) => ({ type, description, ...always, ...details, on });

const SCORE: Details = { range: '0 to 1' };
const COUNT: Details = { range: '0 or more', unit: 'count' };
const COUNTRY: Details = { country: true };
const PERSONAL: Details = { isPersonal: true };

const session = {
  score: make('number', 'session', SCORE),
  count: make('number', 'session', COUNT),
  text: make('string', 'session'),
  flag: make('boolean', 'session'),
  texts: make('strings', 'session'),
  address: make('address', 'session'),
};
const account = {
  score: make('number', 'any', SCORE),
  count: make('number', 'any', COUNT),
  text: make('string', 'any'),
  flag: make('boolean', 'any'),
  texts: make('strings', 'any'),
};
const verification = {
  number: make('number', 'verification'),
  text: make('string', 'verification'),
  texts: make('strings', 'verification'),
  flag: make('boolean', 'verification'),
};
const document = {
  number: make('number', 'document'),
  text: make('string', 'document'),
  flag: make('boolean', 'document'),
};

function deviceFields(): Record<string, RuleField> {
  return Object.fromEntries(
    RULE_DEVICE_FACTS.map(({ name, rule, type }) => [
      `session.device.${snakeCase(name)}`,
      type === 'text' ? session.text(rule) : session.count(rule),
    ]),
  );
}

function signalFields(): Record<string, RuleField> {
  const fields: Record<string, RuleField> = {};
  for (const { key, raisedWhen } of RISK_SCORES) {
    fields[`session.risk_signals.${scoreName(key)}`] = session.flag(
      `Whether ${raisedWhen} (score of 0.5 or more)`,
    );
  }
  for (const { key, raisedWhen } of RISK_SCORES) {
    fields[`session.risk_signal_scores.${scoreName(key)}`] = session.score(`Score: ${raisedWhen}`);
  }
  return fields;
}

const DEVICE_CATEGORIES = [
  'desktop',
  'mobile',
  'tablet',
  'console',
  'smarttv',
  'wearable',
  'embedded',
  'other',
];
const CONTINENTS = ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'];
const DOMAIN_TYPES = ['personal', 'business', 'education', 'government', 'relay', 'inactive'];

const SESSION_FIELDS: Readonly<Record<string, RuleField>> = {
  ...signalFields(),
  'session.risk_signals_score': session.score('All risk signals combined'),
  'session.bot': session.score('Probability that the client is automated'),
  'session.ip_address': session.address('IPv4 or IPv6 address of the session', PERSONAL),
  'session.connection_type': session.text('Type of the connection', {
    values: CONNECTION_TYPES,
  }),
  'session.true_country_code': session.text('Most likely country of the user, from all evidence', COUNTRY),
  'session.country_code': session.text('Country of the address', COUNTRY),
  'session.timezone': session.text('IANA name of the timezone at the location of the address'),
  'session.continent': session.text('Continent of the address', { values: CONTINENTS }),
  'session.state': session.text('Full name of the state or province of the address, such as Texas'),
  'session.browser.type': session.text('Name of the browser, such as Chrome or Safari'),
  'session.device.category': session.text('Class of the device', { values: DEVICE_CATEGORIES }),
  'session.device.type': session.text('Type of the device, such as Mac, iPhone or Windows PC'),
  'session.device.os': session.text('Operating system with its version, such as macOS 10.15.7'),
  ...deviceFields(),
  'session.source': session.text('Source that collected the session', { values: ['web', 'ios', 'android'] }),
  'session.simulated': session.flag('Whether the session was simulated by a server in the sandbox'),
  'session.codes': session.texts('Reason codes of the signals (docs/signals.md)', {
    values: ALL_CODES.map(({ code }) => code),
  }),
  'session.is_new_device': session.flag('Whether no other session of the account used this device'),
  'session.is_first': session.flag('Whether it is the first session of its account'),
};

const ACCOUNT_FIELDS: Readonly<Record<string, RuleField>> = {
  'account.id': account.text('The client’s id of the account'),
  'account.group': account.text('Group of the account; missing without a group'),
  'account.account_score': account.score('Overall risk of the account'),
  'account.bot': account.score('Probability that the account is automated'),
  'account.risk_signals': account.score('Risk signals of all sessions of the account combined'),
  'account.multiple_accounts': account.score('Probability that the holder has several accounts'),
  'account.accounts_linked': account.count('Number of linked accounts', { range: '0 to 1,500' }),
  'account.num_sessions': account.count('Number of authenticated sessions'),
  'account.age_days': account.count('Whole days since the account was first seen', { unit: 'days' }),
  'account.country': account.text('Country of the latest session', COUNTRY),
  'account.countries': account.texts('Countries of all sessions', COUNTRY),
  'account.expected_countries': account.texts('Expected countries that the client sent', COUNTRY),
  'account.unique_devices.1_day': account.count(
    'Number of devices in the day before the account was last seen',
    {
      range: '0 to 32',
    },
  ),
  'account.unique_devices.7_day': account.count(
    'Number of devices in the week before the account was last seen',
    {
      range: '0 to 32',
    },
  ),
  'account.unique_networks.1_day': account.count(
    'Number of addresses in the day before the account was last seen',
    {
      range: '0 to 64',
    },
  ),
  'account.unique_networks.7_day': account.count(
    'Number of addresses in the week before the account was last seen',
    {
      range: '0 to 64',
    },
  ),
  'account.holder_age': account.count('Age in whole years, from the date of birth that the client sent', {
    ...PERSONAL,
    unit: 'years',
  }),
  'account.has_phone': account.flag('Whether the account has a phone number'),
  'account.email.email': account.text('Email address, its domain in ASCII', PERSONAL),
  'account.email.domain': account.text('Domain of the email address', PERSONAL),
  'account.email.registrable_domain': account.text(
    'Registered domain of the email address: example.co.uk of mail.example.co.uk',
    PERSONAL,
  ),
  'account.email.domain_type': account.text('Type of the email domain', { values: DOMAIN_TYPES }),
  'account.email.disposable': account.flag('Whether the email domain is disposable'),
  'account.email.personal': account.flag('Whether the email domain provides mailboxes for private persons'),
  'account.email.valid': account.flag('Whether the email address is valid'),
  'account.email.email_score': account.score(
    'Score of the email address: -1 is trust, 0 is neutral, 1 is risk',
    {
      range: '-1 to 1',
    },
  ),
  'account.email.trust_signals': account.texts('Trust signals of the email address'),
  'account.email.risk_signals': account.texts('Risk signals of the email address'),
  'account.email.num_account_from_domain': account.count(
    'Number of accounts with an address of the same domain',
    {
      range: '0 to 1,000',
    },
  ),
  'account.phone.valid': account.flag(
    'Whether a numbering plan assigns the number; missing for a national number unless one country is expected',
  ),
  'account.phone.country': account.text('Country of the phone number', COUNTRY),
  'account.phone.region': account.text(
    'Place of the area code in English, such as Berlin or San Francisco, CA',
  ),
  'account.phone.line_type': account.text('Line type of a valid phone number', {
    values: PHONE_LINE_TYPES,
  }),
  'account.phone.carrier': account.text(
    'Carrier to which the number range was assigned; the number may have been ported',
  ),
  'account.phone.voip': account.flag('Whether a valid phone number is a VoIP number'),
  'account.phone.risk_score': account.score('Risk of the phone number (docs/phone.md)'),
  'account.phone.risk_signals': account.texts('Risk signals of the phone number (docs/phone.md)', {
    values: Object.keys(PHONE_SIGNALS),
  }),
  lists: account.texts('Names of the lists that the account was on before the rules', { listNames: true }),
};

const WINDOWS = { '1h': 'hour', '1d': 'day', '7d': 'seven days' } as const;

/** Counters: subject, wording and upper limit. */
const VELOCITIES: readonly (readonly [name: string, counts: string, details?: Details])[] = [
  ['sessions', 'Number of sessions of the account', { range: '1 to 256' }],
  ['devices', 'Number of devices of the account', { range: '0 to 32' }],
  ['networks', 'Number of addresses of the account', { range: '0 to 64' }],
  [
    'accounts_per_device',
    'Number of accounts of the group, including this one, with the device of the session',
    { range: '1 to 256' },
  ],
  [
    'accounts_per_network',
    'Number of accounts of the group, including this one, with the address of the session',
    { range: '1 to 256' },
  ],
];

const VELOCITY_FIELDS: Readonly<Record<string, RuleField>> = Object.fromEntries(
  VELOCITIES.flatMap(([name, counts, details]) =>
    Object.entries(WINDOWS).map(([window, words]) => [
      `velocity.${name}_${window}`,
      account.count(`${counts}, in the last ${words}`, details),
    ]),
  ),
);

const VERIFICATION_FIELDS: Readonly<Record<string, RuleField>> = {
  'verification.kind': verification.text('Type of check', { values: VERIFICATION_KINDS }),
  'verification.decision': verification.text('Decision from the score, before lists and rules', {
    values: ['Real', 'Suspicious', 'Fake'],
  }),
  'verification.risk_score': verification.number('Risk of the verification', SCORE),
  'verification.risk_flags': verification.texts('Risk flags of the verification', { values: RISK_FLAGS }),
  'verification.face_of_another_account': verification.flag(
    'Whether another account of the group has the same face and shares other evidence, such as a device',
  ),
  'verification.document_of_another_account': document.flag(
    'Whether another account of the group used the document, or it was used with the face of another person',
  ),
  'verification.id_age': document.number('Age in whole years, from the date of birth on the document', {
    ...PERSONAL,
    range: '0 or more',
    unit: 'years',
  }),
  'verification.face_age_estimate': document.text('Highest age bracket that the face clearly exceeds', {
    values: FACE_AGE_BRACKETS,
  }),
  'verification.id_face_match_score': document.number(
    'Similarity of the face and the photo on the document',
    SCORE,
  ),
  'verification.template_type': document.text('Type of document', { values: TEMPLATE_TYPES }),
  'verification.id_country': document.text('Country that issued the document', COUNTRY),
  'verification.id_state': document.text('State or province that issued the document'),
  'verification.id_expired': document.flag('Whether the document’s date of expiration has passed'),
  'verification.is_digital_id': document.flag('Whether the document is a digital ID'),
  'verification.name_not_found': document.flag('Whether no name was found on the document'),
  'verification.name_partially_missing': document.flag('Whether only part of the name was found'),
  'verification.id_barcode_status': document.text('Result of reading the document’s barcode', {
    values: BARCODE_STATUSES,
  }),
  'verification.id_face_status': document.text('Whether the photo on the document is the original', {
    values: ID_FACE_STATUSES,
  }),
  'verification.id_text_status': document.text('Whether the text on the document is the original', {
    values: ID_TEXT_STATUSES,
  }),
  'verification.is_id_digital_spoof': document.text('Whether the document is physical or shown on a screen', {
    values: DIGITAL_SPOOF_STATUSES,
  }),
  'verification.is_full_id_captured': document.text('Whether the image shows the whole document', {
    values: FULL_ID_STATUSES,
  }),
  'verification.id_validity': document.text('Whether the document is authentic', {
    values: ID_VALIDITIES,
  }),
};

/** Every field that a rule can use. Names are those of the REST interface. */
export const FIELDS: Readonly<Record<string, RuleField>> = {
  ...SESSION_FIELDS,
  ...ACCOUNT_FIELDS,
  ...VELOCITY_FIELDS,
  ...VERIFICATION_FIELDS,
};

/** Fact that has the whole metadata of an account. */
export const METADATA = 'account.metadata';

/** Every field of the account's metadata. */
export const METADATA_FIELD: RuleField = {
  type: 'metadata',
  description: 'Value of the account’s metadata at a path of keys',
  on: 'any',
  isPersonal: true,
};

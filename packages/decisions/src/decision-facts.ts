import { type EmailFacts, parseEmail } from '@vouchgraph/email';
import { type AccountIdentifier, countRecent, IDENTIFIER_KINDS } from '@vouchgraph/linking';
import type { PersonalFields } from '@vouchgraph/persons';
import type { PhoneFacts } from '@vouchgraph/phone';
import { ageAt } from '@vouchgraph/platform/birth-date';
import { snakeCase } from '@vouchgraph/platform/letter-case';
import { pick } from '@vouchgraph/platform/pick';
import type { Facts, FieldValue, MetadataValue } from '@vouchgraph/rules';
import {
  type ReasonDetails,
  RISK_SCORE_KEYS,
  type RiskScoreKey,
  RULE_DEVICE_FACTS,
  type ShownDevice,
  scoreName,
} from '@vouchgraph/signals';
import type { LinkStrength } from './account-score.ts';
import { METADATA } from './field-catalogue.ts';
import { ruleLanguage } from './rule-language.ts';
import type { Velocity, Within } from './velocity.ts';

/** A session as rules read it. */
export type DecidedSession = {
  readonly row: {
    readonly start_time: Date;
    readonly source: string;
    readonly simulated: boolean;
    /** Null if the session has too few facts of its device. */
    readonly device_hash: Uint8Array | null;
  };
  readonly result: {
    readonly riskSignals: Readonly<Record<RiskScoreKey, boolean>>;
    readonly riskSignalScores: Readonly<Record<RiskScoreKey, number>>;
    readonly riskScore: number;
    readonly botScore: number;
    readonly network: { readonly ipAddress: string; readonly connectionType: string };
    readonly trueCountryCode: string;
    readonly location: {
      readonly countryCode: string;
      readonly timezone: string;
      readonly continent: string;
      readonly state: string;
    };
    readonly browser: { readonly type: string };
    readonly device: ShownDevice & { readonly category: string; readonly type: string; readonly os: string };
    readonly riskSignalDetails: ReasonDetails;
  };
};

/** An account as rules read it. */
export type DecidedAccount = {
  readonly row: {
    readonly account_id: string;
    readonly account_group: string;
    readonly first_seen: Date | null;
    readonly num_sessions: number;
    readonly country: string;
    readonly countries: string[];
    readonly expected_countries: string[];
    readonly unique_devices_1d: number;
    readonly unique_devices_7d: number;
    readonly unique_networks_1d: number;
    readonly unique_networks_7d: number;
    readonly lists: readonly { readonly name: string }[];
  };
  readonly personal: PersonalFields;
  /** Facts about the account's email address. */
  readonly emailFacts: EmailFacts;
  /** Facts about the account's phone number; null without one. */
  readonly phoneFacts: PhoneFacts | null;
  /** Average bot score of the account's sessions, 0 to 1. */
  readonly bot: number;
  /** Average risk score of the account's sessions, 0 to 1. */
  readonly riskSignals: number;
  accountScore(links: LinkStrength): number;
  multipleAccounts(links: LinkStrength): number;
};

/** Inputs of the facts of a session. Without an account, the facts of an account are unknown. */
export type FactSources = {
  readonly session: DecidedSession;
  readonly bound: {
    /** After the session, with the lists that it was on before the rules. */
    readonly account: DecidedAccount;
    readonly links: LinkStrength;
    readonly accountsFromDomain: number;
    readonly isFirstSession: boolean;
    readonly held: readonly AccountIdentifier[];
    readonly velocity: Velocity;
  } | null;
  /** Results of a verification, by the names of its fields; null for a session without one. */
  readonly verification?: Facts | null;
};

type Bound = NonNullable<FactSources['bound']>;
type Read = (sources: FactSources) => FieldValue;

const ofSession =
  (read: (session: DecidedSession) => FieldValue): Read =>
  ({ session }) =>
    read(session);
const ofAccount =
  (read: (bound: Bound, session: DecidedSession) => FieldValue): Read =>
  ({ bound, session }) =>
    bound && read(bound, session);
/** Null for an account without an email. */
const ofEmail = (read: (facts: EmailFacts) => FieldValue): Read =>
  ofAccount(({ account }) => (account.personal.email === '' ? null : read(account.emailFacts)));

/** Null for an account without a phone. */
const ofPhone = (field: string, read: (facts: PhoneFacts) => FieldValue): [string, Read] => [
  `account.phone.${field}`,
  ofAccount(({ account: { phoneFacts } }) => phoneFacts && read(phoneFacts)),
];

const within = (name: string, read: (bound: Bound) => Within | null): [string, Read][] => [
  [`velocity.${name}_1h`, ofAccount((bound) => read(bound)?.hour ?? null)],
  [`velocity.${name}_1d`, ofAccount((bound) => read(bound)?.day ?? null)],
  [`velocity.${name}_7d`, ofAccount((bound) => read(bound)?.week ?? null)],
];

/** Different identifiers of a kind that the account used in the time before the session. */
const recent = (name: string, kind: number): [string, Read][] =>
  [['1h', 1 / 24] as const, ['1d', 1] as const, ['7d', 7] as const].map(([window, days]) => [
    `velocity.${name}_${window}`,
    ofAccount(({ held }, { row }) => countRecent(held, kind, row.start_time, days)),
  ]);

const ofVerification = (field: string): [string, Read] => [
  field,
  ({ verification }) => verification?.[field] ?? null,
];

const DAY_MS = 86_400_000;

function ageInDays({ account }: Bound, session: DecidedSession): number | null {
  const { first_seen: firstSeen } = account.row;
  return (
    firstSeen && Math.max(0, Math.floor((session.row.start_time.getTime() - firstSeen.getTime()) / DAY_MS))
  );
}

/** By the date of birth of the client: that of a document is for linking only. */
function ageInYears({ account }: Bound, { row }: DecidedSession): number | null {
  const { dateOfBirth } = account.personal;
  return dateOfBirth === '' ? null : ageAt(dateOfBirth, row.start_time);
}

/** Whether the account used the session's device in no other session. */
function isNewDevice({ held }: Bound, { row }: DecidedSession): boolean | null {
  const { device_hash: hash } = row;
  if (hash === null) return null;
  // The device of a session that is older than all counted ones is not stored.
  return !held.some((one) => one.kind === IDENTIFIER_KINDS.device && one.hash.equals(hash) && one.uses > 1);
}

function codesOf({ result }: DecidedSession): string[] {
  const { network, device } = result.riskSignalDetails;
  return [...network, ...device].map(({ code }) => code);
}

type Readers = readonly (readonly [field: string, read: Read])[];

const signalReader = (key: RiskScoreKey): [string, Read] => [
  `session.risk_signals.${scoreName(key)}`,
  ofSession(({ result }) => result.riskSignals[key]),
];
const scoreReader = (key: RiskScoreKey): [string, Read] => [
  `session.risk_signal_scores.${scoreName(key)}`,
  ofSession(({ result }) => result.riskSignalScores[key]),
];

/** The scores of the first list of values; later ones have a list of their own. */
const FIRST_SCORES = RISK_SCORE_KEYS.slice(0, 10);

/**
 * How each field is read. Stored decisions identify values by their position in this list and the three after it: names of
 * a hundred fields would triple their size. New fields are appended to their list, and no field is removed or moved.
 */
const READERS: Readers = [
  ...FIRST_SCORES.map(signalReader),
  ...FIRST_SCORES.map(scoreReader),
  ['session.risk_signals_score', ofSession(({ result }) => result.riskScore)],
  ['session.bot', ofSession(({ result }) => result.botScore)],
  ['session.ip_address', ofSession(({ result }) => result.network.ipAddress)],
  ['session.connection_type', ofSession(({ result }) => result.network.connectionType)],
  ['session.true_country_code', ofSession(({ result }) => result.trueCountryCode)],
  ['session.country_code', ofSession(({ result }) => result.location.countryCode)],
  ['session.timezone', ofSession(({ result }) => result.location.timezone)],
  ['session.continent', ofSession(({ result }) => result.location.continent)],
  ['session.state', ofSession(({ result }) => result.location.state)],
  ['session.browser.type', ofSession(({ result }) => result.browser.type)],
  ['session.device.category', ofSession(({ result }) => result.device.category)],
  ['session.device.type', ofSession(({ result }) => result.device.type)],
  ['session.device.os', ofSession(({ result }) => result.device.os)],
  ['session.source', ofSession(({ row }) => row.source)],
  ['session.simulated', ofSession(({ row }) => row.simulated)],
  ['session.codes', ofSession(codesOf)],
  ['session.is_first', ofAccount(({ isFirstSession }) => isFirstSession)],
  ['account.id', ofAccount(({ account }) => account.row.account_id)],
  ['account.group', ofAccount(({ account }) => account.row.account_group)],
  ['account.account_score', ofAccount(({ account, links }) => account.accountScore(links))],
  ['account.bot', ofAccount(({ account }) => account.bot)],
  ['account.risk_signals', ofAccount(({ account }) => account.riskSignals)],
  ['account.multiple_accounts', ofAccount(({ account, links }) => account.multipleAccounts(links))],
  ['account.accounts_linked', ofAccount(({ links }) => links.count)],
  ['account.num_sessions', ofAccount(({ account }) => account.row.num_sessions)],
  ['account.age_days', ofAccount(ageInDays)],
  ['account.country', ofAccount(({ account }) => account.row.country)],
  ['account.countries', ofAccount(({ account }) => account.row.countries)],
  ['account.expected_countries', ofAccount(({ account }) => account.row.expected_countries)],
  ['account.unique_devices.1_day', ofAccount(({ account }) => account.row.unique_devices_1d)],
  ['account.unique_devices.7_day', ofAccount(({ account }) => account.row.unique_devices_7d)],
  ['account.unique_networks.1_day', ofAccount(({ account }) => account.row.unique_networks_1d)],
  ['account.unique_networks.7_day', ofAccount(({ account }) => account.row.unique_networks_7d)],
  ['account.has_phone', ofAccount(({ account }) => account.personal.phone !== '')],
  ['account.holder_age', ofAccount(ageInYears)],
  ['account.email.email', ofEmail(({ email }) => parseEmail(email).address)],
  ['account.email.domain', ofEmail(({ email }) => parseEmail(email).domain)],
  ['account.email.registrable_domain', ofEmail(({ email }) => parseEmail(email).registrableDomain)],
  ['account.email.domain_type', ofEmail(({ domainType }) => domainType)],
  ['account.email.disposable', ofEmail(({ disposable }) => disposable)],
  ['account.email.personal', ofEmail(({ personal }) => personal)],
  ['account.email.valid', ofEmail(({ valid }) => valid)],
  ['account.email.email_score', ofEmail(({ emailScore }) => emailScore)],
  ['account.email.trust_signals', ofEmail(({ trustSignals }) => trustSignals)],
  ['account.email.risk_signals', ofEmail(({ riskSignals }) => riskSignals)],
  [
    'account.email.num_account_from_domain',
    ofAccount(({ account, accountsFromDomain }) =>
      account.personal.email === '' ? null : accountsFromDomain,
    ),
  ],
  ['lists', ofAccount(({ account }) => account.row.lists.map(({ name }) => name))],
  ...within('sessions', ({ velocity }) => velocity.sessions),
  ...recent('devices', IDENTIFIER_KINDS.device),
  ...recent('networks', IDENTIFIER_KINDS.network),
  ...within('accounts_per_device', ({ velocity }) => velocity.accountsPerDevice),
  ...within('accounts_per_network', ({ velocity }) => velocity.accountsPerNetwork),
  ['session.is_new_device', ofAccount(isNewDevice)],
];

const LATER_SCORE_READERS: Readers = RISK_SCORE_KEYS.slice(FIRST_SCORES.length).flatMap((key) => [
  signalReader(key),
  scoreReader(key),
]);

/** Facts of the device, which are stored by name: their list may grow in any place. */
const DEVICE_READERS: Readers = RULE_DEVICE_FACTS.map(({ name }) => [
  `session.device.${snakeCase(name)}`,
  ofSession(({ result }) => result.device[name]),
]);

/** The same of the account's phone: most accounts have none, and store no gaps. */
const PHONE_READERS: Readers = [
  // A national number of an unknown country was not parsed, which does not make it invalid.
  ofPhone('valid', ({ possible, valid }) => (possible === null ? null : valid)),
  ofPhone('country', ({ country }) => country),
  ofPhone('region', ({ region }) => region),
  ofPhone('line_type', ({ valid, lineType }) => (valid ? lineType : null)),
  ofPhone('carrier', ({ carrier }) => carrier?.name ?? null),
  ofPhone('voip', ({ valid, lineType }) => (valid ? lineType === 'voip' : null)),
  ofPhone('risk_score', ({ riskScore }) => riskScore),
  ofPhone('risk_signals', ({ signals }) => signals.map(({ code }) => code)),
];

/** The same of a verification, which few sessions have. */
const VERIFICATION_READERS: Readers = [
  ofVerification('verification.kind'),
  ofVerification('verification.decision'),
  ofVerification('verification.risk_score'),
  ofVerification('verification.risk_flags'),
  ofVerification('verification.id_age'),
  ofVerification('verification.face_age_estimate'),
  ofVerification('verification.id_face_match_score'),
  ofVerification('verification.template_type'),
  ofVerification('verification.id_country'),
  ofVerification('verification.id_state'),
  ofVerification('verification.id_expired'),
  ofVerification('verification.is_digital_id'),
  ofVerification('verification.name_not_found'),
  ofVerification('verification.name_partially_missing'),
  ofVerification('verification.id_barcode_status'),
  ofVerification('verification.id_face_status'),
  ofVerification('verification.id_text_status'),
  ofVerification('verification.is_id_digital_spoof'),
  ofVerification('verification.is_full_id_captured'),
  ofVerification('verification.id_validity'),
  ofVerification('verification.face_of_another_account'),
  ofVerification('verification.document_of_another_account'),
];

const FACTS = READERS.map(([field]) => field);
const LATER_SCORE_FACTS = LATER_SCORE_READERS.map(([field]) => field);
const DEVICE_FACTS = DEVICE_READERS.map(([field]) => field);
const PHONE_FACTS = PHONE_READERS.map(([field]) => field);
const VERIFICATION_FACTS = VERIFICATION_READERS.map(([field]) => field);
const ALL_READERS = [
  ...READERS,
  ...LATER_SCORE_READERS,
  ...DEVICE_READERS,
  ...PHONE_READERS,
  ...VERIFICATION_READERS,
];

/**
 * Values of all fields at the time of a session. `metadataFields`: metadata fields that are stored when the metadata is too
 * large to be stored whole.
 */
export function factsOf(sources: FactSources, metadataFields: readonly string[] = []): Facts {
  const { bound } = sources;
  return {
    ...Object.fromEntries(ALL_READERS.map(([field, read]) => [field, read(sources)])),
    ...(bound
      ? ruleLanguage.metadataFacts(bound.account.personal.metadata, metadataFields)
      : { [METADATA]: null }),
  };
}

/** Facts of a session alone, before it is bound to an account. */
export function sessionFacts(session: DecidedSession): Facts {
  return factsOf({ session, bound: null });
}

/** Values by position. */
export type PackedFacts = {
  readonly facts: readonly unknown[];
  /** Absent without scores that are later than the first ones. */
  readonly scores?: readonly unknown[];
  /** Known facts of the device, by field; absent without any. */
  readonly device?: Facts;
  /** Absent without a phone. */
  readonly phone?: readonly unknown[];
  /** Absent without a verification. */
  readonly verification?: readonly unknown[];
  /** All metadata of the account, if it is small; absent if it is empty. */
  readonly metadata?: MetadataValue;
  /** Values of some fields of large metadata. */
  readonly metadataFields?: Facts;
};

/** Values by position, for storage; missing values at the end of a list are omitted. */
export function packFacts(facts: Facts): PackedFacts {
  const scores = valuesOf(facts, LATER_SCORE_FACTS);
  const device = DEVICE_FACTS.filter((field) => (facts[field] ?? null) !== null);
  const phone = valuesOf(facts, PHONE_FACTS);
  const verification = valuesOf(facts, VERIFICATION_FACTS);
  const metadata = facts[METADATA] as MetadataValue | undefined;
  return {
    facts: valuesOf(facts, FACTS),
    ...(scores.length === 0 ? {} : { scores }),
    ...(device.length === 0 ? {} : { device: pick(facts, device) }),
    ...(phone.length === 0 ? {} : { phone }),
    ...(verification.length === 0 ? {} : { verification }),
    ...(metadata ? (Object.keys(metadata).length === 0 ? {} : { metadata }) : packMetadataFields(facts)),
  };
}

function packMetadataFields(facts: Facts): Pick<PackedFacts, 'metadataFields'> {
  const fields = Object.entries(facts).filter(([field]) => ruleLanguage.isMetadataField(field));
  return { metadataFields: Object.fromEntries(fields) };
}

function valuesOf(facts: Facts, fields: readonly string[]): (FieldValue | null)[] {
  const values = fields.map((field) => facts[field] ?? null);
  return values.slice(0, values.findLastIndex((value) => value !== null) + 1);
}

/** Facts of a stored decision. */
export function unpackFacts(packed: PackedFacts): Facts {
  const { scores = [], device = {}, phone = [], verification = [], metadata = {} } = packed;
  const facts: Record<string, FieldValue> = {};
  addFacts(facts, FACTS, packed.facts);
  addFacts(facts, LATER_SCORE_FACTS, scores);
  for (const field of DEVICE_FACTS) facts[field] = device[field] ?? null;
  addFacts(facts, PHONE_FACTS, phone);
  addFacts(facts, VERIFICATION_FACTS, verification);
  if (packed.metadataFields) Object.assign(facts, packed.metadataFields);
  else facts[METADATA] = metadata;
  return facts;
}

function addFacts(
  facts: Record<string, FieldValue>,
  fields: readonly string[],
  values: readonly unknown[],
): void {
  for (const [index, field] of fields.entries()) facts[field] = (values[index] ?? null) as FieldValue;
}

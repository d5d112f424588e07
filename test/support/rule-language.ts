import { type Catalogue, createRuleLanguage, type Field } from '@vouchgraph/rules';

type Trigger = 'ID_CHECK_COMPLETED' | 'FACE_CHECK_COMPLETED' | 'FIRST_SESSION' | 'ANY_SESSION';

const make =
  (type: Field['type']) =>
  (details: Partial<Field> = {}): Field => ({ type, description: 'Field of a test', ...details });
const number = make('number');
const string = make('string');
const boolean = make('boolean');
const strings = make('strings');

const NONE: ReadonlySet<string> = new Set();

/** A few fields of every type, to test the rule language without the fields of the gateway. */
export const CATALOGUE: Catalogue<Trigger> = {
  fields: {
    'session.bot': number({ range: '0 to 1' }),
    'session.risk_signals.vpn': boolean(),
    'session.ip_address': make('address')(),
    'session.connection_type': string({ values: ['hosting', 'mobile', 'isp'] }),
    'session.source': string({ values: ['web', 'ios', 'android'] }),
    'session.simulated': boolean(),
    'session.is_first': boolean(),
    'account.id': string(),
    'account.group': string(),
    'account.account_score': number({ range: '0 to 1' }),
    'account.bot': number({ range: '0 to 1' }),
    'account.accounts_linked': number({ range: '0 to 1,500', unit: 'count' }),
    'account.num_sessions': number({ range: '0 or more', unit: 'count' }),
    'account.age_days': number({ range: '0 or more', unit: 'days' }),
    'account.country': string({ country: true }),
    'account.countries': strings({ country: true }),
    'account.expected_countries': strings({ country: true }),
    'account.unique_devices.1_day': number({ range: '0 to 32', unit: 'count' }),
    'account.unique_devices.7_day': number({ range: '0 to 32', unit: 'count' }),
    'account.has_phone': boolean(),
    'account.email.domain': string(),
    'account.email.email_score': number({ range: '-1 to 1' }),
    lists: strings({ listNames: true }),
    'velocity.sessions_1h': number({ range: '1 to 256', unit: 'count' }),
    'verification.kind': string({ values: ['id', 'face'] }),
    'verification.risk_flags': strings({ values: ['repeat_face', 'repeat_document'] }),
    'verification.id_age': number({ range: '0 or more', unit: 'years' }),
    'verification.id_expired': boolean(),
  },
  metadata: { root: 'account.metadata', field: make('metadata')() },
  synonyms: {
    groups: { user: 'account', request: 'session' },
    metadata: ['metadata', 'custom'],
    fields: {
      ip: ['session.ip_address'],
      country: ['account.country', 'account.countries'],
      age: ['verification.id_age', 'account.age_days'],
    },
  },
  readListName: (text) => (text.includes('/') ? null : text.normalize('NFC')),
  listNameProblem: (text) => (text.includes('/') ? 'must not contain /' : null),
  triggers: {
    ID_CHECK_COMPLETED: { fixed: { 'verification.kind': 'id' }, absent: NONE },
    FACE_CHECK_COMPLETED: {
      fixed: { 'verification.kind': 'face' },
      absent: new Set(['verification.id_age', 'verification.id_expired']),
    },
    FIRST_SESSION: { fixed: { 'session.is_first': true, 'account.num_sessions': 1 }, absent: NONE },
    ANY_SESSION: { fixed: {}, absent: NONE },
  },
};

/** The rule language over these fields. */
export const testLanguage = createRuleLanguage(CATALOGUE);

import { SESSION_SOURCES } from '../../domain/sessions/session-input.ts';
import { RISK_SCORE_KEYS, scoreName } from '../../domain/signals/evidence/risk-scores.ts';
import { CONNECTION_TYPES } from '../../domain/signals/network/connection-type.ts';
import { builder } from '../builder.ts';
import { REASON_CODES, ReasonCodeName } from '../risk.ts';
import {
  CONTINENTS,
  ConnectionTypeEnum,
  ContinentEnum,
  DEVICE_CATEGORIES,
  DeviceCategoryEnum,
  SessionSourceEnum,
} from '../session-enums.ts';
import {
  readBoolean,
  readEach,
  readFacts,
  readInt,
  readNumber,
  readText,
  readTime,
  readWord,
  type StoredFacts,
} from './stored-facts.ts';

const UNKNOWN = 'Null if unknown.';

const NetworkSnapshot = builder.objectRef<StoredFacts>('NetworkSnapshot').implement({
  description: 'Network of a session at the time of an event.',
  fields: (t) => ({
    ipAddress: t.string({
      nullable: true,
      description: `IPv4 or IPv6 address. ${UNKNOWN}`,
      resolve: readText('ipAddress'),
    }),
    serviceProvider: t.string({
      nullable: true,
      description: `Name of the internet service provider. ${UNKNOWN}`,
      resolve: readText('serviceProvider'),
    }),
    connectionType: t.field({
      type: ConnectionTypeEnum,
      nullable: true,
      description: `Kind of network. ${UNKNOWN}`,
      resolve: readWord('connectionType', CONNECTION_TYPES),
    }),
  }),
});

const LocationSnapshot = builder.objectRef<StoredFacts>('LocationSnapshot').implement({
  description: 'Location of the IP address of a session at the time of an event.',
  fields: (t) => ({
    continent: t.field({
      type: ContinentEnum,
      nullable: true,
      description: `Continent. ${UNKNOWN}`,
      resolve: readWord('continent', CONTINENTS),
    }),
    countryCode: t.field({
      type: 'CountryCode',
      nullable: true,
      description: `Country. ${UNKNOWN}`,
      resolve: readText('countryCode'),
    }),
    state: t.string({
      nullable: true,
      description: `State or region. ${UNKNOWN}`,
      resolve: readText('state'),
    }),
    city: t.string({ nullable: true, description: `City. ${UNKNOWN}`, resolve: readText('city') }),
    zipCode: t.string({
      nullable: true,
      description: `Postal code. ${UNKNOWN}`,
      resolve: readText('zipCode'),
    }),
    timezone: t.string({
      nullable: true,
      description: `IANA time zone of the location. ${UNKNOWN}`,
      resolve: readText('timezone'),
    }),
    latitude: t.float({
      nullable: true,
      description: `Latitude in degrees. ${UNKNOWN}`,
      resolve: readNumber('latitude'),
    }),
    longitude: t.float({
      nullable: true,
      description: `Longitude in degrees. ${UNKNOWN}`,
      resolve: readNumber('longitude'),
    }),
  }),
});

const BrowserSnapshot = builder.objectRef<StoredFacts>('BrowserSnapshot').implement({
  description: 'Browser of a session at the time of an event.',
  fields: (t) => ({
    type: t.string({ nullable: true, description: `Name. ${UNKNOWN}`, resolve: readText('type') }),
    version: t.string({ nullable: true, description: `Version. ${UNKNOWN}`, resolve: readText('version') }),
    language: t.string({
      nullable: true,
      description: `Preferred language. ${UNKNOWN}`,
      resolve: readText('language'),
    }),
    userAgent: t.string({
      nullable: true,
      description: `User agent header. ${UNKNOWN}`,
      resolve: readText('userAgent'),
    }),
    timezone: t.string({
      nullable: true,
      description: `IANA time zone of the browser. ${UNKNOWN}`,
      resolve: readText('timezone'),
    }),
  }),
});

const DeviceSnapshot = builder.objectRef<StoredFacts>('DeviceSnapshot').implement({
  description: 'Device of a session at the time of an event.',
  fields: (t) => ({
    category: t.field({
      type: DeviceCategoryEnum,
      nullable: true,
      description: `Category. ${UNKNOWN}`,
      resolve: readWord('category', DEVICE_CATEGORIES),
    }),
    type: t.string({
      nullable: true,
      description: `Model or kind of device. ${UNKNOWN}`,
      resolve: readText('type'),
    }),
    os: t.string({
      nullable: true,
      description: `Operating system with version. ${UNKNOWN}`,
      resolve: readText('os'),
    }),
    gpu: t.string({
      nullable: true,
      description: `Graphics processor. ${UNKNOWN}`,
      resolve: readText('gpu'),
    }),
    cpuCores: t.int({
      nullable: true,
      description: `Number of processor cores. ${UNKNOWN}`,
      resolve: readInt('cpuCores'),
    }),
    memory: t.float({
      nullable: true,
      description: `Memory in GB. ${UNKNOWN}`,
      resolve: readNumber('memory'),
    }),
    screenWidth: t.int({
      nullable: true,
      description: `Screen width in pixels. ${UNKNOWN}`,
      resolve: readInt('screenWidth'),
    }),
    screenHeight: t.int({
      nullable: true,
      description: `Screen height in pixels. ${UNKNOWN}`,
      resolve: readInt('screenHeight'),
    }),
  }),
});

const InteractionSnapshot = builder.objectRef<StoredFacts>('InteractionSnapshot').implement({
  description: 'Counts of interactions in a session at the time of an event.',
  fields: (t) => ({
    mouseNumEvents: t.int({
      nullable: true,
      description: `Number of mouse movements. ${UNKNOWN}`,
      resolve: readInt('mouseNumEvents'),
    }),
    clickNumEvents: t.int({
      nullable: true,
      description: `Number of clicks. ${UNKNOWN}`,
      resolve: readInt('clickNumEvents'),
    }),
    keyboardNumEvents: t.int({
      nullable: true,
      description: `Number of key presses. ${UNKNOWN}`,
      resolve: readInt('keyboardNumEvents'),
    }),
    touchNumEvents: t.int({
      nullable: true,
      description: `Number of touches. ${UNKNOWN}`,
      resolve: readInt('touchNumEvents'),
    }),
    clipboardNumEvents: t.int({
      nullable: true,
      description: `Number of copies and pastes. ${UNKNOWN}`,
      resolve: readInt('clipboardNumEvents'),
    }),
  }),
});

export const RiskScoresSnapshot = builder.objectRef<StoredFacts>('RiskScoresSnapshot').implement({
  description: 'Scores of risk signals at the time of an event, 0 (no evidence) to 1 each.',
  fields: (t) =>
    Object.fromEntries(
      RISK_SCORE_KEYS.map((key) => [
        key,
        t.float({
          nullable: true,
          description: `Score of ${scoreName(key)}, 0 to 1. ${UNKNOWN}`,
          resolve: readNumber(key),
        }),
      ]),
    ),
});

const RaisedSignalsSnapshot = builder.objectRef<StoredFacts>('RaisedSignalsSnapshot').implement({
  description: 'Raised risk signals at the time of an event. A signal is raised by a score of at least 0.5.',
  fields: (t) =>
    Object.fromEntries(
      RISK_SCORE_KEYS.map((key) => [
        key,
        t.boolean({
          nullable: true,
          description: `Whether ${scoreName(key)} was raised. ${UNKNOWN}`,
          resolve: readBoolean(key),
        }),
      ]),
    ),
});

const ReasonSnapshot = builder.objectRef<StoredFacts>('ReasonSnapshot').implement({
  description: 'Reason for the score of a risk signal at the time of an event.',
  fields: (t) => ({
    code: t.field({
      type: ReasonCodeName,
      nullable: true,
      description: `Name of the code. ${UNKNOWN}`,
      resolve: readWord('code', REASON_CODES),
    }),
    contributions: t.field({
      type: 'JSONObject',
      nullable: true,
      description: `Contributions to scores, 0 to 1 each, by the name of the score. ${UNKNOWN}`,
      resolve: (facts) => readFacts('contributions')(facts) as Record<string, unknown> | null,
    }),
    confidence: t.float({
      nullable: true,
      description: `Confidence, 0 to 1. ${UNKNOWN}`,
      resolve: readNumber('confidence'),
    }),
    source: t.string({
      nullable: true,
      description: `Sources of the reason, separated by commas. ${UNKNOWN}`,
      resolve: readText('source'),
    }),
    observed: t.string({
      nullable: true,
      description: `Observation, without personal data. ${UNKNOWN}`,
      resolve: readText('observed'),
    }),
  }),
});

export const SessionSnapshot = builder.objectRef<StoredFacts>('SessionSnapshot').implement({
  description: 'Session at the time of an event. It has no id and does not replace the Session in a cache.',
  fields: (t) => ({
    startTime: t.field({
      type: 'DateTime',
      nullable: true,
      description: `Start of the session. ${UNKNOWN}`,
      resolve: readTime('startTime'),
    }),
    trueCountryCode: t.field({
      type: 'CountryCode',
      nullable: true,
      description: `Country of the person, according to the evidence. ${UNKNOWN}`,
      resolve: readText('trueCountryCode'),
    }),
    deviceId: t.string({
      nullable: true,
      description: `Id of the device, 22 characters. ${UNKNOWN}`,
      resolve: readText('deviceId'),
    }),
    source: t.field({
      type: SessionSourceEnum,
      nullable: true,
      description: `Kind of client. ${UNKNOWN}`,
      resolve: readWord('source', SESSION_SOURCES),
    }),
    sourceVersion: t.string({
      nullable: true,
      description: `Version of the integration. ${UNKNOWN}`,
      resolve: readText('sourceVersion'),
    }),
    network: t.field({
      type: NetworkSnapshot,
      nullable: true,
      description: `Network. ${UNKNOWN}`,
      resolve: readFacts('network'),
    }),
    location: t.field({
      type: LocationSnapshot,
      nullable: true,
      description: `Location of the IP address. ${UNKNOWN}`,
      resolve: readFacts('location'),
    }),
    browser: t.field({
      type: BrowserSnapshot,
      nullable: true,
      description: `Browser. ${UNKNOWN}`,
      resolve: readFacts('browser'),
    }),
    device: t.field({
      type: DeviceSnapshot,
      nullable: true,
      description: `Device. ${UNKNOWN}`,
      resolve: readFacts('device'),
    }),
  }),
});

/** Interaction, risk signals and their reasons. */
builder.objectFields(SessionSnapshot, (t) => ({
  bot: t.field({
    type: InteractionSnapshot,
    nullable: true,
    description: `Counts of interactions. ${UNKNOWN}`,
    resolve: readFacts('bot'),
  }),
  riskSignals: t.field({
    type: RaisedSignalsSnapshot,
    nullable: true,
    description: `Raised risk signals. ${UNKNOWN}`,
    resolve: readFacts('riskSignals'),
  }),
  riskSignalScores: t.field({
    type: RiskScoresSnapshot,
    nullable: true,
    description: `Scores of the risk signals. ${UNKNOWN}`,
    resolve: readFacts('riskSignalScores'),
  }),
  networkReasons: t.field({
    type: [ReasonSnapshot],
    nullable: true,
    description: `Reasons from the network. ${UNKNOWN}`,
    resolve: (facts) => reasonsOf(facts, 'network'),
  }),
  deviceReasons: t.field({
    type: [ReasonSnapshot],
    nullable: true,
    description: `Reasons from device and browser. ${UNKNOWN}`,
    resolve: (facts) => reasonsOf(facts, 'device'),
  }),
}));

function reasonsOf(facts: StoredFacts, side: 'network' | 'device'): StoredFacts[] | null {
  const details = readFacts('riskSignalDetails')(facts);
  return details && readEach(side)(details);
}

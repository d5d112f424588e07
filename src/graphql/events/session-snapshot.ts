import { RISK_SCORE_KEYS, scoreName } from '@vouchgraph/signals';
import {
  boolean,
  country,
  each,
  facts,
  factType,
  int,
  number,
  text,
  time,
  word,
} from '../kernel/fact-fields.ts';
import { ReasonCodeName } from '../kernel/risk.ts';
import {
  ConnectionTypeEnum,
  ContinentEnum,
  DeviceCategoryEnum,
  SessionSourceEnum,
} from '../sessions/session-enums.ts';

const NetworkSnapshot = factType(
  'NetworkSnapshot',
  'Network of a session at the time of an event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    ipAddress: text('IPv4 or IPv6 address.'),
    serviceProvider: text('Name of the internet service provider.'),
    connectionType: word(ConnectionTypeEnum, 'Kind of network.'),
  },
);

const LocationSnapshot = factType(
  'LocationSnapshot',
  'Location of the IP address of a session at the time of an event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    continent: word(ContinentEnum, 'Continent.'),
    countryCode: country('Country.'),
    state: text('State or region.'),
    city: text('City.'),
    zipCode: text('Postal code.'),
    timezone: text('IANA time zone of the location.'),
    latitude: number('Latitude in degrees.'),
    longitude: number('Longitude in degrees.'),
  },
);

const BrowserSnapshot = factType(
  'BrowserSnapshot',
  'Browser of a session at the time of an event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    type: text('Name.'),
    version: text('Version.'),
    language: text('Preferred language.'),
    userAgent: text('User agent header.'),
    timezone: text('IANA time zone of the browser.'),
  },
);

const DeviceSnapshot = factType(
  'DeviceSnapshot',
  'Device of a session at the time of an event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    category: word(DeviceCategoryEnum, 'Category.'),
    type: text('Model or kind of device.'),
    os: text('Operating system with version.'),
    gpu: text('Graphics processor.'),
    cpuCores: int('Number of processor cores.'),
    memory: number('Memory in GB.'),
    screenWidth: int('Screen width in pixels.'),
    screenHeight: int('Screen height in pixels.'),
  },
);

const InteractionSnapshot = factType(
  'InteractionSnapshot',
  'Counts of interactions in a session at the time of an event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    mouseNumEvents: int('Number of mouse movements.'),
    clickNumEvents: int('Number of clicks.'),
    keyboardNumEvents: int('Number of key presses.'),
    touchNumEvents: int('Number of touches.'),
    clipboardNumEvents: int('Number of copies and pastes.'),
  },
);

export const RiskScoresSnapshot = factType(
  'RiskScoresSnapshot',
  'Scores of risk signals at the time of an event, 0 (no evidence) to 1 each.',
  { tokenScopes: 'any', subjects: 'wide' },
  Object.fromEntries(RISK_SCORE_KEYS.map((key) => [key, number(`Score of ${scoreName(key)}, 0 to 1.`)])),
);

const RaisedSignalsSnapshot = factType(
  'RaisedSignalsSnapshot',
  'Raised risk signals at the time of an event. A signal is raised by a score of at least 0.5.',
  { tokenScopes: 'any', subjects: 'wide' },
  Object.fromEntries(RISK_SCORE_KEYS.map((key) => [key, boolean(`Whether ${scoreName(key)} was raised.`)])),
);

const ReasonSnapshot = factType(
  'ReasonSnapshot',
  'Reason for the score of a risk signal at the time of an event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    code: word(ReasonCodeName, 'Name of the code.'),
    contributions: facts('JSONObject', 'Contributions to scores, 0 to 1 each, by the name of the score.'),
    confidence: number('Confidence, 0 to 1.'),
    source: text('Sources of the reason, separated by commas.'),
    observed: text('Observation, without personal data.'),
  },
);

export const SessionSnapshot = factType(
  'SessionSnapshot',
  'Session at the time of an event. It has no id and does not replace the Session in a cache.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    startTime: time('Start of the session.'),
    trueCountryCode: country('Country of the person, according to the evidence.'),
    deviceId: text('Id of the device, 22 characters.'),
    source: word(SessionSourceEnum, 'Kind of client.'),
    sourceVersion: text('Version of the integration.'),
    network: facts(NetworkSnapshot, 'Network.'),
    location: facts(LocationSnapshot, 'Location of the IP address.'),
    browser: facts(BrowserSnapshot, 'Browser.'),
    device: facts(DeviceSnapshot, 'Device.'),
    bot: facts(InteractionSnapshot, 'Counts of interactions.'),
    riskSignals: facts(RaisedSignalsSnapshot, 'Raised risk signals.'),
    riskSignalScores: facts(RiskScoresSnapshot, 'Scores of the risk signals.'),
    networkReasons: each(ReasonSnapshot, 'Reasons from the network.', { from: 'riskSignalDetails.network' }),
    deviceReasons: each(ReasonSnapshot, 'Reasons from device and browser.', {
      from: 'riskSignalDetails.device',
    }),
  },
);

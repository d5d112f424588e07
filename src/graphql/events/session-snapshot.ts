import { privateRelayOf } from '@vouchgraph/signals';
import { country, each, facts, factType, text, time, word } from '../kernel/fact-fields.ts';
import { ReasonCodeType, RiskSignalScores, RiskSignals } from '../kernel/risk.ts';
import { asFacts } from '../kernel/stored-facts.ts';
import { SessionSourceEnum } from '../sessions/session-enums.ts';
import { BotType, BrowserType, DeviceType, LocationType, NetworkType } from '../sessions/session-parts.ts';

/** A network of an event. Events do not contain the sources that were examined for it. */
function networkOf(value: unknown): object | null {
  const network = asFacts(value);
  return network && { ...network, privateRelay: privateRelayOf(network.connectionType as string, []) };
}

export const SessionSnapshot = factType(
  'SessionSnapshot',
  'Session at the time of an event. It has no id and does not replace the Session in a cache.',
  { tokenScopes: 'any', revealedBy: 'parent', subjects: 'wide' },
  {
    startTime: time('Start of the session.'),
    trueCountryCode: country('Country of the person, according to the evidence.'),
    deviceId: text('Id of the device, 22 characters.', { mask: 'none' }),
    source: word(SessionSourceEnum, 'Kind of client.'),
    sourceVersion: text('Version of the integration.', { mask: 'none' }),
    network: {
      ...facts(NetworkType, 'Network. Its privateRelay is true or null.'),
      read: networkOf,
    },
    location: facts(LocationType, 'Location of the IP address.'),
    browser: facts(BrowserType, 'Browser.'),
    device: facts(DeviceType, 'Device.'),
    bot: facts(BotType, 'Counts of interactions.'),
    riskSignals: facts(RiskSignals, 'Raised risk signals.'),
    riskSignalScores: facts(RiskSignalScores, 'Scores of the risk signals.'),
    networkReasons: each(ReasonCodeType, 'Reasons from the network.', { from: 'riskSignalDetails.network' }),
    deviceReasons: each(ReasonCodeType, 'Reasons from device and browser.', {
      from: 'riskSignalDetails.device',
    }),
  },
);

import { networkPrefixes, normalizeIp } from '@vouchgraph/platform/ip/ip-address';
import { roundScore } from '@vouchgraph/platform/noisy-or';
import {
  impossibleTravelSpeed,
  type SessionResult,
  type SessionTrace,
  timezoneOffsetMinutes,
} from '@vouchgraph/signals';
/** Differences between a verification's session and its referring session; each 0 to 1. */
export type ReferringSignals = {
  readonly impossibleTravel: number;
  readonly ipMismatch: number;
  readonly userAgentMismatch: number;
  readonly deviceTimezoneMismatch: number;
  readonly ipTimezoneMismatch: number;
};

/** Facts of a session for the comparison. */
export type ComparedSession = {
  readonly startTime: Date;
  readonly result: Pick<SessionResult, 'network' | 'location' | 'browser' | 'device'>;
  /** Known place and time. */
  readonly trace: SessionTrace;
};

/** Compares a verification's session with its referring session. A missing fact differs by 0. */
export function compareWithReferring(session: ComparedSession, referring: ComparedSession): ReferringSignals {
  return {
    impossibleTravel: travelOf(session, referring),
    ipMismatch: networkDifference(session.result, referring.result),
    userAgentMismatch: userAgentDifference(session.result, referring.result),
    deviceTimezoneMismatch: zoneDifference(
      [session.result.browser.timezone, session.startTime],
      [referring.result.browser.timezone, referring.startTime],
    ),
    ipTimezoneMismatch: zoneDifference(
      [session.result.location.timezone, session.startTime],
      [referring.result.location.timezone, referring.startTime],
    ),
  };
}

function travelOf(session: ComparedSession, referring: ComparedSession): number {
  const isLater = session.startTime >= referring.startTime;
  const evidence = impossibleTravelSpeed.evaluate({
    session: session.trace,
    previous: isLater ? referring.trace : null,
    following: isLater ? null : referring.trace,
    expectedCountries: [],
    fraud: [],
    accountsOnDevice: null,
  });
  return roundScore(
    Math.max(0, ...(evidence ?? []).map(({ contributions }) => contributions.impossibleTravel ?? 0)),
  );
}

/** Same address 0, same subnet .2, same operator .3, same country .5, another country 1. */
function networkDifference(a: ComparedSession['result'], b: ComparedSession['result']): number {
  const [one, other] = [normalizeIp(a.network.ipAddress), normalizeIp(b.network.ipAddress)];
  if (one === null || other === null) return 0;
  const [prefixes, others] = [networkPrefixes(one), networkPrefixes(other)];
  if (prefixes.address === others.address) return 0;
  if (prefixes.subnet === others.subnet) return 0.2;
  const { serviceProvider } = a.network;
  if (serviceProvider !== '' && serviceProvider === b.network.serviceProvider) return 0.3;
  const countries = [a.location.countryCode, b.location.countryCode];
  return countries.includes('') || countries[0] === countries[1] ? 0.5 : 1;
}

/** Same user agent 0, same browser and device .2, same device .4, same device class .7, another class 1. */
function userAgentDifference(a: ComparedSession['result'], b: ComparedSession['result']): number {
  if (a.browser.userAgent === '' || b.browser.userAgent === '') return 0;
  if (a.browser.userAgent === b.browser.userAgent) return 0;
  const isSameDevice = a.device.type === b.device.type;
  if (isSameDevice && a.browser.type === b.browser.type) return 0.2;
  if (isSameDevice) return 0.4;
  return a.device.category === b.device.category ? 0.7 : 1;
}

/** Difference of the clocks: 1 from three hours on. Time zones with the same offset do not differ. */
function zoneDifference([zone, at]: [string, Date], [other, otherAt]: [string, Date]): number {
  const minutes = zone === '' ? null : timezoneOffsetMinutes(zone, at);
  const others = other === '' ? null : timezoneOffsetMinutes(other, otherAt);
  if (minutes === null || others === null) return 0;
  return roundScore(Math.min(1, Math.abs(minutes - others) / 180));
}

/** A difference from this value on raises a flag. */
const DIFFERS_FROM = 0.5;
export const differs = (value: number) => value >= DIFFERS_FROM;

/** Indications from the two devices that the link was forwarded. */
export type DeviceComparison = {
  /** Two phones of different makes, for example: one person rarely carries both. */
  readonly isOtherTypeOfCategory: boolean;
  /** The same kind of device in another network. */
  readonly isSameTypeElsewhere: boolean;
  /** Another device of the category, in another network and another place: the link was sent to another person. */
  readonly isSharedLink: boolean;
};

/** Compares the devices of a session and of the session that its person came from. */
export function compareDevices(
  session: ComparedSession,
  referring: ComparedSession,
  signals: ReferringSignals,
): DeviceComparison {
  const [device, other] = [session.result.device, referring.result.device];
  const isKnown = device.type !== '' && other.type !== '';
  const isOtherTypeOfCategory = isKnown && device.category === other.category && device.type !== other.type;
  const isElsewhere = differs(signals.ipMismatch);
  const isFar =
    signals.ipMismatch === 1 ||
    differs(signals.impossibleTravel) ||
    differs(signals.deviceTimezoneMismatch) ||
    differs(signals.ipTimezoneMismatch);
  return {
    isOtherTypeOfCategory,
    isSameTypeElsewhere: isKnown && device.type === other.type && isElsewhere,
    isSharedLink: isElsewhere && isFar && (isOtherTypeOfCategory || (isKnown && device.type !== other.type)),
  };
}

import type { HistoryCode, SignalCode } from '../evidence/evidence.ts';
import { androidEmulatorOrRooted } from './android-emulator-or-rooted.ts';
import { appIntegrityFailed } from './app-integrity-failed.ts';
import { automationFrameworkDetected } from './automation-framework-detected.ts';
import { browserTamperingDetected } from './browser-tampering-detected.ts';
import { browserVersionMismatch } from './browser-version-mismatch.ts';
import { canvasOrAudioNoise } from './canvas-or-audio-noise.ts';
import { clientAddressMismatch } from './client-address-mismatch.ts';
import { declaredBotUserAgent } from './declared-bot-user-agent.ts';
import { deviceClassMismatch } from './device-class-mismatch.ts';
import { deviceSharedOrReset } from './device-shared-or-reset.ts';
import { executionContextMismatch } from './execution-context-mismatch.ts';
import { gpsIpDistance } from './gps-ip-distance.ts';
import { gpuOsMismatch } from './gpu-os-mismatch.ts';
import { headlessBrowserDetected } from './headless-browser-detected.ts';
import { impossibleHardwareValues } from './impossible-hardware-values.ts';
import { impossibleTravelSpeed } from './impossible-travel-speed.ts';
import { iosSimulatorOrJailbroken } from './ios-simulator-or-jailbroken.ts';
import { ipInDatacenterRange } from './ip-in-datacenter-range.ts';
import { ipOnPrivacyRelayList } from './ip-on-privacy-relay-list.ts';
import { ipOnProxyList } from './ip-on-proxy-list.ts';
import { ipOnTorExitList } from './ip-on-tor-exit-list.ts';
import { ipOnVpnList } from './ip-on-vpn-list.ts';
import { ipOnFraudFeed, ipRecentFraudActivity } from './ip-recent-fraud-activity.ts';
import { ipTimezoneMismatch } from './ip-timezone-mismatch.ts';
import { languageMismatch } from './language-mismatch.ts';
import { mockLocationEnabled } from './mock-location-enabled.ts';
import { noHumanInteraction } from './no-human-interaction.ts';
import { outsideExpectedCountries } from './outside-expected-countries.ts';
import { privateBrowsingOrStorageBlocked } from './private-browsing-or-storage-blocked.ts';
import { timezoneTampered } from './timezone-tampered.ts';
import { transportFingerprintMismatch } from './transport-fingerprint-mismatch.ts';
import { trueCountryMismatch } from './true-country-mismatch.ts';
import { userAgentPlatformMismatch } from './user-agent-platform-mismatch.ts';
import { virtualCameraDetected } from './virtual-camera-detected.ts';
import { virtualMachineOrSoftwareGpu } from './virtual-machine-or-software-gpu.ts';

/** The codes that examine a session's own facts, in the order in which reasons are shown. */
export const SIGNAL_CODES: readonly SignalCode[] = [
  ipOnVpnList,
  ipOnTorExitList,
  ipOnProxyList,
  ipOnPrivacyRelayList,
  ipInDatacenterRange,
  ipOnFraudFeed,
  clientAddressMismatch,
  transportFingerprintMismatch,
  ipTimezoneMismatch,
  gpsIpDistance,
  trueCountryMismatch,
  browserTamperingDetected,
  androidEmulatorOrRooted,
  iosSimulatorOrJailbroken,
  automationFrameworkDetected,
  headlessBrowserDetected,
  declaredBotUserAgent,
  userAgentPlatformMismatch,
  browserVersionMismatch,
  executionContextMismatch,
  virtualMachineOrSoftwareGpu,
  gpuOsMismatch,
  deviceClassMismatch,
  impossibleHardwareValues,
  timezoneTampered,
  languageMismatch,
  canvasOrAudioNoise,
  privateBrowsingOrStorageBlocked,
  virtualCameraDetected,
  appIntegrityFailed,
  mockLocationEnabled,
  noHumanInteraction,
];

/** Codes that compare a session with its history. */
export const HISTORY_CODES: readonly HistoryCode[] = [
  ipRecentFraudActivity,
  outsideExpectedCountries,
  impossibleTravelSpeed,
  deviceSharedOrReset,
];

/** Every reason code once, as the documents list them. */
export const ALL_CODES: readonly (SignalCode | HistoryCode)[] = [...SIGNAL_CODES, ...HISTORY_CODES].filter(
  ({ code }, index, all) => all.findIndex((other) => other.code === code) === index,
);

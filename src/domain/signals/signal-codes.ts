import { androidEmulatorOrRooted } from './codes/android-emulator-or-rooted.ts';
import { appIntegrityFailed } from './codes/app-integrity-failed.ts';
import { automationFrameworkDetected } from './codes/automation-framework-detected.ts';
import { browserTamperingDetected } from './codes/browser-tampering-detected.ts';
import { browserVersionMismatch } from './codes/browser-version-mismatch.ts';
import { canvasOrAudioNoise } from './codes/canvas-or-audio-noise.ts';
import { clientAddressMismatch } from './codes/client-address-mismatch.ts';
import { declaredBotUserAgent } from './codes/declared-bot-user-agent.ts';
import { deviceClassMismatch } from './codes/device-class-mismatch.ts';
import { deviceSharedOrReset } from './codes/device-shared-or-reset.ts';
import { executionContextMismatch } from './codes/execution-context-mismatch.ts';
import { gpsIpDistance } from './codes/gps-ip-distance.ts';
import { gpuOsMismatch } from './codes/gpu-os-mismatch.ts';
import { headlessBrowserDetected } from './codes/headless-browser-detected.ts';
import { impossibleHardwareValues } from './codes/impossible-hardware-values.ts';
import { impossibleTravelSpeed } from './codes/impossible-travel-speed.ts';
import { iosSimulatorOrJailbroken } from './codes/ios-simulator-or-jailbroken.ts';
import { ipInDatacenterRange } from './codes/ip-in-datacenter-range.ts';
import { ipOnPrivacyRelayList } from './codes/ip-on-privacy-relay-list.ts';
import { ipOnProxyList } from './codes/ip-on-proxy-list.ts';
import { ipOnTorExitList } from './codes/ip-on-tor-exit-list.ts';
import { ipOnVpnList } from './codes/ip-on-vpn-list.ts';
import { ipOnFraudFeed, ipRecentFraudActivity } from './codes/ip-recent-fraud-activity.ts';
import { ipTimezoneMismatch } from './codes/ip-timezone-mismatch.ts';
import { languageMismatch } from './codes/language-mismatch.ts';
import { mockLocationEnabled } from './codes/mock-location-enabled.ts';
import { noHumanInteraction } from './codes/no-human-interaction.ts';
import { outsideExpectedCountries } from './codes/outside-expected-countries.ts';
import { privateBrowsingOrStorageBlocked } from './codes/private-browsing-or-storage-blocked.ts';
import { timezoneTampered } from './codes/timezone-tampered.ts';
import { transportFingerprintMismatch } from './codes/transport-fingerprint-mismatch.ts';
import { trueCountryMismatch } from './codes/true-country-mismatch.ts';
import { userAgentPlatformMismatch } from './codes/user-agent-platform-mismatch.ts';
import { virtualCameraDetected } from './codes/virtual-camera-detected.ts';
import { virtualMachineOrSoftwareGpu } from './codes/virtual-machine-or-software-gpu.ts';
import type { HistoryCode, SignalCode } from './evidence.ts';

/** The codes that look at a session's own facts, in the order in which reasons are shown. */
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

/** The codes that compare a session with what was there before. */
export const HISTORY_CODES: readonly HistoryCode[] = [
  ipRecentFraudActivity,
  outsideExpectedCountries,
  impossibleTravelSpeed,
  deviceSharedOrReset,
];

/** Every reason code once, as the documents list them: 13 of the network and 22 of the device. */
export const ALL_CODES: readonly (SignalCode | HistoryCode)[] = [...SIGNAL_CODES, ...HISTORY_CODES].filter(
  ({ code }, index, all) => all.findIndex((other) => other.code === code) === index,
);

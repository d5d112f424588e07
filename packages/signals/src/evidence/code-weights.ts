import type { RiskScoreKey } from './risk-scores.ts';
import {
  BOT_WEIGHTS,
  CLIENT_ADDRESS_WEIGHTS,
  DATACENTER_WEIGHTS,
  DEVICE_WEIGHTS,
  EXPECTED_COUNTRY_WEIGHTS,
  GPS_DISTANCE_WEIGHTS,
  LANGUAGE_NETWORK_MISMATCH,
  MAX_VPN_HOSTING_GRADE,
  MOCK_LOCATION_SPOOFING,
  PRIVACY_RELAY_WEIGHTS,
  PROXY_LIST_WEIGHTS,
  TIMEZONE_WEIGHTS,
  TOR_LIST_WEIGHTS,
  TRANSPORT_WEIGHTS,
  TRUE_COUNTRY_WEIGHTS,
  VPN_HOSTING_WEIGHTS,
  VPN_LIST_WEIGHTS,
} from './weights.ts';

type CodeWeights = Partial<Record<RiskScoreKey | 'bot', number>>;

/** Maximum contribution of each code to each score, before its confidence, as the documents show it. */
export const CODE_WEIGHTS: Readonly<Record<string, CodeWeights>> = {
  ip_on_vpn_list: VPN_LIST_WEIGHTS,
  ip_on_tor_exit_list: TOR_LIST_WEIGHTS,
  ip_on_proxy_list: PROXY_LIST_WEIGHTS,
  ip_on_privacy_relay_list: PRIVACY_RELAY_WEIGHTS,
  ip_in_datacenter_range: { ...DATACENTER_WEIGHTS, vpn: VPN_HOSTING_WEIGHTS.vpn * MAX_VPN_HOSTING_GRADE },
  ip_recent_fraud_activity: { recentFraudIp: 1 },
  client_address_mismatch: CLIENT_ADDRESS_WEIGHTS,
  transport_fingerprint_mismatch: { ...TRANSPORT_WEIGHTS, bot: BOT_WEIGHTS.programConnection },
  ip_timezone_mismatch: {
    vpn: TIMEZONE_WEIGHTS.vpn,
    proxy: TIMEZONE_WEIGHTS.proxy,
    deviceNetworkMismatch: TIMEZONE_WEIGHTS.cap,
    locationSpoofing: TIMEZONE_WEIGHTS.cap,
  },
  gps_ip_distance: { locationSpoofing: GPS_DISTANCE_WEIGHTS.most },
  true_country_mismatch: {
    spoofedIp: TRUE_COUNTRY_WEIGHTS.spoofedIp,
    locationSpoofing: TRUE_COUNTRY_WEIGHTS.roundTrip,
  },
  outside_expected_countries: {
    locationSpoofing: EXPECTED_COUNTRY_WEIGHTS.base + EXPECTED_COUNTRY_WEIGHTS.most,
  },
  impossible_travel_speed: { impossibleTravel: 1 },
  browser_tampering_detected: {
    deviceRisk: DEVICE_WEIGHTS.browserTampering,
    bot: BOT_WEIGHTS.disguise,
  },
  android_emulator_or_rooted: { deviceRisk: DEVICE_WEIGHTS.androidEmulatorOrRooted },
  ios_simulator_or_jailbroken: { deviceRisk: DEVICE_WEIGHTS.iosSimulatorOrJailbroken },
  automation_framework_detected: {
    deviceRisk: DEVICE_WEIGHTS.automationFramework,
    bot: DEVICE_WEIGHTS.automationFramework,
  },
  headless_browser_detected: {
    deviceRisk: DEVICE_WEIGHTS.headlessBrowser,
    bot: DEVICE_WEIGHTS.headlessBrowser,
  },
  declared_bot_user_agent: {
    deviceRisk: DEVICE_WEIGHTS.declaredBotUserAgent,
    bot: DEVICE_WEIGHTS.declaredBotUserAgent,
  },
  user_agent_platform_mismatch: {
    deviceRisk: DEVICE_WEIGHTS.userAgentPlatformMismatch,
    bot: BOT_WEIGHTS.disguise,
  },
  browser_version_mismatch: {
    deviceRisk: DEVICE_WEIGHTS.browserVersionMismatch,
    bot: BOT_WEIGHTS.disguise,
  },
  execution_context_mismatch: {
    deviceRisk: DEVICE_WEIGHTS.executionContextMismatch,
    bot: BOT_WEIGHTS.disguise,
  },
  virtual_machine_or_software_gpu: {
    deviceRisk: DEVICE_WEIGHTS.virtualMachineOrSoftwareGpu,
    bot: BOT_WEIGHTS.softwareGpu,
  },
  gpu_os_mismatch: { deviceRisk: DEVICE_WEIGHTS.gpuOsMismatch },
  device_class_mismatch: { deviceRisk: DEVICE_WEIGHTS.deviceClassMismatch },
  impossible_hardware_values: { deviceRisk: DEVICE_WEIGHTS.impossibleHardwareValues },
  timezone_tampered: { deviceRisk: DEVICE_WEIGHTS.timezoneTampered },
  language_mismatch: {
    deviceRisk: DEVICE_WEIGHTS.languageMismatch,
    deviceNetworkMismatch: LANGUAGE_NETWORK_MISMATCH,
  },
  canvas_or_audio_noise: { deviceRisk: DEVICE_WEIGHTS.canvasOrAudioNoise },
  private_browsing_or_storage_blocked: { deviceRisk: DEVICE_WEIGHTS.privateBrowsing },
  virtual_camera_detected: { deviceRisk: DEVICE_WEIGHTS.virtualCamera },
  app_integrity_failed: { deviceRisk: DEVICE_WEIGHTS.appIntegrityFailed },
  mock_location_enabled: {
    deviceRisk: DEVICE_WEIGHTS.mockLocation,
    locationSpoofing: MOCK_LOCATION_SPOOFING,
  },
  no_human_interaction: {
    deviceRisk: DEVICE_WEIGHTS.noHumanInteraction,
    bot: BOT_WEIGHTS.noHumanInteraction,
  },
  device_shared_or_reset: { deviceRisk: DEVICE_WEIGHTS.deviceSharedOrReset },
};

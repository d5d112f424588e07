import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CODE_WEIGHTS } from '../evidence/code-weights.ts';
import { ALL_CODES, HISTORY_CODES, SIGNAL_CODES } from './signal-codes.ts';

const ofFamily = (family: string) =>
  ALL_CODES.filter((code) => code.family === family)
    .map(({ code }) => code)
    .sort();

test('the network has 13 reason codes', () => {
  expect(ofFamily('network')).toEqual([
    'client_address_mismatch',
    'gps_ip_distance',
    'impossible_travel_speed',
    'ip_in_datacenter_range',
    'ip_on_privacy_relay_list',
    'ip_on_proxy_list',
    'ip_on_tor_exit_list',
    'ip_on_vpn_list',
    'ip_recent_fraud_activity',
    'ip_timezone_mismatch',
    'outside_expected_countries',
    'transport_fingerprint_mismatch',
    'true_country_mismatch',
  ]);
});

test('the device has 22 reason codes', () => {
  expect(ofFamily('device')).toEqual([
    'android_emulator_or_rooted',
    'app_integrity_failed',
    'automation_framework_detected',
    'browser_tampering_detected',
    'browser_version_mismatch',
    'canvas_or_audio_noise',
    'declared_bot_user_agent',
    'device_class_mismatch',
    'device_shared_or_reset',
    'execution_context_mismatch',
    'gpu_os_mismatch',
    'headless_browser_detected',
    'impossible_hardware_values',
    'ios_simulator_or_jailbroken',
    'language_mismatch',
    'mock_location_enabled',
    'no_human_interaction',
    'private_browsing_or_storage_blocked',
    'timezone_tampered',
    'user_agent_platform_mismatch',
    'virtual_camera_detected',
    'virtual_machine_or_software_gpu',
  ]);
});

test('each code has a file, a test, a description, its inputs and its weights', () => {
  for (const { code, describes, needs } of ALL_CODES) {
    const file = code.replaceAll('_', '-');
    expect(existsSync(new URL(`${file}.ts`, import.meta.url)), code).toBe(true);
    expect(existsSync(new URL(`${file}.test.ts`, import.meta.url)), code).toBe(true);
    // Plain text: commands and pages print it.
    expect(describes, code).toMatch(/^[A-Z][^`*]{20,}\.$/);
    expect(needs.length, code).toBeGreaterThan(5);
    expect(Object.keys(CODE_WEIGHTS[code] ?? {}).length, code).toBeGreaterThan(0);
  }
  expect(Object.keys(CODE_WEIGHTS).sort()).toEqual(ALL_CODES.map(({ code }) => code).sort());
});

test('no code is evaluated twice, and the page lists every code', () => {
  expect(new Set(SIGNAL_CODES).size).toBe(SIGNAL_CODES.length);
  expect(new Set(HISTORY_CODES).size).toBe(HISTORY_CODES.length);
  const page = readFileSync(new URL('../../../../docs/signals.md', import.meta.url), 'utf8');
  for (const { code, describes } of ALL_CODES) {
    expect(page).toContain(`| \`${code}\` | ${describes} |`);
  }
});

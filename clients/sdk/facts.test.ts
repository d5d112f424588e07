import { describe, expect, test } from 'vitest';
import { parseChecks } from '../../src/domain/signals/device/checks.ts';
import { CHECK_NAMES, mergeFacts } from './facts.ts';

/** Checks that only mobile apps send, that need a permission, or that no browser reveals. */
const NOT_OF_A_PAGE = [
  'app_signature_valid',
  'camera_frame_jitter_ms',
  'debugger_attached',
  'emulator_indicators',
  'hook_indicators',
  'repeated_fixes',
  'root_indicators',
];

function namesThatTheServerReads(): string[] {
  const read = new Set<string>();
  const raw = new Proxy({}, { get: (_, name) => void read.add(String(name)) });
  parseChecks(raw);
  return [...read];
}

describe('names of checks', () => {
  test('the server reads each that the script sends, but the claim of an account', () => {
    const server = new Set(namesThatTheServerReads());
    expect(CHECK_NAMES.filter((name) => !server.has(name))).toEqual(['account_claim']);
  });

  test('the script sends each that a page can know', () => {
    const script = new Set<string>(CHECK_NAMES);
    expect(
      namesThatTheServerReads()
        .filter((name) => !script.has(name))
        .sort(),
    ).toEqual(NOT_OF_A_PAGE);
  });
});

describe('merging facts', () => {
  test('later values replace earlier ones, each by itself', () => {
    const earlier = { checks: { locale: 'fr', hover: true }, bot: { click_num_events: 1 } };
    const later = { checks: { locale: 'de' }, device: { cpu_cores: 8 } };
    expect(mergeFacts(earlier, later)).toEqual({
      checks: { locale: 'de', hover: true },
      bot: { click_num_events: 1 },
      device: { cpu_cores: 8 },
    });
  });

  test('unknown facts remove nothing and are omitted', () => {
    const merged = mergeFacts({ checks: { locale: 'fr' } }, { checks: { locale: undefined }, bot: {} });
    expect(merged).toEqual({ checks: { locale: 'fr' } });
    expect(Object.keys(merged)).toEqual(['checks']);
  });

  test('changes neither of the two', () => {
    const earlier = { checks: { locale: 'fr' } };
    mergeFacts(earlier, { checks: { locale: 'de' } });
    expect(earlier).toEqual({ checks: { locale: 'fr' } });
  });
});

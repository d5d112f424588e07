import { parseChecks } from '@vouchgraph/signals/internals/device/checks';
import { describe, expect, test } from 'vitest';
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
  test('the server reads each check that the script sends except account_claim', () => {
    const server = new Set(namesThatTheServerReads());
    expect(CHECK_NAMES.filter((name) => !server.has(name))).toEqual(['account_claim']);
  });

  test('the script sends each check that a page can measure', () => {
    const script = new Set<string>(CHECK_NAMES);
    expect(
      namesThatTheServerReads()
        .filter((name) => !script.has(name))
        .sort(),
    ).toEqual(NOT_OF_A_PAGE);
  });
});

describe('merged facts', () => {
  test('contain the later value of each name', () => {
    const earlier = { checks: { locale: 'fr', hover: true }, bot: { click_num_events: 1 } };
    const later = { checks: { locale: 'de' }, device: { cpu_cores: 8 } };
    expect(mergeFacts(earlier, later)).toEqual({
      checks: { locale: 'de', hover: true },
      bot: { click_num_events: 1 },
      device: { cpu_cores: 8 },
    });
  });

  test('keep a known value when the later one is unknown', () => {
    const merged = mergeFacts({ checks: { locale: 'fr' } }, { checks: { locale: undefined }, bot: {} });
    expect(merged).toEqual({ checks: { locale: 'fr' } });
    expect(Object.keys(merged)).toEqual(['checks']);
  });

  test('are a new object', () => {
    const earlier = { checks: { locale: 'fr' } };
    mergeFacts(earlier, { checks: { locale: 'de' } });
    expect(earlier).toEqual({ checks: { locale: 'fr' } });
  });
});

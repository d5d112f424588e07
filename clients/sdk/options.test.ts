import { describe, expect, test } from 'vitest';
import { optionsOfAttributes, readSettings } from './options.ts';

const SCRIPT = 'https://id.example.com/vg/sdk.js?v=2';

describe('settings', () => {
  test('use the origin and path of the script as base URL', () => {
    expect(readSettings({ projectId: 'p' }, SCRIPT)?.baseUrl).toBe('https://id.example.com/vg');
    expect(readSettings({ projectId: 'p' }, 'http://localhost:4000/sdk.mjs')?.baseUrl).toBe(
      'http://localhost:4000',
    );
  });

  test('use an explicit base URL before that of the script', () => {
    const settings = readSettings({ projectId: 'p', baseUrl: 'https://other.example.com/' }, SCRIPT);
    expect(settings?.baseUrl).toBe('https://other.example.com');
  });

  test('are null without a project or base URL', () => {
    expect(readSettings({ projectId: '' }, SCRIPT)).toBeNull();
    expect(readSettings({ projectId: 'p' }, 'https://shop.example.com/bundle.js')).toBeNull();
    expect(readSettings({ projectId: 'p', baseUrl: 'javascript:alert(1)' }, '')).toBeNull();
  });

  test.each([undefined, null, 7, 'text', [], { projectId: 7 }, { projectId: {} }])(
    'never throw for any argument: %j',
    (given) => {
      expect(readSettings(given, SCRIPT)).toBeNull();
    },
  );

  test('ignore invalid values of location, relay and callback', () => {
    const given = { projectId: 'p', location: 'yes', stunServer: 'https://x', onError: 'text' };
    expect(readSettings(given, SCRIPT)).toMatchObject({ location: false, stunServer: '', worker: true });
  });

  test('keep a misspelled environment, which then matches none', () => {
    expect(readSettings({ projectId: 'p', environment: 'Production' }, SCRIPT)?.environment).toBe(
      'Production',
    );
    expect(readSettings({ projectId: 'p' }, SCRIPT)?.environment).toBeNull();
  });
});

describe('attributes of the script element', () => {
  const settingsOf = (attributes: Record<string, string>) =>
    readSettings(
      optionsOfAttributes((name) => attributes[name] ?? null),
      SCRIPT,
    );

  test('require only a project', () => {
    expect(settingsOf({ project: 'p' })).toMatchObject({
      projectId: 'p',
      baseUrl: 'https://id.example.com/vg',
      environment: null,
      location: false,
      stunServer: '',
      worker: true,
    });
  });

  test('include one for each option', () => {
    const settings = settingsOf({
      project: 'p',
      environment: 'production',
      'base-url': 'https://b.example.com',
      location: 'granted',
      'stun-server': 'stun:stun.example.com:3478',
      worker: 'off',
    });
    expect(settings).toMatchObject({
      environment: 'production',
      baseUrl: 'https://b.example.com',
      location: 'granted',
      stunServer: 'stun:stun.example.com:3478',
      worker: false,
    });
    expect(settingsOf({ project: 'p', location: 'true' })?.location).toBe(true);
  });
});

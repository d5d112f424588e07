import type { Recorder } from './recorder.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36';

/** A session without known facts. */
export const BARE_FACTS = { ip_address: '10.1.2.3', start_time: '2026-01-05T10:00:00.125Z' };

/** A session of a phone with all facts that a client can send. */
export const PHONE_FACTS = {
  source: 'ios',
  source_version: '2.4.1',
  ip_address: '90.54.1.1',
  start_time: '2026-01-10T18:35:22.184567+02:00',
  device_id: 'an iphone',
  browser_id: 'a browser',
  headers: { 'user-agent': IPHONE, 'accept-language': 'fr-FR,fr;q=0.9' },
  browser: {
    user_agent: IPHONE,
    language: 'fr-FR',
    languages: ['fr-FR', 'en'],
    timezone: 'Europe/Paris',
    timezone_offset_minutes: 60,
    platform: 'iPhone',
    client_hints: {},
  },
  device: {
    os: 'iOS 17.5',
    type: 'iPhone',
    gpu: 'Apple GPU',
    cpu_cores: 6,
    memory: 6,
    screen_width: 393,
    screen_height: 852,
    pixel_ratio: 3,
    touch_points: 5,
    components: { canvas: 'c1' },
  },
  location: { latitude: 48.85, longitude: 2.35, accuracy_m: 12.5, mock: false },
  bot: {
    mouse_num_events: 0,
    click_num_events: 7,
    keyboard_num_events: 21,
    touch_num_events: 33,
    clipboard_num_events: 1,
  },
  mobile: {
    brand: 'Apple',
    model: 'iPhone15,2',
    ram_mb: 6144,
    boot_count: 3,
    uptime_seconds: 86400.5,
    battery: { level: 0.75, charging: false },
    languages: ['fr-FR', 'en'],
    integrity: { provider: 'app_attest', verdict: 'valid', verdicts: ['MEETS_DEVICE_INTEGRITY'] },
  },
  carrier: { name: 'Orange F', country_code: 'FR', mcc: '208', mnc: '01' },
};

/** A session from a data center whose browser contradicts itself. */
export const RISKY_FACTS = {
  source: 'web',
  source_version: '1.0.0',
  ip_address: '8.8.8.8',
  start_time: '2026-01-20T09:00:00.000Z',
  device_id: 'a laptop',
  headers: { 'user-agent': MAC, 'accept-language': 'de-DE' },
  browser: { user_agent: MAC, language: 'de-DE', timezone: 'Asia/Tokyo', timezone_offset_minutes: -540 },
  device: { gpu: 'SwiftShader', cpu_cores: 2, memory: 4, screen_width: 800, screen_height: 600 },
  checks: { webdriver: true },
};

/** All facts of an account that a client can send. */
export const FULL_ACCOUNT = {
  id: 'ada',
  email: 'Ada.Lovelace@gmail.com',
  phone: '+14155552671',
  first_name: 'Ada',
  last_name: 'Lovelace',
  username: 'ada',
  expected_countries: ['FR', 'US'],
  metadata: {
    plan: 'free',
    Nested: { 'a key': [1, 2.5, null, true, 'é "quoted" \u2028'] },
    n1: 1e21,
    n2: 1e-7,
  },
  group: 'testers',
  lists: ['beta', 'allow'],
  date_of_birth: '1990-12-10',
  identifiers: [{ type: 'passport', value: 'X1234567', country: 'GB' }],
};

export const sessionOf = async ({ given }: Recorder, facts: object): Promise<string> =>
  (await given('POST', '/session', facts)).session_id;

export async function authenticated(
  recorder: Recorder,
  account: object,
  facts: object = {},
): Promise<string> {
  const session_id = await sessionOf(recorder, { ...BARE_FACTS, ...facts });
  await recorder.given('POST', '/session/authenticate', { session_id, account });
  return session_id;
}

/** ada with all facts, and bare with none. */
export async function knownAndBare(recorder: Recorder): Promise<{ known: string; bare: string }> {
  await authenticated(recorder, FULL_ACCOUNT, PHONE_FACTS);
  const known = await authenticated(recorder, { id: 'ada' }, RISKY_FACTS);
  return { known, bare: await authenticated(recorder, { id: 'bare' }) };
}

/** Accounts that are linked with ada by one kind of evidence each. */
export async function linkedToAda(recorder: Recorder): Promise<void> {
  const group = 'testers';
  await authenticated(recorder, FULL_ACCOUNT, PHONE_FACTS);
  await authenticated(recorder, {
    id: 'same phone',
    group,
    phone: '(415) 555-2671',
    expected_countries: ['US'],
  });
  await authenticated(recorder, { ...FULL_ACCOUNT, id: 'same everything', lists: [] }, PHONE_FACTS);
  await authenticated(recorder, { id: 'same device', group }, { ...PHONE_FACTS, browser_id: 'another' });
  await authenticated(recorder, { id: 'other group', phone: '+14155552671' });
}

/** Account scores from 0.01 on are Suspicious, or from 0.02 on Fake. */
export async function settings({ project, clock }: Recorder, input: object): Promise<void> {
  clock.tick();
  await project.graphql(
    'mutation ($input: UpdateProjectSettingsInput!) { updateProjectSettings(input: $input) { requestId } }',
    { input },
  );
}

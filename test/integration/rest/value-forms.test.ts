import { RISK_SCORE_KEYS, scoreName } from '@vouchgraph/signals';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOCUMENTED_ANSWERS } from '../../support/documented-bodies.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { playedVerification, verifyFace, verifyId } from '../../support/verification.ts';

/**
 * The format that existing clients parse: keys that are always present, keys that may be absent, and the form
 * of every value.
 */
let gateway: Gateway;
let project: TestProject;
let ios: Body;
let bogon: Body;

const SIGNALS = RISK_SCORE_KEYS.map(scoreName).toSorted();
const SCORES = SIGNALS.filter((name) => name !== 'spoofed_ip');
const ALWAYS = [
  ...[
    'account_ids',
    'bot',
    'browser',
    'device',
    'device_id',
    'location',
    'location_spoofing',
    'network',
    'project_id',
  ],
  ...['request_id', 'risk_signal_details', 'risk_signal_scores', 'risk_signals', 'session_id', 'source'],
  ...['source_version', 'start_time'],
];
const MOBILE = {
  brand: 'Apple',
  model: 'iPhone15,2',
  ram_mb: 6144,
  boot_count: 3,
  uptime_seconds: 86400.5,
  battery: { level: 0.75, charging: false },
  languages: ['fr-FR', 'en'],
  integrity: { provider: 'app_attest', verdict: 'valid', verdicts: ['MEETS_DEVICE_INTEGRITY'] },
};
const CARRIER = { name: 'Orange F', country_code: 'FR', mcc: '208', mnc: '01' };
const USER_AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const keysOf = (value: Body) => Object.keys(value).toSorted();
const getSession = async (id: string) => (await project.rest('GET', `/session/${id}`)).body;

/** Every value of a body with the path to it. */
function valuesOf(body: Body, path = ''): [string, unknown][] {
  if (typeof body !== 'object' || body === null) return [[path, body]];
  return Object.entries(body).flatMap(([key, value]) =>
    valuesOf(value, path === '' ? key : `${path}.${key}`),
  );
}

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  const iosId = await project.session({
    source: 'ios',
    source_version: '2.4.1',
    ip_address: '90.54.1.1',
    start_time: '2025-06-10T18:35:22.184567+02:00',
    device_id: unique('iphone'),
    headers: { 'user-agent': USER_AGENT },
    browser: { user_agent: USER_AGENT, language: 'fr-FR', timezone: 'Europe/Paris' },
    device: { cpu_cores: 6, memory: 6, screen_width: 393, screen_height: 852, gpu: 'Apple GPU' },
    mobile: MOBILE,
    carrier: CARRIER,
  });
  ios = await getSession(iosId);
  bogon = await getSession(await project.session({ ip_address: '10.1.2.3' }));
});
afterAll(() => gateway.close());

describe('the Session object', () => {
  it('of a mobile SDK has mobile and carrier', () => {
    expect(keysOf(ios)).toEqual([...ALWAYS, 'carrier', 'mobile', 'true_country_code'].toSorted());
    expect(ios.mobile).toEqual(MOBILE);
    expect(ios.carrier).toEqual(CARRIER);
    expect(ios.source).toBe('ios');
    expect(ios.source_version).toBe('2.4.1');
    expect(ios.device.category).toBe('mobile');
    expect(ios.device.type).toBe('iPhone');
    expect(ios.device.os).toBe('iOS 17.5');
    expect(ios.browser.version).toMatch(/^17\.5/);
  });

  it('of an address without a location lacks only true_country_code, mobile and carrier', () => {
    expect(keysOf(bogon)).toEqual(ALWAYS.toSorted());
    expect(bogon.location).toEqual({
      ...{ continent: '', country_code: '', state: '', city: '', zip_code: '', timezone: '' },
      ...{ latitude: null, longitude: null },
    });
    expect(bogon.network).toMatchObject({ ip_address: '10.1.2.3', service_provider: '' });
    expect(bogon.source).toBe('web');
  });

  it('contains the start in UTC with milliseconds', () => {
    expect(ios.start_time).toBe('2025-06-10T16:35:22.184Z');
    expect(bogon.start_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('contains a location in the documented forms', () => {
    expect(ios.location).toMatchObject({ continent: 'EU', country_code: 'FR', timezone: 'Europe/Paris' });
    expect(ios.true_country_code).toBe('FR');
    expect(ios.location.state).toMatch(/^\p{Lu}\p{L}{2,}/u);
    expect(typeof ios.location.latitude).toBe('number');
    expect(ios.network.connection_type).toMatch(/^[a-z_]+$/);
    expect(ios.device_id).toMatch(/^[0-9A-Za-z]{22}$/);
  });

  it('has exactly the documented signals and scores for any facts', () => {
    for (const session of [ios, bogon]) {
      expect(keysOf(session.risk_signals)).toEqual(SIGNALS);
      expect(keysOf(session.risk_signal_scores)).toEqual(SCORES);
      for (const value of Object.values(session.risk_signals)) expect(typeof value).toBe('boolean');
      for (const value of Object.values<number>(session.risk_signal_scores)) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(value).toBe(Number(value.toFixed(4)));
      }
      expect(session.location_spoofing).toBe(session.risk_signal_scores.location_spoofing);
      expect(keysOf(session.risk_signal_details)).toEqual(['device', 'network']);
    }
  });

  it('contains ten signals and averages and nine scores, also in events', async () => {
    const id = unique('ten');
    const { session, account } = await project.authenticate({ id }, { ip_address: '90.54.1.1' });
    const [read, updated] = [
      await project.rest('GET', `/account/${id}`),
      await project.rest('PUT', `/account/${id}`, {}),
    ];
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      'query ($id: ID!) { events(first: 10, accountId: $id, types: [ACCOUNT_AUTHENTICATED, ACCOUNT_UPDATED]) { edges { node { data } } } }',
      { id },
    );
    const [authenticated, changed] = events.edges.map(({ node }: Body) => node.data);
    for (const { risk_signals, risk_signal_scores } of [session, authenticated.session]) {
      expect(keysOf(risk_signals)).toEqual(SIGNALS);
      expect(keysOf(risk_signal_scores)).toEqual(SCORES);
    }
    for (const { risk_signal_average } of [account, read.body, updated.body, authenticated, changed])
      expect(keysOf(risk_signal_average)).toEqual(SIGNALS);
  });

  it('has empty unknown texts and null for unknown numbers', () => {
    const numbers =
      /^(location\.(latitude|longitude)|device\.(cpu_cores|memory|screen_height|screen_width)|bot\.\w+|risk_\w+\.[\w.]+|location_spoofing)$/;
    const nulls = valuesOf(bogon).filter(([, value]) => value === null);
    expect(nulls.length).toBeGreaterThan(0);
    for (const [path] of nulls) expect(path).toMatch(numbers);
    for (const [path, value] of valuesOf(bogon)) {
      expect(value, path).not.toBe('null');
      expect(value, path).not.toBe('undefined');
    }
  });
});

describe('the account responses', () => {
  it('of authenticate have exactly the documented keys', async () => {
    const body = await project.authenticate({ id: unique('account') }, { ip_address: '10.1.2.3' });
    expect(keysOf(body)).toEqual(
      [
        ...['account', 'account_id', 'account_score', 'accounts_linked', 'bot', 'decision', 'lists'],
        ...['multiple_accounts', 'project_id', 'request_id', 'risk_signals', 'session', 'session_id'],
      ].toSorted(),
    );
    expect(keysOf(body.account)).toEqual(
      [
        ...['account', 'countries', 'country', 'email', 'first_seen', 'last_seen', 'last_session'],
        ...['num_sessions', 'risk_signal_average', 'unique_devices', 'unique_networks'],
      ].toSorted(),
    );
    expect(keysOf(body.account.account)).toEqual(
      [
        ...['email', 'expected_countries', 'first_name', 'group', 'id', 'last_name', 'metadata', 'phone'],
        'username',
      ].toSorted(),
    );
    expect(keysOf(body.account.risk_signal_average)).toEqual(SIGNALS);
    expect(keysOf(body.account.unique_devices)).toEqual(['1_day', '7_day']);
    expect(keysOf(body.account.email)).toEqual(
      [
        ...['disposable', 'domain_type', 'email', 'email_score', 'num_account_from_domain', 'personal'],
        ...['risk_signals', 'trust_signals', 'valid'],
      ].toSorted(),
    );
    expect(body.account.account).toMatchObject({
      ...{ email: '', phone: '', first_name: '', last_name: '', username: '', group: '' },
      ...{ expected_countries: [], metadata: {} },
    });
    expect(body.account).toMatchObject({ country: '', countries: [], last_session: body.session_id });
    expect(body.session.account_ids).toBeUndefined();
    expect(typeof body.risk_signals).toBe('number');
  });

  it('of authenticate contain every current field of the account, as the account itself does', async () => {
    const id = unique('whole');
    const fields = {
      ...{ id, email: 'ada@example.com', phone: '+14155552671', first_name: 'Ada', last_name: 'Lovelace' },
      ...{ username: id, expected_countries: ['FR', 'US'], metadata: { plan: 'free' }, group: 'testers' },
    };
    expect((await project.authenticate(fields)).account.account).toEqual(fields);
    const changed = { ...fields, phone: '', last_name: 'King', metadata: { plan: 'free', since: 1815 } };
    const { account } = await project.authenticate({
      ...{ id, phone: '', last_name: 'King', metadata: { since: 1815 } },
    });
    expect(account.account).toEqual(changed);
    expect((await project.rest('GET', `/account/${id}`)).body.account).toEqual(changed);
  });

  it('of an account keep their keys when no value is known', async () => {
    const id = unique('bare');
    await project.authenticate({ id }, { ip_address: '10.1.2.3' });
    const { body } = await project.rest('GET', `/account/${id}`);
    DOCUMENTED_ANSWERS['account.get']!.parse(body);
    expect(body.account).toEqual({
      ...{ id, email: '', phone: '', first_name: '', last_name: '', username: '', group: '' },
      ...{ expected_countries: [], metadata: {} },
    });
    for (const [path, value] of valuesOf(body)) expect(value, path).not.toBeNull();
  });

  it('have linked_accounts only on request, for any spelling', async () => {
    const session_id = await project.session();
    const ask = async (query: string) => {
      const account = { id: unique('asked') };
      const { body } = await project.rest('POST', `/session/authenticate${query}`, { session_id, account });
      return 'linked_accounts' in body;
    };
    for (const query of ['?accounts_linked=true', '?accounts_linked=1']) expect(await ask(query)).toBe(true);
    for (const query of ['', '?accounts_linked=', '?accounts_linked=false'])
      expect(await ask(query)).toBe(false);
  });
});

describe('session_data of a verification', () => {
  it('has a null true_country_code where it is unknown, in each answer and event', async () => {
    const query = { simulate: 'success', simulate_decision: 'Real' };
    const [idCheck, faceCheck] = [
      await playedVerification(gateway, project, { id: 'true', ...query }),
      await playedVerification(gateway, project, query),
    ];
    const { body: ofId } = await verifyId(project, idCheck);
    const { body: ofFace } = await verifyFace(project, faceCheck);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      `{ events(first: 100, types: [VERIFICATION_ID_CHECK_COMPLETED, VERIFICATION_FACE_CHECK_COMPLETED]) {
         edges { node { data } } } }`,
    );
    const data = events.edges.map(({ node }: Body) => node.data);
    expect(data).toHaveLength(2);
    for (const { session_data } of [ofId, ofFace, ...data]) {
      expect(Object.keys(session_data)[0]).toBe('true_country_code');
      expect(session_data.true_country_code).toBeNull();
    }
  });
});

describe('a batch of email checks without a name', () => {
  it('has an empty batch_name in each answer and event', async () => {
    const { body } = await project.rest('POST', '/email?wait=10', { emails: [{ email: 'ada@example.com' }] });
    const sent = await project.rest('POST', '/email', { emails: [{ email: 'ada@example.com' }] });
    await gateway.app.settleEmailChecks(project.projectId);
    const read = await project.rest('GET', `/email/batch/${body.batch_id}`);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      '{ events(first: 100, types: [EMAIL_BATCH_COMPLETED]) { edges { node { data } } } }',
    );
    const data = events.edges.map(({ node }: Body) => node.data);
    expect(data).toHaveLength(2);
    for (const { batch_name } of [body, sent.body, read.body, ...data]) expect(batch_name).toBe('');
  });
});

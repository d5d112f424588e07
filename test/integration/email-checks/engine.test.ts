import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DnsAnswer, type DnsServer, startDnsServer } from '../../support/email/dns-server.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
let names: DnsServer;

beforeAll(async () => {
  names = await startDnsServer();
  gateway = await startGateway({ settings: { MX_LOOKUPS: 'on', DNS_SERVERS: names.address } });
  project = await gateway.project();
});
afterAll(async () => {
  await gateway.close();
  await names.close();
});

const exchanges = (...hosts: string[]): DnsAnswer => ({
  exchanges: hosts.map((name, index) => ({ priority: index + 1, name })),
});

async function check(email: string, more: Body = {}, of: TestProject = project): Promise<Body> {
  const { status, body } = await of.rest('POST', '/email?wait=10', { email, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.result.data.result;
}

const detail = (result: Body, code: string) =>
  result.signal_details.find((each: { code: string }) => each.code === code);

describe('mail hosts', () => {
  test('of a disposable email service make an unlisted domain disposable', async () => {
    const domain = `${unique('rotating')}.com`;
    names.answers.set(domain, exchanges(`mx.${domain}`, 'IN.mail.tm'));
    const result = await check(`jane@${domain}`);
    expect(result).toMatchObject({
      decision: 'high_risk',
      domain: { fqdn: domain, type: 'personal' },
      deliverability: { send_recommendation: 'do_not_send' },
    });
    expect(detail(result, 'disposable_email')).toEqual({
      code: 'disposable_email',
      side: 'risk',
      weight: 0.7,
      source: 'mail-hosts',
      evidence: 'in.mail.tm',
    });
  });

  test('of many legitimate domains have no effect', async () => {
    const domain = `${unique('honest')}.com`;
    names.answers.set(domain, exchanges('route1.mx.cloudflare.net', 'mx.yandex.net'));
    const result = await check(`jane@${domain}`);
    expect(result).toMatchObject({
      decision: 'moderate',
      risk_signals: [],
      deliverability: { risk_score: 0, send_recommendation: 'send' },
    });
  });

  test('distinguish a null MX and a missing domain, neither of which receives mail', async () => {
    const [none, gone] = [`${unique('null-mx')}.com`, `${unique('gone')}.com`];
    names.answers.set(none, exchanges(''));
    for (const [domain, evidence] of [
      [none, 'the domain has a null MX and accepts no mail'],
      [gone, 'the domain does not exist'],
    ] as const) {
      const result = await check(`jane@${domain}`);
      expect(result.domain.type).toBe('inactive');
      expect(detail(result, 'inactive_domain')).toMatchObject({ source: 'name-servers', evidence });
      expect(result.deliverability).toEqual({ risk_score: 1, send_recommendation: 'do_not_send' });
    }
  });

  test('that do not respond leave deliverability unknown', async () => {
    const domain = `${unique('failing')}.com`;
    names.answers.set(domain, 'failure');
    const result = await check(`jane@${domain}`);
    expect(result).toMatchObject({
      risk_signals: [],
      deliverability: { risk_score: null, send_recommendation: null },
    });
  });

  test('of a new domain are queried once for two concurrent checks', async () => {
    const domain = `${unique('twice')}.com`;
    names.answers.set(domain, exchanges('mx.emlhub.com'));
    const results = await Promise.all([check(`jane@${domain}`), check(`john@${domain}`)]);
    for (const { risk_signals } of results) expect(risk_signals).toEqual(['disposable_email']);
    expect(names.asked.filter((name) => name === domain)).toHaveLength(1);
  });
});

test('the domains of a project take precedence over the lists and over the mail hosts, in this project only', async () => {
  const domain = `${unique('own')}.com`;
  names.answers.set(domain, exchanges('in.mail.tm'));
  names.answers.set('mailinator.com', exchanges('mail.mailinator.com'));
  names.answers.set('fastmail.com', exchanges('in1-smtp.messagingengine.com'));
  const own = await gateway.project();
  await own.graphql(
    `mutation ($input: UpdateEmailDomainsInput!) { updateEmailDomains(input: $input) { requestId } }`,
    { input: { addTrusted: [domain, 'mailinator.com'], addDisposable: ['fastmail.com'] } },
  );
  for (const trusted of [domain, 'mailinator.com']) {
    const result = await check(`jane@${trusted}`, {}, own);
    expect(result).toMatchObject({
      decision: 'trusted',
      risk_signals: [],
      trust_signals: ['trusted_domain'],
    });
  }
  expect(detail(await check('jane@fastmail.com', {}, own), 'disposable_email')).toMatchObject({
    source: 'project-override',
  });
  expect((await check('jane@fastmail.com')).risk_signals).toEqual([]);
  expect((await check('jane@mailinator.com')).risk_signals).toEqual(['disposable_email']);
});

describe('the syntax of addresses', () => {
  test.each([
    [
      'an international address',
      'δοκιμή@παράδειγμα.gr',
      { domain: { fqdn: 'xn--hxajbheg2az3al.gr', country: 'GR' } },
    ],
    ['punycode in upper case', 'jane@XN--80AK6AA92E.com', { risk_signals: ['homograph_domain'] }],
    ['a homograph', 'jane@аррӏе.com', { risk_signals: ['homograph_domain'] }],
    ['two scripts in a word', 'jаne@acme-werke.com', { risk_signals: ['mixed_script_address'] }],
    [
      'a quoted local part',
      '"jane doe"@acme-werke.com',
      { risk_signals: [], email: { username: '"jane doe"' } },
    ],
    ['a keyboard run', 'qwertzuiop@acme-werke.com', { risk_signals: ['keyboard_run_local_part'] }],
  ])('is valid: %s', async (_case, email, expected) => {
    for (const domain of ['xn--hxajbheg2az3al.gr', 'xn--80ak6aa92e.com', 'acme-werke.com'])
      names.answers.set(domain, exchanges(`mx.${domain}`));
    expect(await check(email)).toMatchObject(expected);
  });

  test.each([
    ['a quoted local part that is not closed', '"jane doe@example.com'],
    ['a header in a quoted local part', '"jane\r\nBcc: x"@example.com'],
    ['a header', 'jane@example.com\r\nBcc: john@example.com'],
    ['an encoded header', 'jane%0d%0abcc:@example.com'],
    ['a trailing dot', 'jane@example.com.'],
    ['a trailing dot of the local part', 'jane.@example.com'],
    ['angle brackets', '<jane@example.com>'],
    ['two addresses', 'jane@example.com,john@example.com'],
    ['an IP literal', 'jane@[192.0.2.1]'],
    ['a full-width @', 'jane＠example.com'],
    ['an unregistered suffix', 'jane@example.con'],
    ['320 characters', `${'x'.repeat(64)}@${`${'y'.repeat(62)}.`.repeat(4)}com`],
  ])('is invalid without an error: %s', async (_case, email) => {
    const result = await check(email);
    expect(result).toMatchObject({
      decision: 'risky',
      domain: { fqdn: '', type: 'inactive' },
      deliverability: { risk_score: 1, send_recommendation: 'do_not_send' },
    });
    expect(result.risk_signals[0]).toBe('invalid_email');
  });

  test('rejects 321 characters with the field', async () => {
    const { status, body } = await project.rest('POST', '/email', {
      email: `${'x'.repeat(310)}@example.com`,
    });
    expect(status).toBe(400);
    expect(body.message).toMatch(/^email: /);
  });
});

test('an account and a check have equal facts of an address, in GraphQL as on REST', async () => {
  const domain = `${unique('alike')}.com`;
  names.answers.set(domain, exchanges(`mx.${domain}`));
  const email = `qwertyuiop+x@${domain}`;
  const result = await check(email);
  const id = unique('alike');
  const { account } = await project.authenticate({ id, email });
  expect(account.email).toMatchObject({
    risk_signals: result.risk_signals,
    email_score: result.risk_score,
    domain_type: result.domain.type,
  });
  const { checkEmail } = await project.graphql(
    `mutation ($input: CheckEmailInput!) { checkEmail(input: $input) { emailCheck { emailResult {
       riskScore weightsVersion signals { code weight source evidence } domain { riskScore } } } } }`,
    { input: { email, waitSeconds: 10 } },
  );
  expect(checkEmail.emailCheck.emailResult).toMatchObject({
    weightsVersion: 4,
    signals: expect.arrayContaining([
      { code: 'EMAIL_ALIAS', weight: 0.15, source: 'mailbox-rules', evidence: 'tag' },
      { code: 'KEYBOARD_RUN_LOCAL_PART', weight: 0.15, source: 'local-part', evidence: 'run of 10 keys' },
    ]),
  });
});

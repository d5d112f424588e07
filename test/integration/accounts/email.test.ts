import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';

let gateway: Gateway;
let project: TestProject;
let names: NameServer;

const masterKey = generateMasterKey();
const YEAR_HOURS = 365.25 * 24;
const START = Date.UTC(2020, 0, 1);
const at = (hours: number) => new Date(START + hours * 3_600_000).toISOString();

beforeAll(async () => {
  names = await startNameServer({ 'alive-mail-house.net': 'mx', 'gmail.com': 'mx', 'outlook.com': 'mx' });
  gateway = await startGateway({ masterKey, settings: { MX_LOOKUPS: 'on', DNS_SERVERS: names.address } });
  project = await gateway.project();
});
afterAll(async () => {
  await gateway.close();
  await names.close();
});

const inUpperCase = (words: string[]) => words.map((word) => word.toUpperCase());

async function emailOf(id: string): Promise<Body> {
  const { body } = await project.rest('GET', `/account/${id}`);
  const { account } = await project.graphql(
    `query ($id: ID!) { account(accountId: $id) { emailFacts { domainType emailScore trustSignals riskSignals valid } } }`,
    { id },
  );
  expect(account.emailFacts).toEqual({
    domainType: body.email.domain_type.toUpperCase() || null,
    emailScore: body.email.email_score,
    trustSignals: inUpperCase(body.email.trust_signals),
    riskSignals: inUpperCase(body.email.risk_signals),
    valid: body.email.valid,
  });
  return body.email;
}

describe('the email of an account', () => {
  it('is inactive only when name servers respond that its domain does not exist', async () => {
    const [dead, alive] = [unique('dead'), unique('alive')];
    const answer = await project.authenticate({ id: dead, email: `mara@${unique('no-such')}.com` });
    expect(answer.account.email.domain_type).toBe('inactive');
    expect(await emailOf(dead)).toMatchObject({ domain_type: 'inactive', risk_signals: ['inactive_domain'] });
    await project.authenticate({ id: alive, email: 'mara@alive-mail-house.net' });
    expect(await emailOf(alive)).toMatchObject({ domain_type: 'business', risk_signals: [] });
  });

  it('stays unknown while name servers do not respond', async () => {
    const silent = await startNameServer({}, { silent: true });
    const other = await startGateway({
      database: gateway.database,
      masterKey,
      settings: { MX_LOOKUPS: 'on', DNS_SERVERS: silent.address },
    });
    const own = await other.project();
    const answer = await own.authenticate({
      id: unique('unknown'),
      email: `mara@${unique('who-knows')}.com`,
    });
    expect(answer.account.email).toMatchObject({ domain_type: 'business', valid: true, risk_signals: [] });
    await other.close();
    await silent.close();
  });

  it('has an age from all accounts of the project, not of other projects', async () => {
    const email = 'Mara.Lind@alive-mail-house.net';
    const first = unique('first');
    await project.authenticate({ id: first, email }, { start_time: at(0) });
    expect((await emailOf(first)).trust_signals).toEqual([]);

    const later = unique('later');
    await project.authenticate({ id: later, email: email.toUpperCase() }, { start_time: at(6 * YEAR_HOURS) });
    const known = await emailOf(later);
    expect(known.trust_signals).toContain('email_age_greater_than_5_years');
    expect(known.trust_signals).not.toContain('email_age_greater_than_1_years');
    expect(known.email_score).toBeLessThan(0);

    const elsewhere = await gateway.project();
    const answer = await elsewhere.authenticate(
      { id: unique('elsewhere'), email },
      { start_time: at(6 * YEAR_HOURS) },
    );
    expect(answer.account.email.trust_signals).toEqual([]);
  });

  it('is known after enough sightings within 90 days, with each session counted once', async () => {
    const [id, email] = [unique('known'), 'nils.berg@alive-mail-house.net'];
    const days = [0, 30, 60, 100];
    for (const [index, day] of days.entries()) {
      const answer = await project.authenticate({ id, email }, { start_time: at(day * 24) });
      const again = await project.rest('POST', '/session/authenticate', {
        session_id: answer.session_id,
        account: { id, email },
      });
      const isKnown = again.body.account.email.trust_signals.includes('email_known_online_history');
      expect(isKnown, `after ${index + 1}`).toBe(index === days.length - 1);
    }
    await project.rest('PUT', `/account/${id}`, { email: 'another.berg@alive-mail-house.net' });
    expect((await emailOf(id)).trust_signals).not.toContain('email_known_online_history');
  });

  it('is inactive without a valid domain, and has no type without an address', async () => {
    for (const [email, domain_type] of [
      ['not an address', 'inactive'],
      ['mara@intranet', 'inactive'],
      ['mara@', 'inactive'],
      ['', ''],
    ] as const) {
      const id = unique('unreadable');
      const answer = await project.authenticate({ id, email });
      expect(answer.account.email, email).toMatchObject({ domain_type, valid: false });
      expect(await emailOf(id), email).toMatchObject({ domain_type });
    }
  });

  it('has an alias signal for dots that its provider ignores, with weight 0 in a name', async () => {
    for (const [email, risk_signals, email_score] of [
      ['mara.lind@gmail.com', ['email_alias'], 0],
      ['m.a.r.a.lind@gmail.com', ['email_alias'], 0.15],
      ['maralind@gmail.com', [], 0],
      ['mara.lind@outlook.com', [], 0],
    ] as const) {
      const id = unique('dots');
      await project.authenticate({ id, email });
      expect(await emailOf(id), email).toMatchObject({ risk_signals, email_score });
    }
  });

  it.each<[string, string, string, string[], string[]]>([
    ['a subdomain of Fastmail', 'shop@ID.fastmail.com', 'ID@fastmail.com', ['email_alias'], []],
    ['domains, dots and hyphens of Yandex', 'q.ID@ya.ru', 'q-ID@yandex.com', [], []],
    ['domains of Apple', 'ID@mac.com', 'ID@icloud.com', [], []],
    ['domains and hyphens of Proton', 'q-ID@protonmail.com', 'qID@pm.me', ['email_alias'], []],
    ['disposable addresses of Yahoo', 'ID-a@yahoo.com', 'ID-b@yahoo.com', ['email_alias'], ['email_alias']],
    ['a quoted local part', '"q ID"@acme-widgets.com', '"Q\\ ID"@ACME-widgets.com', [], []],
    ['quotes that are not needed', '"ID"@acme-widgets.com', 'ID@acme-widgets.com', [], []],
    ['a tag in quotes', '"q ID+x"@acme-widgets.com', '"q ID"@acme-widgets.com', ['email_alias'], []],
  ])('is one mailbox in several spellings: %s', async (_name, one, other, ...signals) => {
    const name = unique('x').replace(/[^a-z0-9]/gi, '');
    const ids = [unique('alias'), unique('alias')];
    for (const [index, email] of [one, other].entries()) {
      const written = email.replace('ID', name);
      const answer = await project.authenticate({ id: ids[index], email: written });
      expect(answer.account.email).toMatchObject({ email: written });
      const { risk_signals } = await emailOf(ids[index]!);
      const expected = signals[index]!;
      expect(risk_signals.filter((signal: string) => signal === 'email_alias')).toEqual(expected);
      expect(risk_signals).not.toContain('invalid_email');
    }
    const { body } = await project.rest('GET', `/account/${ids[0]}/accounts-linked`);
    expect(body.accounts_linked).toMatchObject([{ account_id: ids[1], score: 1 }]);
    const { accounts } = await project.graphql(
      'query ($email: String!) { accounts(filter: { email: $email }) { edges { node { accountId } } } }',
      { email: other.replace('ID', name) },
    );
    expect(accounts.edges.map(({ node }: Body) => node.accountId).sort()).toEqual(ids.sort());
  });

  it.each([
    ['two domains of Fastmail', 'ID@fastmail.com', 'ID@fastmail.fm'],
    ['two domains of Microsoft', 'ID@outlook.com', 'ID@hotmail.com'],
    ['the base of a disposable address of Yahoo', 'ID-a@yahoo.com', 'ID@yahoo.com'],
    ['dots at Apple', 'q.ID@icloud.com', 'qID@me.com'],
    ['a missing dot at Yandex', 'q.ID@ya.ru', 'qID@ya.ru'],
  ])('is two mailboxes: %s', async (_name, one, other) => {
    const name = unique('x').replace(/[^a-z0-9]/gi, '');
    const id = unique('two');
    await project.authenticate({ id, email: one.replace('ID', name) });
    const answer = await project.authenticate({ id: unique('two'), email: other.replace('ID', name) });
    expect(answer).toMatchObject({ accounts_linked: 0 });
  });

  it('has signals of an alias, a role, a relay and a disposable mailbox', async () => {
    const cases: [email: string, type: string, signals: string[], disposable: boolean][] = [
      ['mara.lind+shop@gmail.com', 'personal', ['email_alias'], false],
      ['x7@privaterelay.appleid.com', 'relay', ['relay_email'], false],
      ['mara@sub.mailinator.com', 'personal', ['disposable_email'], true],
    ];
    for (const [email, domain_type, signals, disposable] of cases) {
      const id = unique('case');
      await project.authenticate({ id, email });
      const facts = await emailOf(id);
      expect(facts.risk_signals, email).toEqual(expect.arrayContaining(signals));
      expect(facts.disposable, email).toBe(disposable);
      if (facts.domain_type !== 'inactive') expect(facts.domain_type, email).toBe(domain_type);
    }
  });
});

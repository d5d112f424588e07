import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs, tablesOf } from '../../support/sql.ts';
import { pagePost, verificationLink } from '../../support/verification.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let system: pg.Client;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

/** The complete content of a table as text, with its bytes as text and as hexadecimal digits. */
async function textOf(table: string): Promise<string> {
  const { rows } = await system.query(`select t::text as row from ${table} t`);
  return rows
    .map(({ row }) => row + bytesOf(row))
    .join('\n')
    .toLowerCase();
}

function bytesOf(row: string): string {
  return [...row.matchAll(/\\x([0-9a-f]+)/g)]
    .map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
    .join(' ');
}

/** The encodings in which a value could be stored in a table. */
const formsOf = (value: string) =>
  [value, Buffer.from(value).toString('hex'), Buffer.from(value).toString('base64').replace(/=+$/, '')].map(
    (form) => form.toLowerCase(),
  );

describe('personal data', () => {
  it('is stored nowhere in plain text', async () => {
    const [id, domain] = [unique('sealed'), `${unique('mail')}.example`];
    const digits = String(Date.now()).slice(-7);
    const account = {
      id,
      email: `ada.lovelace@${domain}`,
      phone: `+1 415 ${digits}`,
      first_name: unique('First'),
      last_name: unique('Last'),
      username: unique('user'),
      metadata: { [unique('key')]: unique('value') },
    };
    const facts = {
      ip_address: '203.119.7.9',
      browser_id: unique('browser'),
      device_id: unique('device'),
      browser: { user_agent: unique('Agent'), language: unique('language') },
      device: { gpu: unique('gpu'), components: { canvas: unique('canvas') } },
      location: { latitude: 48.858412, longitude: 2.294567 },
    };
    const session_id = await project.session(facts);
    const body = JSON.stringify({ session_id, account });
    const headers = { 'idempotency-key': unique('once') };
    const answer = await project.rest('POST', '/session/authenticate', body, headers);
    expect(answer.status).toBe(200);
    await project.rest('PUT', `/account/${id}`, { last_name: unique('Married') });
    await project.authenticate({ ...account, id: unique('linked') }, facts);
    const reason = unique('chargeback of a friend');
    const moved = unique('moved to his sister');
    const ADD = `mutation ($input: AddAccountsToListInput!) { addAccountsToList(input: $input) { requestId } }`;
    await project.graphql(ADD, { input: { list: 'block', accountIds: [id], reason: moved } });
    await project.graphql(
      'mutation ($input: MoveAccountsInput!) { moveAccounts(input: $input) { requestId } }',
      {
        input: { sourceList: 'block', targetList: 'allow', accountIds: [id] },
      },
    );
    await project.rest('POST', '/list', { name: unique('watched') });
    await project.graphql(ADD, { input: { list: 'main_account', accountIds: [id], reason } });
    const back = `https://${unique('shop')}.example/cart?customer=ada`;
    const link = await verificationLink(project, { redirect_url: back });
    const later = `https://${unique('later')}.example/`;
    const open = await verificationLink(project);
    await pagePost(gateway, open.sessionId, 'open', { secret: open.secret, redirect_url: later });

    const checked = `${unique('checked')}@${unique('asked')}.example`;
    const claims = { name: { first: unique('Claimed'), last: unique('Name') }, phone: `+1 415 9${digits}` };
    const batch = {
      emails: [{ email: checked, claims }, { email: account.email }],
      batch_name: unique('Suspects'),
    };
    const once = { 'idempotency-key': unique('checked once') };
    await project.rest(
      'POST',
      '/email?wait=5',
      { email: checked, claims, identity_intelligence: true },
      once,
    );
    await project.rest('POST', '/email', { ...batch, identity_intelligence: true });
    await gateway.app.settleEmailChecks(project.projectId);
    const gone = `${unique('gone')}@${unique('forgotten')}.example`;
    await project.rest('POST', '/email', { email: gone });
    await project.graphql('mutation ($email: String!) { eraseEmail(input: { email: $email }) { checks } }', {
      email: gone,
    });

    const planted = [
      ...[
        account.email,
        domain,
        'ada.lovelace',
        account.phone,
        digits,
        account.first_name,
        account.last_name,
      ],
      ...[account.username, ...Object.keys(account.metadata), ...Object.values(account.metadata)],
      ...['203.119.7.9', '203.119.7', facts.browser_id, facts.device_id, facts.browser.user_agent],
      ...[facts.browser.language, facts.device.gpu, facts.device.components.canvas, '48.8584', '2.2945'],
      headers['idempotency-key'],
      ...[checked, ...checked.split('@'), gone, ...gone.split('@'), once['idempotency-key']],
      ...[claims.name.first, claims.name.last, claims.phone, `9${digits}`, batch.batch_name],
      ...[reason, moved, 'chargeback', new URL(back).host, 'customer=ada', new URL(later).host, link.secret],
    ];
    const tables = await tablesOf(system);
    expect(await textOf('accounts')).toContain(id);
    for (const table of ['email_checks', 'email_batches', 'outbox_events', 'idempotency_keys'])
      expect((await textOf(table)).length, table).toBeGreaterThan(100);
    for (const table of tables) {
      const text = await textOf(table);
      for (const form of planted.flatMap(formsOf))
        expect(text.includes(form), `${form} in ${table}`).toBe(false);
    }
  });

  it('is decrypted in the responses of a service that has the key', async () => {
    const id = unique('opened');
    await project.authenticate({ id, email: `${id}@example.com`, metadata: { a: 1 } });
    expect((await project.rest('GET', `/account/${id}`)).body.account).toMatchObject({
      email: `${id}@example.com`,
      metadata: { a: 1 },
    });
  });

  it('cannot be decrypted from a copied row, and the response discloses nothing', async () => {
    const [id, thief] = [unique('victim'), unique('thief')];
    const email = `${unique('secret')}@example.com`;
    const { session_id: victims } = await project.authenticate({ id, email });
    const { session_id: own } = await project.authenticate({ id: thief });
    await system.query(
      `update accounts set personal = (select personal from accounts where account_id = $1) where account_id = $2`,
      [id, thief],
    );
    await system.query(
      `update sessions set result = (select result from sessions where session_id = $1) where session_id = $2`,
      [victims, own],
    );
    for (const answer of [
      await project.rest('GET', `/account/${thief}`),
      await project.rest('PUT', `/account/${thief}`, { username: 'x' }),
      await project.rest('GET', `/session/${own}`),
    ]) {
      expect(answer.body).toEqual({ statusCode: 500, code: expect.any(String), message: expect.any(String) });
      expect(answer.text).not.toMatch(/secret|decrypt|auth|cipher|sealed|accounts/i);
    }
    const { body } = await project.rawGraphql('query ($id: ID!) { account(accountId: $id) { email } }', {
      id: thief,
    });
    expect(body.errors[0].extensions.code).toBe('service.internal');
    expect(JSON.stringify(body)).not.toMatch(/secret|decrypt|cipher|sealed/i);
    expect((await project.rest('GET', `/account/${id}`)).body.account.email).toBe(email);
  });
});

describe('keyed hashes', () => {
  it('of search keys are equal within a project, and different in each project', async () => {
    const other = await gateway.project();
    const account = {
      email: 'ada@example.com',
      phone: '+14155552671',
      username: 'ada',
      first_name: 'Ada',
      last_name: 'L',
    };
    const facts = { browser_id: 'b', device_id: 'd', ip_address: '90.54.1.1' };
    const ids = [unique('one'), unique('two'), unique('three')];
    await project.authenticate({ id: ids[0], ...account }, facts);
    await project.authenticate({ id: ids[1], ...account }, facts);
    await other.authenticate({ id: ids[2], ...account }, facts);
    const hashes = await Promise.all(
      ids.map(async (id) => {
        const { rows } = await system.query(
          `select i.kind, encode(i.value_hash, 'hex') as hash from identifiers i
           join accounts a on a.project_id = i.project_id and a.id = i.account_id where a.account_id = $1
           order by i.kind, hash`,
          [id],
        );
        return rows.map(({ kind, hash }) => `${kind}:${hash}`);
      }),
    );
    expect(hashes[0]!.length).toBeGreaterThanOrEqual(8);
    expect(hashes[1]).toEqual(hashes[0]);
    expect(hashes[2]).toHaveLength(hashes[0]!.length);
    expect(hashes[2]!.filter((hash) => hashes[0]!.includes(hash))).toEqual([]);
  });

  it('of public device ids are equal within a project, and different in each project', async () => {
    const other = await gateway.project();
    const deviceIdOf = async (client: TestProject) => {
      const session = await client.session({ device_id: 'one device' });
      return (await client.rest('GET', `/session/${session}`)).body.device_id;
    };
    const id = await deviceIdOf(project);
    expect(id).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(await deviceIdOf(project)).toBe(id);
    expect(await deviceIdOf(other)).not.toBe(id);
  });
});

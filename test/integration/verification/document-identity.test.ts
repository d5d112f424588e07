import { hashedIdNumber } from '@vouchgraph/decisions/internals/account/merge-account';
import type { PersonalFields } from '@vouchgraph/persons';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { simulatedResult } from '@vouchgraph/verification/internals/simulated-result';
import type { DocumentJudgment } from '@vouchgraph/vision';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAccountByAccountId } from '../../../src/domain/accounts/account-store.ts';
import { decryptPersonal } from '../../../src/domain/model/decrypt-personal.ts';
import { type Body, type Gateway, startGateway, unique } from '../../support/gateway.ts';
import { bind, type FaceChecks, faceChecks } from '../../support/seen-faces.ts';
import { connectAs } from '../../support/sql.ts';
import { enroll, playedVerification, verifyId } from '../../support/verification.ts';

/*
 * Fields that the document of a bound check adds to its account: its date of birth and its number, for linking
 * only.
 */

const masterKey = generateMasterKey();
let gateway: Gateway;
let checks: FaceChecks;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  checks = await faceChecks(gateway, masterKey);
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

let people = 0;
/** A document with a unique number. */
function newDocument(over: Partial<DocumentJudgment['signals']> = {}) {
  people += 1;
  const idNumber = `D77${String(people).padStart(5, '0')}`;
  const { document } = simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: [] }, new Date());
  const { signals, data } = document!;
  const userData = { ...data.userData, idNumber, dateOfBirth: '06/15/1990' };
  return {
    idNumber,
    place: people * 10,
    document: { ...document!, signals: { ...signals, ...over }, data: { ...data, userData } },
  };
}

const completed = async (made: ReturnType<typeof newDocument>, query: Record<string, string> = {}) => {
  const row = await checks.waiting({ id: 'true', ...query });
  await checks.complete(row, made.place, { document: made.document });
  return row.session_id;
};
async function personalOf(accountId: string): Promise<PersonalFields> {
  const row = await findAccountByAccountId(checks.project.database, accountId);
  return decryptPersonal(checks.project, row!);
}
const numberOf = (idNumber: string) => ({
  ...hashedIdNumber({ type: 'driver_license', country: 'US', value: `CA ${idNumber}` }, (kind, value) =>
    checks.project.cipher.blindIndex(kind, value),
  ),
  fromDocument: true,
});
const shown = async (id: string): Promise<Body> =>
  (
    await checks.client.graphql(
      'query ($id: ID!) { account(accountId: $id) { dateOfBirth idNumbers { type country } } }',
      {
        id,
      },
    )
  ).account;

describe('the document of a check', () => {
  it.each<[string, (made: ReturnType<typeof newDocument>, account: string) => Promise<unknown>]>([
    ['made for the account', (made, account_id) => completed(made, { account_id })],
    ['bound afterwards', async (made, account) => bind(checks.client, await completed(made), account)],
    ['enrolled', async (made, account) => enroll(checks.client, await completed(made), account)],
    [
      'bound while it is processed',
      async (made, account) => {
        const row = await checks.waiting({ id: 'true' });
        await bind(checks.client, row.session_id, account);
        await checks.complete(row, made.place, { document: made.document });
      },
    ],
  ])(
    '%s sets the date of birth and number of the account, which no response contains',
    async (_how, give) => {
      const [account, plain] = [unique('documented'), unique('plain')];
      const made = newDocument();
      await give(made, account);
      expect(await personalOf(account)).toMatchObject({
        dateOfBirth: '',
        documentDateOfBirth: '1990-06-15',
        idNumbers: [numberOf(made.idNumber)],
      });
      expect(await shown(account)).toEqual({ dateOfBirth: null, idNumbers: [] });
      await checks.client.authenticate({ id: plain });
      const keysOf = async (id: string) =>
        Object.keys((await checks.client.rest('GET', `/account/${id}`)).body.account);
      expect(await keysOf(account)).toEqual(await keysOf(plain));
    },
  );

  it('is stored beside the value of the client, and remains when that is removed', async () => {
    const account = unique('both');
    const given = { type: 'tax_id', value: '12/345/67890', country: 'DE' };
    await checks.client.authenticate({ id: account, date_of_birth: '1990-06-16', identifiers: [given] });
    const [first, second] = [newDocument(), newDocument()];
    for (const made of [first, second]) await bind(checks.client, await completed(made), account);
    const documents = [numberOf(second.idNumber), numberOf(first.idNumber)];
    const { idNumbers, ...dates } = await personalOf(account);
    expect(dates).toMatchObject({ dateOfBirth: '1990-06-16', documentDateOfBirth: '1990-06-15' });
    expect(idNumbers.slice(1)).toEqual(documents);
    expect(await shown(account)).toEqual({
      dateOfBirth: '1990-06-16',
      idNumbers: [{ type: 'TAX_ID', country: 'DE' }],
    });
    await checks.client.rest('PUT', `/account/${account}`, { date_of_birth: '', identifiers: [] });
    expect(await personalOf(account)).toMatchObject({
      dateOfBirth: '',
      documentDateOfBirth: '1990-06-15',
      idNumbers: documents,
    });
  });

  it('with contradictions sets no date of birth', async () => {
    const account = unique('fake');
    const made = newDocument({ idValidity: 'likely_fake_id' });
    await completed(made, { account_id: account });
    expect(await personalOf(account)).toMatchObject({
      documentDateOfBirth: '',
      idNumbers: [numberOf(made.idNumber)],
    });
  });

  it('of a simulated check does not affect the account', async () => {
    const account = unique('simulated');
    const simulated = { id: 'true', simulate: 'success', simulate_decision: 'Real', account_id: account };
    const session = await playedVerification(gateway, checks.client, simulated);
    expect((await verifyId(checks.client, session)).body.document_data.user_data.date_of_birth).not.toBe('');
    expect(await personalOf(account)).toMatchObject({ documentDateOfBirth: '', idNumbers: [] });
  });

  it('is erased with the account', async () => {
    const account = unique('erased');
    const made = newDocument();
    const session = await completed(made, { account_id: account });
    const row = await findAccountByAccountId(checks.project.database, account);
    expect((await checks.client.rest('DELETE', `/account/${account}`)).status).toBe(200);
    expect((await verifyId(checks.client, session)).status).toBe(400);
    const { rows } = await system.query(
      'select 1 from identifiers where account_id = $1 union all select 1 from document_sightings where session_id = $2',
      [row!.id, session],
    );
    expect(rows).toEqual([]);
    await checks.client.authenticate({ id: account });
    expect(await personalOf(account)).toMatchObject({ documentDateOfBirth: '', idNumbers: [] });
  });
});

it('a number of a document that the client also sends is stored once', async () => {
  const account = unique('same');
  const made = newDocument();
  const stated = { type: 'driver_license', value: `CA ${made.idNumber}`, country: 'US' };
  await checks.client.authenticate({ id: account, identifiers: [stated] });
  expect((await bind(checks.client, await completed(made), account)).status).toBe(200);
  expect((await bind(checks.client, await completed(made), account)).status).toBe(200);
  expect(await shown(account)).toEqual({
    dateOfBirth: null,
    idNumbers: [{ type: 'DRIVER_LICENSE', country: 'US' }],
  });
  await checks.client.rest('PUT', `/account/${account}`, { identifiers: [] });
  expect((await personalOf(account)).idNumbers).toEqual([numberOf(made.idNumber)]);
});

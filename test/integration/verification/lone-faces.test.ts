import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { simulatedResult } from '@vouchgraph/verification/internals/simulated-result';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { bind, type FaceChecks, faceChecks } from '../../support/seen-faces.ts';

/* Effect of a search hit on accounts: a weak match alone, one person with a second piece of evidence. */
const masterKey = generateMasterKey();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ masterKey, settings: { DATABASE_POOL_SIZE: '4' } });
});
afterAll(() => gateway.close());

const setUp = () => faceChecks(gateway, masterKey);
const DEVICE = { canvas: 'a1', audio: 'b2', webgl: 'c3', fonts: 'd4' };
const OTHER_DEVICE = { canvas: 'z1', audio: 'y2', webgl: 'x3', fonts: 'w4' };
const { document } = simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: [] }, new Date());

const CHECK = `query ($id: ID!) { verification(sessionId: $id) { decision riskFlags contributions { flag value }
  assessments { reproducible } } }`;
async function checkOf(client: TestProject, session: string) {
  const { verification } = await client.graphql(CHECK, { id: session });
  const { decision, riskFlags, contributions, assessments } = verification;
  expect(assessments.every(({ reproducible }: Body) => reproducible)).toBe(true);
  const weight = contributions.find(({ flag }: Body) => flag === 'REPEAT_FACE')?.value ?? 0;
  return { decision, weight, isFraud: riskFlags.includes('KNOWN_FRAUD_FACE') as boolean };
}

const ACCOUNT = `query ($id: ID!) { account(accountId: $id) { decision identityGroup { size }
  linkedAccounts { edges { score matchTypes node { accountId } evidence { kind weight } } } } }`;
/** The link between two accounts, as returned by both, and whether they are one identity. */
async function pairOf(client: TestProject, one: string, other: string) {
  await gateway.app.recalculateLinks(client.projectId);
  const seen = async (id: string, linked: string) => {
    const { account } = await client.graphql(ACCOUNT, { id });
    const edge = account.linkedAccounts.edges.find(({ node }: Body) => node.accountId === linked);
    return { score: edge?.score ?? 0, kinds: edge?.matchTypes ?? [], size: account.identityGroup?.size ?? 1 };
  };
  const both = await Promise.all([seen(one, other), seen(other, one)]);
  expect(both[0]).toEqual(both[1]);
  return both[0];
}
const decisionOf = async (client: TestProject, id: string): Promise<string> =>
  (await client.graphql(ACCOUNT, { id })).account.decision;

const HINT = { decision: 'REAL', weight: 0.2, isFraud: false };
const HINTED_LINK = { score: 0.5, kinds: ['FACE'], size: 1 };

describe('a new account with the face of another account', () => {
  it.each(['at creation', 'while it is captured', 'after it'])(
    'is Real, linked with .5 and not the same identity: bound %s',
    async (when) => {
      const { client, checked, waiting, complete } = await setUp();
      const [stranger, newcomer] = [unique('stranger'), unique('newcomer')];
      await checked(0, { account_id: stranger }, DEVICE);
      const query: Record<string, string> = when === 'at creation' ? { account_id: newcomer } : {};
      const row = await waiting(query, OTHER_DEVICE);
      if (when === 'while it is captured') await bind(client, row.session_id, newcomer);
      await complete(row, 0);
      expect(await checkOf(client, row.session_id)).toEqual(HINT);
      if (when === 'after it') await bind(client, row.session_id, newcomer);
      expect(await checkOf(client, row.session_id)).toEqual(HINT);
      expect(await pairOf(client, stranger, newcomer)).toEqual(HINTED_LINK);
      for (const id of [stranger, newcomer]) expect(await decisionOf(client, id)).toBe('REAL');
      // Each further check of both is the same weak match, and does not change the link.
      for (const account_id of [stranger, newcomer, newcomer])
        expect(await checkOf(client, await checked(0, { account_id }))).toEqual(HINT);
      expect(await pairOf(client, stranger, newcomer)).toEqual(HINTED_LINK);
    },
  );

  it('can match several similar accounts that are not identical to each other', async () => {
    const { client, checked } = await setUp();
    const accounts = [unique('a'), unique('b'), unique('c'), unique('d')];
    for (const account_id of accounts) {
      const session = await checked(0, { account_id });
      expect(await checkOf(client, session)).toEqual(
        account_id === accounts[0] ? { ...HINT, weight: 0 } : HINT,
      );
    }
    for (const [at, one] of accounts.entries())
      for (const other of accounts.slice(at + 1))
        expect(await pairOf(client, one, other)).toEqual(HINTED_LINK);
    for (const account of accounts) expect(await decisionOf(client, account)).toBe('REAL');
  });

  it('is Suspicious from four such accounts on, and never Fake', async () => {
    const { client, checked } = await setUp();
    const decisions: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      const account_id = unique('alike');
      await checked(0, { account_id });
      decisions.push(await decisionOf(client, account_id));
    }
    expect(decisions).toEqual([...Array(4).fill('REAL'), ...Array(6).fill('SUSPICIOUS')]);
  });

  it('completes concurrently with the other account: one of the two has a weak match', async () => {
    const { client, waiting, complete } = await setUp();
    const [one, other] = [unique('one'), unique('other')];
    const rows = await Promise.all([waiting({ account_id: one }), waiting({ account_id: other })]);
    await Promise.all(rows.map((row) => complete(row, 0)));
    const checks = await Promise.all(rows.map(({ session_id }) => checkOf(client, session_id)));
    expect(checks.map(({ weight }) => weight).sort()).toEqual([0, 0.2]);
    expect(await pairOf(client, one, other)).toEqual(HINTED_LINK);
  });

  it('is not the same identity with a shared network and name either', async () => {
    const { client, checked } = await setUp();
    const [one, other] = [unique('one'), unique('other')];
    const facts = { ip_address: '90.54.1.1' };
    const name = { first_name: 'Marguerite', last_name: 'Delacroix' };
    for (const id of [one, other]) {
      await client.authenticate({ id, ...name }, facts);
      await checked(0, { account_id: id });
    }
    const pair = await pairOf(client, one, other);
    expect(pair).toMatchObject({ kinds: ['NETWORK', 'NAME', 'FACE'], size: 1 });
    expect(pair.score).toBeGreaterThan(0.7);
  });

  it('is not Fake when the other account is blocked', async () => {
    const { client, checked } = await setUp();
    const [blocked, newcomer] = [unique('blocked'), unique('newcomer')];
    await checked(0, { account_id: blocked });
    await client.rest('POST', `/list/block/account/${blocked}`);
    const session = await checked(0);
    expect(await checkOf(client, session)).toEqual(HINT);
    await bind(client, session, newcomer);
    expect(await checkOf(client, session)).toEqual(HINT);
    expect(await checkOf(client, await checked(0, { account_id: newcomer }))).toEqual(HINT);
    expect(await decisionOf(client, newcomer)).toBe('REAL');
  });
});

describe('a new account with the face and', () => {
  const FIELDS = {
    'a phone': { phone: '+14155552671' },
    'an email': { email: 'someone.else@acme-widgets.com' },
    'a username': { username: 'someone_else' },
  } as const;
  type Evidence = keyof typeof FIELDS | 'a device' | 'a document';
  const EVIDENCE: Evidence[] = ['a phone', 'an email', 'a username', 'a device', 'a document'];
  const ONE_PERSON = { score: 1, size: 2 };

  /** A completed check of an account that has the evidence, bound with its completion or afterwards. */
  async function come(
    { client, waiting, complete }: FaceChecks,
    account: string,
    evidence: Evidence,
    bindsAfter: boolean,
  ): Promise<string> {
    const fields = evidence in FIELDS ? FIELDS[evidence as keyof typeof FIELDS] : {};
    if (!bindsAfter) await client.authenticate({ id: account, ...fields });
    const query = {
      ...(evidence === 'a document' ? { id: 'true' } : {}),
      ...(bindsAfter ? {} : { account_id: account }),
    };
    const row = await waiting(query, evidence === 'a device' ? DEVICE : null);
    await complete(row, 0, evidence === 'a document' ? { document } : {});
    if (bindsAfter) {
      const body = { session_id: row.session_id, account: { id: account, ...fields } };
      expect((await client.rest('POST', '/session/authenticate', body)).status).toBe(200);
    }
    return row.session_id;
  }

  it.each(EVIDENCE.flatMap((evidence) => [false, true].map((bindsAfter) => ({ evidence, bindsAfter }))))(
    '$evidence of another account is the same person: bound afterwards $bindsAfter',
    async ({ evidence, bindsAfter }) => {
      const checks = await setUp();
      const { client } = checks;
      const [owner, newcomer] = [unique('owner'), unique('newcomer')];
      await come(checks, owner, evidence, false);
      const session = await come(checks, newcomer, evidence, bindsAfter);
      expect(await checkOf(client, session)).toMatchObject({ weight: 0.6, decision: 'SUSPICIOUS' });
      expect(await pairOf(client, owner, newcomer)).toMatchObject(ONE_PERSON);
      await client.rest('POST', `/list/block/account/${owner}`);
      const later = await come(checks, newcomer, evidence, false);
      expect(await checkOf(client, later)).toMatchObject({ decision: 'FAKE', isFraud: true });
    },
  );

  it.each(EVIDENCE)('%s in a concurrent check is the same person', async (evidence) => {
    const checks = await setUp();
    const { client } = checks;
    const accounts = [unique('one'), unique('other')];
    const sessions = await Promise.all(accounts.map((account) => come(checks, account, evidence, false)));
    const found = await Promise.all(sessions.map((session) => checkOf(client, session)));
    expect(found.map(({ weight }) => weight).sort()).toEqual([0, 0.6]);
    expect(await pairOf(client, accounts[0]!, accounts[1]!)).toMatchObject(ONE_PERSON);
  });

  it.each(
    (['a phone', 'an email'] as const).flatMap((evidence) =>
      (['before', 'afterwards', 'at creation'] as const).map((named) => ({ evidence, named })),
    ),
  )('$evidence of the same family is a weak match: bound $named', async ({ evidence, named }) => {
    const { client, checked, waiting, complete } = await setUp();
    const [owner, relative] = [unique('owner'), unique('relative')];
    const fields = FIELDS[evidence];
    await client.authenticate({ id: owner, first_name: 'Mara', ...fields });
    await checked(0, { account_id: owner });
    const own = { id: relative, first_name: 'Tobias', ...fields };
    if (named !== 'at creation') await client.authenticate(own);
    const row = await waiting(named === 'before' ? { account_id: relative } : {});
    await complete(row, 0);
    const body = { session_id: row.session_id, account: own };
    if (named !== 'before')
      expect((await client.rest('POST', '/session/authenticate', body)).status).toBe(200);
    expect(await checkOf(client, row.session_id)).toEqual(HINT);
    // 1 − .5 × .65: the face, and an identifier of a family.
    expect(await pairOf(client, owner, relative)).toMatchObject({ score: 0.675, size: 1 });
    // The name in the request counts, not the stored one.
    const later = await checked(0);
    const renamed = { session_id: later, account: { ...own, first_name: 'Mara' } };
    expect((await client.rest('POST', '/session/authenticate', renamed)).status).toBe(200);
    expect(await checkOf(client, later)).toMatchObject({ weight: 0.6 });
    expect(await pairOf(client, owner, relative)).toMatchObject(ONE_PERSON);
  });

  it('later and removed evidence: the link changes, the check does not', async () => {
    const { client, checked } = await setUp();
    const [owner, newcomer] = [unique('owner'), unique('newcomer')];
    await client.authenticate({ id: owner, ...FIELDS['a phone'] });
    await checked(0, { account_id: owner });
    const session = await checked(0, { account_id: newcomer });
    expect(await pairOf(client, owner, newcomer)).toEqual(HINTED_LINK);
    await client.rest('PUT', `/account/${newcomer}`, FIELDS['a phone']);
    expect(await pairOf(client, owner, newcomer)).toMatchObject(ONE_PERSON);
    expect(await checkOf(client, session)).toEqual(HINT);
    await client.rest('PUT', `/account/${newcomer}`, { phone: '' });
    expect(await pairOf(client, owner, newcomer)).toEqual(HINTED_LINK);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { type Caller, keyCaller, type PersonCaller, personCaller } from '../../support/person-calls.ts';
import { playedVerification } from '../../support/verification.ts';

/* A person that sees a value masked cannot find it by conditions on parts of it. Searching by the whole value is possible. */

const TEST = `query ($expression: String!, $sessionId: ID!) {
  testRule(expression: $expression, sessionId: $sessionId) { matched trace { outcome } } }`;
const REVEAL = 'mutation ($input: RevealInput!) { reveal(input: $input) { reveal { revealId } } }';
const END = 'mutation ($id: ID!) { endReveal(input: { revealId: $id }) { reveal { revealId } } }';

const id = unique('probed');
const other = unique('neighbor');
const email = `${unique('gwen').toLowerCase()}@probed-domain.example`;
const IP = '90.54.117.204';

let gateway: Gateway;
let project: TestProject;
let admin: PersonCaller;
let analyst: PersonCaller;
let key: Caller;
let session: string;
let check: string;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  admin = await personCaller(gateway, project, 'admin');
  analyst = await personCaller(gateway, project, 'analyst');
  key = keyCaller(gateway, project);
  const account = { id, email, date_of_birth: '1987-03-29', metadata: { plan: 'gold' } };
  session = (await project.authenticate(account, { ip_address: IP })).session_id;
  await project.authenticate({ id: other, email: 'nils@probed-domain.example' });
  check = await playedVerification(gateway, project, { id: 'true', simulate: 'success', account_id: id });
});
afterAll(() => gateway.close());

async function codeOf(who: Caller, expression: string, sessionId = session): Promise<string> {
  const { data, errors } = await who.raw(TEST, { expression, sessionId });
  return errors ? errors[0].extensions.code : `matched: ${data.testRule.matched}`;
}

/** Runs work while a person has revealed a subject. */
async function whileRevealed(subject: Body, work: () => Promise<void>): Promise<void> {
  const { reveal } = await admin.graphql(REVEAL, { input: { ...subject, reason: 'a test' } });
  try {
    await work();
  } finally {
    await admin.graphql(END, { id: reveal.reveal.revealId });
  }
}

describe('a test of a condition on a session', () => {
  const OF_ACCOUNT = [
    `account.email.email CONTAINS "${email.slice(0, 3)}"`,
    'account.num_sessions > 5 OR NOT account.email.domain CONTAINS "zzz"',
    'account.email.registrable_domain = "probed-domain.example"',
    'account.holder_age > 18',
    'account.metadata.plan CONTAINS "g"',
  ];
  const OF_SESSION = 'session.ip_address IN NETWORK "90.54.0.0/16"';
  const OF_DOCUMENT = 'verification.id_age >= 0';

  it('on personal data is refused for a person that has not revealed it, and answered to a key', async () => {
    for (const expression of [...OF_ACCOUNT, OF_SESSION]) {
      expect(await codeOf(key, expression), expression).toMatch(/^matched/);
      expect(await codeOf(admin, expression), expression).toBe('personal_data.not_revealed');
    }
    expect(await codeOf(admin, OF_DOCUMENT, check)).toBe('personal_data.not_revealed');
    expect(await codeOf(analyst, OF_ACCOUNT[0]!)).toBe('auth.forbidden');
    expect(await codeOf(admin, OF_ACCOUNT[0]!, crypto.randomUUID())).toBe('session.not_found');
  });

  it('on other data is answered', async () => {
    expect(await codeOf(admin, 'account.num_sessions >= 1 AND session.bot >= 0')).toBe('matched: true');
  });

  it('on personal data is answered during a reveal of its account', async () => {
    await whileRevealed({ accountId: id }, async () => {
      for (const expression of [...OF_ACCOUNT, OF_SESSION])
        expect(await codeOf(admin, expression), expression).toBe(await codeOf(key, expression));
      expect(await codeOf(admin, OF_ACCOUNT[0]!)).toBe('matched: true');
      expect(await codeOf(admin, OF_DOCUMENT, check)).toMatch(/^matched/);
    });
    expect(await codeOf(admin, OF_SESSION)).toBe('personal_data.not_revealed');
  });

  it('is answered on the data that a reveal of a session or of a verification shows', async () => {
    await whileRevealed({ sessionId: session }, async () => {
      expect(await codeOf(admin, OF_SESSION)).toBe('matched: true');
      expect(await codeOf(admin, OF_ACCOUNT[0]!)).toBe('personal_data.not_revealed');
    });
    await whileRevealed({ verificationId: check }, async () => {
      expect(await codeOf(admin, OF_DOCUMENT, check)).toMatch(/^matched/);
      expect(await codeOf(admin, OF_ACCOUNT[0]!, check)).toBe('personal_data.not_revealed');
    });
    await whileRevealed({ accountId: other }, async () => {
      expect(await codeOf(admin, OF_ACCOUNT[0]!)).toBe('personal_data.not_revealed');
    });
  });
});

describe('a search', () => {
  const idsOf = async (who: Caller, filter: Body): Promise<string[]> => {
    const document = `query ($filter: AccountFilter) { accounts(filter: $filter) { edges { node { accountId } } } }`;
    const { accounts } = await who.graphql(document, { filter });
    return accounts.edges.map(({ node }: Body) => node.accountId);
  };
  const SESSIONS = `query ($filter: SessionFilter, $id: ID!) {
    sessions(filter: $filter) { edges { node { sessionId network { ipAddress } } } totalCount { value } }
    account(accountId: $id) { sessions(filter: $filter) { edges { node { sessionId } } } } }`;

  it('finds accounts by whole values only, and shows them masked', async () => {
    for (const who of [admin, analyst]) {
      for (const filter of [{ email }, { search: email }]) expect(await idsOf(who, filter)).toEqual([id]);
      for (const search of [
        email.slice(0, -1),
        email.slice(1),
        'probed-domain.example',
        `${email.slice(0, 4)}%`,
      ])
        expect(await idsOf(who, { search }), search).toEqual([]);
    }
  });

  it('finds sessions by a whole address, and by a network only for keys', async () => {
    const read = (who: Caller, network: string) => who.raw(SESSIONS, { filter: { network }, id });
    for (const who of [admin, analyst]) {
      const { data } = await read(who, `${IP}/32`);
      expect(data.sessions.edges).toEqual([
        { node: { sessionId: session, network: { ipAddress: '90.•••' } } },
      ]);
      for (const network of ['90.54.117.0/24', '2001:db8:1:100::/56']) {
        const { errors } = await read(who, network);
        expect(errors.map(({ path, extensions }: Body) => [path[0], extensions.code])).toEqual(
          expect.arrayContaining([
            ['sessions', 'input.invalid'],
            ['account', 'input.invalid'],
          ]),
        );
      }
    }
    const { data } = await read(key, '90.54.117.0/24');
    expect(data.sessions.totalCount.value).toBe(1);
  });
});

describe('an answer that is stored for an Idempotency-Key', () => {
  const UPDATE =
    'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { account { email username } } }';
  const update = async (idempotencyKey: string, username: string) => {
    const body = { query: UPDATE, variables: { input: { accountId: id, username } } };
    return admin.rest('POST', '/graphql', body, { 'idempotency-key': idempotencyKey });
  };

  it('with data that a reveal showed is not repeated', async () => {
    const [name, username] = [unique('key'), unique('revealed')];
    await whileRevealed({ accountId: id }, async () => {
      const { body } = await update(name, username);
      expect(body.data.updateAccount.account).toEqual({ email, username });
    });
    const again = await update(name, username);
    expect(again.text).not.toContain(username);
    expect(again.text).not.toContain(email);
    expect(again.body.errors?.[0].extensions.code ?? again.body.code).toBe('idempotency.no_answer');
    const { account } = await key.graphql('query ($id: ID!) { account(accountId: $id) { username } }', {
      id,
    });
    expect(account.username).toBe(username);
  });

  it('without such data is repeated masked', async () => {
    const [name, username] = [unique('key'), unique('masked')];
    const first = await update(name, username);
    expect(first.body.data.updateAccount.account.email).toMatch(/•/);
    expect((await update(name, username)).text).toBe(first.text);
  });
});

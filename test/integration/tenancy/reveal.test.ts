import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  startOwnGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { type Caller, keyCaller, type PersonCaller, personCaller } from '../../support/person-calls.ts';
import { type Planted, plantPerson } from '../../support/planted-person.ts';
import { headOf } from '../../support/subscriptions.ts';
import { playedVerification } from '../../support/verification.ts';

/** What a reveal shows, to whom, and how it ends. */

const EMAIL = 'gwendolyn.blackwood@planted-domain.example';
const MASKED = 'g•••@p•••.example';
/** Less than the time after which a session without a request ends. */
const STEP_MS = 20 * 60_000;
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
let planted: Planted;
let analyst: PersonCaller;
let colleague: PersonCaller;

beforeAll(async () => {
  gateway = await startOwnGateway({ clock });
  project = await gateway.project();
  planted = await plantPerson(gateway, project);
  analyst = await personCaller(gateway, project, 'analyst');
  colleague = await personCaller(gateway, project, 'analyst');
}, 120_000);
afterAll(() => gateway.close());

const REVEAL = `mutation ($input: RevealInput!) { reveal(input: $input) {
  reveal { revealId subject accountId sessionId verificationId emailCheckId createdAt expiresAt account { email } } } }`;
const END = 'mutation ($id: ID!) { endReveal(input: { revealId: $id }) { reveal { revealId expiresAt } } }';

async function reveal(who: Caller, subject: Record<string, string>): Promise<Body> {
  const input = { ...subject, reason: 'chargeback of Gwendolyn' };
  return (await who.graphql(REVEAL, { input })).reveal.reveal;
}

const endAll = async (who: Caller) => {
  const { activeReveals } = await who.graphql('{ activeReveals { revealId } }');
  for (const { revealId } of activeReveals) await who.graphql(END, { id: revealId });
};

/** Values of the account by each way that leads to it. */
async function emailsOf(who: Caller): Promise<Body> {
  const data = await who.graphql(
    `query ($id: ID!, $session: ID!, $check: ID!, $emailCheck: ID!) {
      account(accountId: $id) { email emailFacts { email } lastSession { network { ipAddress } } }
      session(sessionId: $session) { network { ipAddress } }
      verification(sessionId: $check) { documentData { userData { lastName } } photoUrls { face } }
      emailCheck(id: $emailCheck) { email emailResult { mailbox { normalized } } }
      accounts(first: 10) { edges { node { accountId email } } } }`,
    {
      id: planted.account,
      session: planted.session,
      check: planted.check,
      emailCheck: planted.emailCheck,
    },
  );
  const friend = data.accounts.edges.find(({ node }: Body) => node.accountId === planted.friend);
  return {
    email: data.account.email,
    ofFacts: data.account.emailFacts.email,
    ofSession: data.session.network.ipAddress,
    ofDocument: data.verification.documentData?.userData.lastName,
    ofFace: data.verification.photoUrls.face,
    ofCheck: data.emailCheck.email,
    ofFriend: friend.node.email,
  };
}

/** Time passes, in which the persons send requests: otherwise their sessions end. */
async function pass(milliseconds: number): Promise<void> {
  for (let rest = milliseconds; rest > 0; rest -= STEP_MS) {
    clock.advance(Math.min(rest, STEP_MS));
    for (const person of [analyst, colleague]) await person.graphql('{ me { role } }');
  }
}

describe('a reveal', () => {
  it('of an account shows its fields, its sessions and its verifications, to one person', async () => {
    const before = await emailsOf(analyst);
    const made = await reveal(analyst, { accountId: planted.account });
    expect(made).toMatchObject({ subject: 'ACCOUNT', accountId: planted.account, account: { email: EMAIL } });
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(3_600_000);
    const after = await emailsOf(analyst);
    expect(before).toMatchObject({ email: MASKED, ofFacts: MASKED, ofSession: '90.•••', ofCheck: MASKED });
    expect(after).toMatchObject({ email: EMAIL, ofFacts: EMAIL, ofSession: '90.54.117.203' });
    expect(after.ofDocument).not.toContain('•••');
    // Neither email checks, nor images, nor another account with the same values.
    expect(after).toMatchObject({ ofCheck: MASKED, ofFace: null, ofFriend: MASKED });
    expect(await emailsOf(colleague)).toEqual(before);
    await endAll(analyst);
    expect(await emailsOf(analyst)).toEqual(before);
  });

  it('of a session, a verification or an email check shows only that', async () => {
    await reveal(analyst, { sessionId: planted.session });
    expect(await emailsOf(analyst)).toMatchObject({ email: MASKED, ofSession: '90.54.117.203' });
    await endAll(analyst);
    await reveal(analyst, { verificationId: planted.check });
    const ofCheck = await emailsOf(analyst);
    expect(ofCheck).toMatchObject({ email: MASKED, ofSession: '90.•••', ofFace: null });
    expect(ofCheck.ofDocument).not.toContain('•••');
    await endAll(analyst);
    await reveal(analyst, { emailCheckId: planted.emailCheck });
    expect(await emailsOf(analyst)).toMatchObject({ email: MASKED, ofCheck: EMAIL });
    await endAll(analyst);
  });

  it('ends after an hour', async () => {
    await reveal(analyst, { accountId: planted.account });
    await pass(3_599_000);
    expect((await emailsOf(analyst)).email).toBe(EMAIL);
    clock.advance(1_000);
    expect((await emailsOf(analyst)).email).toBe(MASKED);
    expect(await analyst.graphql('{ activeReveals { revealId } }')).toEqual({ activeReveals: [] });
  });

  it('requires the role analyst, one subject and a reason', async () => {
    const input = { accountId: planted.account, reason: 'chargeback' };
    const viewer = await personCaller(gateway, project, 'viewer');
    const key = keyCaller(gateway, project);
    for (const who of [viewer, key]) {
      const { errors } = await who.raw(REVEAL, { input });
      expect(errors[0].extensions.code).toBe('auth.forbidden');
    }
    for (const wrong of [
      { reason: 'x' },
      { ...input, sessionId: planted.session },
      { ...input, reason: ' ' },
      { ...input, reason: 'x'.repeat(501) },
    ]) {
      const { errors } = await analyst.raw(REVEAL, { input: wrong });
      expect(errors[0].extensions.code).toBe('input.invalid');
    }
    const other = await gateway.project();
    await other.authenticate({ id: 'theirs' });
    const unknown = [
      [{ accountId: 'theirs' }, 'account.not_found'],
      [{ accountId: 'nobody' }, 'account.not_found'],
      [{ sessionId: 'nothing' }, 'session.not_found'],
      [{ verificationId: crypto.randomUUID() }, 'verification.not_found'],
      [{ emailCheckId: crypto.randomUUID() }, 'email_check.not_found'],
    ] as const;
    for (const [subject, code] of unknown) {
      const { errors } = await analyst.raw(REVEAL, { input: { ...subject, reason: 'x' } });
      expect(errors[0].extensions.code).toBe(code);
    }
  });

  it('can be ended only by its person', async () => {
    const { revealId } = await reveal(analyst, { accountId: planted.account });
    const { errors } = await colleague.raw(END, { id: revealId });
    expect(errors[0].extensions.code).toBe('reveal.not_found');
    await analyst.graphql(END, { id: revealId });
    const again = await analyst.raw(END, { id: revealId });
    expect(again.errors[0].extensions.code).toBe('reveal.not_found');
  });

  it('is one of at most 100 of a person', async () => {
    for (let count = 0; count < 100; count += 1) await reveal(colleague, { sessionId: planted.session });
    const input = { sessionId: planted.session, reason: 'one more' };
    const { errors } = await colleague.raw(REVEAL, { input });
    expect(errors[0].extensions.code).toBe('reveal.too_many');
    await pass(3_600_000);
    expect(await colleague.graphql('{ activeReveals { revealId } }')).toEqual({ activeReveals: [] });
  });

  it('is recorded in the audit log, without the reason', async () => {
    await reveal(analyst, { accountId: planted.account });
    await endAll(analyst);
    const { auditLog } = await project.graphql(
      '{ auditLog(first: 2) { edges { node { action actor target after before } } } }',
    );
    // Both have the time of a clock that stands still.
    const entries = auditLog.edges.map(({ node }: Body) => node);
    const made = entries.find(({ action }: Body) => action === 'PERSONAL_DATA_REVEAL');
    const ended = entries.find(({ action }: Body) => action === 'PERSONAL_DATA_END_REVEAL');
    expect(made).toMatchObject({ actor: analyst.actor });
    expect(made.target).toMatch(/^account:[0-9a-f]{64}$|^account:[0-9a-f]{32}$/);
    expect(ended).toMatchObject({ target: made.target });
    expect(JSON.stringify(auditLog)).not.toContain('Gwendolyn');
  });
});

it('the export of an account contains its reveals, with person, time and reason', async () => {
  const account = unique('exported');
  const { session_id: session } = await project.authenticate(
    { id: account },
    { ip_address: '90.54.117.205' },
  );
  const check = await playedVerification(gateway, project, { simulate: 'success', account_id: account });
  const subjects: Record<string, string>[] = [
    { accountId: account },
    { sessionId: session },
    { verificationId: check },
  ];
  for (const subject of subjects) await reveal(analyst, subject);
  const document = `mutation ($id: ID!) { exportAccount(input: { accountId: $id }) { records { section data } } }`;
  const recordsOf = async (who: Caller): Promise<Body[]> => {
    const { records } = (await who.graphql(document, { id: account })).exportAccount;
    return records.filter(({ section }: Body) => section === 'REVEALS').map(({ data }: Body) => data);
  };
  const records = await recordsOf(keyCaller(gateway, project));
  const common = {
    personId: analyst.actor.replace('person:', ''),
    reason: 'chargeback of Gwendolyn',
    createdAt: clock.now().toISOString(),
  };
  expect(records).toHaveLength(3);
  expect(records).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...common, subject: 'account', subjectId: null }),
      expect.objectContaining({ ...common, subject: 'session', subjectId: session }),
      expect.objectContaining({ ...common, subject: 'verification', subjectId: check }),
    ]),
  );
  const admin = await personCaller(gateway, project, 'admin');
  expect(JSON.stringify(await recordsOf(admin))).not.toContain('Gwendolyn');
  await endAll(analyst);
});

describe('subscriptions of a person', () => {
  const EVENTS = `subscription ($after: String) { changed: events(types: [ACCOUNT_UPDATED], after: $after) {
    accountId data ... on AccountUpdatedEvent { accountSnapshot { email } account { email } } } }`;
  const update = async (email: string) => {
    await project.rest('PUT', `/account/${planted.account}`, { email, username: email });
    await gateway.app.settleEvents();
  };

  it.each(['overSocket', 'overStream'] as const)(
    'are masked, apart from what the person revealed, and the end of a reveal reaches them: %s',
    async (protocol) => {
      // Earlier reveals ended before this subscription.
      clock.advance(1000);
      const after = await headOf(project);
      const open = (who: Caller) => who[protocol](EVENTS, { after });
      const [mine, theirs, ofKey] = [open(analyst), open(colleague), open(keyCaller(gateway, project))];
      await update('first@planted-domain.example');
      const [first] = await mine.until(1);
      expect(first.data.changed).toMatchObject({
        accountId: planted.account,
        accountSnapshot: { email: 'f•••@p•••.example' },
        account: { email: 'f•••@p•••.example' },
        data: { account: { email: 'f•••@p•••.example' } },
      });
      expect((await theirs.until(1))[0]).toEqual(first);
      const [clear] = await ofKey.until(1);
      expect(clear.data.changed.data.account.email).toBe('first@planted-domain.example');

      const { revealId } = await reveal(analyst, { accountId: planted.account });
      await update('second@planted-domain.example');
      const [, second] = await mine.until(2);
      expect(second.data.changed.data.account.email).toBe('second@planted-domain.example');
      expect(second.data.changed.accountSnapshot.email).toBe('second@planted-domain.example');
      const [, masked] = await theirs.until(2);
      expect(masked.data.changed.data.account.email).toBe('s•••@p•••.example');

      await analyst.graphql(END, { id: revealId });
      const [, , notice] = await mine.until(3);
      expect(notice).toEqual({
        data: { changed: null },
        extensions: { endedReveals: [{ revealId, subject: 'ACCOUNT', id: planted.account }] },
      });
      await update('third@planted-domain.example');
      const results = await mine.until(4);
      expect(results[3].data.changed.accountSnapshot.email).toBe('t•••@p•••.example');
      await ofKey.until(3);
      expect(await theirs.until(3)).toHaveLength(3);
      for (const each of [mine, theirs, ofKey]) each.stop();
    },
    120_000,
  );
});

describe('images of a verification', () => {
  const open = (who: Caller, path = `${planted.check}/face`) =>
    fetch(`${gateway.baseUrl}/media/of/${path}`, { headers: who.headers });
  const codeOf = async (answer: Response) => [answer.status, (await answer.json()).code];
  const NOT_REVEALED = [403, 'personal_data.not_revealed'];

  it('are opened by a person who revealed the verification or its account, and each opening is recorded', async () => {
    expect(await codeOf(await open(analyst))).toEqual(NOT_REVEALED);
    const subjects: Record<string, string>[] = [
      { accountId: planted.account },
      { verificationId: planted.check },
    ];
    for (const subject of subjects) {
      await reveal(analyst, subject);
      const image = await open(analyst);
      expect(image.status).toBe(200);
      expect(image.headers.get('content-type')).toMatch(/^image\//);
      expect((await image.bytes()).length).toBeGreaterThan(0);
      expect(await codeOf(await open(colleague))).toEqual(NOT_REVEALED);
      await endAll(analyst);
    }
    const { auditLog } = await project.graphql(
      '{ auditLog(first: 10, filter: { actions: [PERSONAL_DATA_OPEN_MEDIA] }) { edges { node { actor target after } } } }',
    );
    expect(auditLog.edges.map(({ node }: Body) => node)).toEqual(
      [1, 2].map(() => ({
        actor: analyst.actor,
        target: `verification:${planted.check}`,
        after: { kind: 'face', position: 0 },
      })),
    );
  });

  it('are unknown for an unknown verification and a missing file, and forbidden for keys', async () => {
    await reveal(analyst, { verificationId: planted.check });
    for (const unknown of [`${crypto.randomUUID()}/face`, 'x/face', `${planted.check}/face/7`])
      expect((await open(analyst, unknown)).status, unknown).toBe(404);
    await endAll(analyst);
    const path = `/media/of/${planted.check}/face`;
    expect((await project.rest('GET', path)).status).toBe(403);
    expect((await project.rest('GET', path, undefined, { 'x-api-key': '' })).status).toBe(401);
    expect((await project.rest('GET', `${path}s`)).status).toBe(404);
    expect((await project.rest('PUT', path, {})).status).toBe(405);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  startOwnGateway,
  TestClock,
  type TestProject,
} from '../../support/gateway.ts';
import { keyForTests, type PersonForTests, personForTests } from '../../support/person-for-tests.ts';
import { type Planted, plantPerson } from '../../support/planted-person.ts';

/** What a reveal shows, to whom, and how it ends. */

const EMAIL = 'gwendolyn.blackwood@planted-domain.example';
const MASKED = 'g•••@p•••.example';
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
let planted: Planted;
let analyst: PersonForTests;
let colleague: PersonForTests;

beforeAll(async () => {
  gateway = await startOwnGateway({ clock });
  project = await gateway.project();
  planted = await plantPerson(gateway, project);
  analyst = await personForTests(gateway, project, 'analyst');
  colleague = await personForTests(gateway, project, 'analyst');
}, 120_000);
afterAll(() => gateway.close());

const REVEAL = `mutation ($input: RevealInput!) { reveal(input: $input) {
  reveal { revealId subject accountId sessionId verificationId emailCheckId createdAt expiresAt account { email } } } }`;
const END = 'mutation ($id: ID!) { endReveal(input: { revealId: $id }) { reveal { revealId expiresAt } } }';

async function reveal(who: PersonForTests, subject: Record<string, string>): Promise<Body> {
  const input = { ...subject, reason: 'chargeback of Gwendolyn' };
  return (await who.graphql(REVEAL, { input })).reveal.reveal;
}

const endAll = async (who: PersonForTests) => {
  const { activeReveals } = await who.graphql('{ activeReveals { revealId } }');
  for (const { revealId } of activeReveals) await who.graphql(END, { id: revealId });
};

/** Values of the account by each way that leads to it. */
async function emailsOf(who: PersonForTests): Promise<Body> {
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
    clock.advance(3_599_000);
    expect((await emailsOf(analyst)).email).toBe(EMAIL);
    clock.advance(1_000);
    expect((await emailsOf(analyst)).email).toBe(MASKED);
    expect(await analyst.graphql('{ activeReveals { revealId } }')).toEqual({ activeReveals: [] });
  });

  it('requires the role analyst, one subject and a reason', async () => {
    const input = { accountId: planted.account, reason: 'chargeback' };
    const viewer = await personForTests(gateway, project, 'viewer');
    const key = await keyForTests(gateway, project);
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
    clock.advance(3_600_000);
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
    expect(made).toMatchObject({ actor: analyst.viewer.actor });
    expect(made.target).toMatch(/^account:[0-9a-f]{64}$|^account:[0-9a-f]{32}$/);
    expect(ended).toMatchObject({ target: made.target });
    expect(JSON.stringify(auditLog)).not.toContain('Gwendolyn');
  });
});

describe('subscriptions of a person', () => {
  const EVENTS = `subscription { changed: events(types: [ACCOUNT_UPDATED]) {
    accountId data ... on AccountUpdatedEvent { accountSnapshot { email } account { email } } } }`;
  const update = async (email: string) => {
    await project.rest('PUT', `/account/${planted.account}`, { email, username: email });
    await gateway.app.settleEvents();
  };

  it('are masked, apart from what the person revealed, and the end of a reveal reaches them', async () => {
    const mine = await analyst.subscribe(EVENTS);
    const theirs = await colleague.subscribe(EVENTS);
    const ofKey = await (await keyForTests(gateway, project)).subscribe(EVENTS);
    await update('first@planted-domain.example');
    await expect.poll(() => mine.results.length).toBe(1);
    expect(mine.results[0].data.changed).toMatchObject({
      accountId: planted.account,
      accountSnapshot: { email: 'f•••@p•••.example' },
      account: { email: 'f•••@p•••.example' },
      data: { account: { email: 'f•••@p•••.example' } },
    });
    await expect.poll(() => theirs.results.length).toBe(1);
    await expect.poll(() => ofKey.results.length).toBe(1);
    expect(theirs.results[0]).toEqual(mine.results[0]);
    expect(ofKey.results[0].data.changed.data.account.email).toBe('first@planted-domain.example');

    const { revealId } = await reveal(analyst, { accountId: planted.account });
    await update('second@planted-domain.example');
    await expect.poll(() => mine.results.length).toBe(2);
    expect(mine.results[1].data.changed.data.account.email).toBe('second@planted-domain.example');
    expect(mine.results[1].data.changed.accountSnapshot.email).toBe('second@planted-domain.example');
    await expect.poll(() => theirs.results.length).toBe(2);
    expect(theirs.results[1].data.changed.data.account.email).toBe('s•••@p•••.example');

    // Read once more before it ends.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await analyst.graphql(END, { id: revealId });
    await expect.poll(() => mine.results.length, { timeout: 10_000 }).toBe(3);
    expect(mine.results[2]).toEqual({
      data: { changed: null },
      extensions: { endedReveals: [{ revealId, subject: 'ACCOUNT', id: planted.account }] },
    });
    await update('third@planted-domain.example');
    await expect.poll(() => mine.results.length).toBe(4);
    expect(mine.results[3].data.changed.accountSnapshot.email).toBe('t•••@p•••.example');
    await expect.poll(() => ofKey.results.length).toBe(3);
    expect(theirs.results).toHaveLength(3);
    for (const each of [mine, theirs, ofKey]) each.stop();
  }, 60_000);
});

describe('images of a verification', () => {
  const ask = { sessionId: '', kind: 'face', position: 0 } as const;
  const open = (who: PersonForTests, asked: Partial<Body> = {}) =>
    gateway.app.parts.domain.services.reveals.openMedia(who.viewer, crypto.randomUUID(), {
      ...ask,
      sessionId: planted.check,
      ...asked,
    });

  it('are opened by a person who revealed the verification or its account, and each opening is recorded', async () => {
    await expect(open(analyst)).rejects.toMatchObject({ code: 'personal_data.not_revealed' });
    const subjects: Record<string, string>[] = [
      { accountId: planted.account },
      { verificationId: planted.check },
    ];
    for (const subject of subjects) {
      await reveal(analyst, subject);
      const image = (await open(analyst))!;
      expect(image.contentType).toMatch(/^image\//);
      await image.close();
      await expect(open(colleague)).rejects.toMatchObject({ code: 'personal_data.not_revealed' });
      await endAll(analyst);
    }
    const { auditLog } = await project.graphql(
      '{ auditLog(first: 10, filter: { actions: [PERSONAL_DATA_OPEN_MEDIA] }) { edges { node { actor target after } } } }',
    );
    expect(auditLog.edges.map(({ node }: Body) => node)).toEqual(
      [1, 2].map(() => ({
        actor: analyst.viewer.actor,
        target: `verification:${planted.check}`,
        after: { kind: 'face', position: 0 },
      })),
    );
  });

  it('are null for an unknown verification and a missing file, and forbidden for keys', async () => {
    await reveal(analyst, { verificationId: planted.check });
    expect(await open(analyst, { sessionId: crypto.randomUUID() })).toBeNull();
    expect(await open(analyst, { sessionId: 'x' })).toBeNull();
    expect(await open(analyst, { position: 7 })).toBeNull();
    await endAll(analyst);
    const path = `/media/of/${planted.check}/face`;
    expect((await project.rest('GET', path)).status).toBe(403);
    expect((await project.rest('GET', path, undefined, { 'x-api-key': '' })).status).toBe(401);
    expect((await project.rest('GET', `${path}s`)).status).toBe(404);
    expect((await project.rest('PUT', path, {})).status).toBe(405);
  });
});

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEntries } from '../../support/audit.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { type Browser, openBrowser, PASSWORD, signedIn } from '../../support/people.ts';

/** People of a project as its administrators manage them, over HTTP with cookies. */

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startOwnGateway();
});
afterAll(() => gateway.close());

type Admin = Browser & { email: string };

const ME = '{ me { personId role projects { project { projectId } } } }';
const INVITE = `mutation ($input: InvitePersonInput!) { invitePerson(input: $input) {
  requestId person { personId role } invitation { invitationId email name role createdBy } link { link expiresAt } } }`;
const LIST = `{ people { personId name email role roleProvider twoFactorEnabled disabledAt signedInAt }
  invitations { invitationId email role createdBy } }`;
const CHANGES = {
  role: 'mutation ($id: ID!, $role: PersonRole!) { setPersonRole(input: { personId: $id, role: $role }) { person { role } } }',
  remove: 'mutation ($id: ID!) { removePerson(input: { personId: $id }) { person { email } } }',
  reset: 'mutation ($id: ID!) { resetPerson(input: { personId: $id }) { link { link } } }',
  disable: 'mutation ($id: ID!) { disablePerson(input: { personId: $id }) { person { disabledAt } } }',
  enable: 'mutation ($id: ID!) { enablePerson(input: { personId: $id }) { person { disabledAt } } }',
  erase: 'mutation ($id: ID!) { erasePerson(input: { personId: $id }) { person { email } } }',
  withdraw:
    'mutation ($id: ID!) { withdrawInvitation(input: { invitationId: $id }) { invitation { email } } }',
};
type Change = keyof typeof CHANGES;

/** A new project with a signed-in administrator. */
async function newProject(): Promise<{ project: TestProject; projectId: string; admin: Admin }> {
  const project = await gateway.project();
  const { projectId } = project;
  return { project, projectId, admin: await signedIn(gateway, projectId, 'admin') };
}

const idOf = async (person: Browser): Promise<string> => (await person.graphql(ME)).body.data.me.personId;
const ask = async (who: Browser, change: Change, id: string, more: Body = {}, projectId?: string) =>
  (await who.graphql(CHANGES[change], { id, ...more }, projectId)).body;
const codeOf = (body: Body) => body.errors?.[0]?.extensions.code;
const invite = async (who: Browser, input: Body, projectId?: string): Promise<Body> =>
  (await who.graphql(INVITE, { input }, projectId)).body;
const newEmail = () => `${unique('ada')}@example.com`;
const list = async (who: Browser, projectId?: string): Promise<Body> =>
  (await who.graphql(LIST, {}, projectId)).body.data;

async function enter(link: string, password = PASSWORD): Promise<Browser & { status: number; body: Body }> {
  const browser = openBrowser(gateway.baseUrl);
  const entered = { secret: new URL(link).hash.slice(1), name: 'Ada Lovelace', password };
  const { status, body } = await browser.auth('POST', '/accept-invitation', entered);
  return { ...browser, status, body };
}

/** Invites a person who has entered another project before, and who accepts while signed in. */
async function join(admin: Browser, person: Admin, role: string): Promise<void> {
  const { data } = await invite(admin, { email: person.email, name: 'Ada', role });
  const secret = new URL(data.invitePerson.link.link).hash.slice(1);
  const { status, text } = await person.auth('POST', '/accept-invitation', { secret });
  if (status !== 200) throw new Error(`${status} ${text}`);
}

/** Entries of the audit log about people, the oldest first. */
async function entriesOf(project: TestProject): Promise<Body[]> {
  const entries = await auditEntries(project);
  return entries.filter(({ action }) => action.startsWith('PERSON_')).reverse();
}

describe('an invitation', () => {
  it('is listed until a person enters by its link, and both are recorded without the email', async () => {
    const { project, projectId, admin } = await newProject();
    const email = newEmail();
    const { data } = await invite(admin, { email: email.toUpperCase(), name: 'Ada', role: 'ANALYST' });
    const { invitation, link, person } = data.invitePerson;
    const actor = `person:${await idOf(admin)}`;
    expect(person).toBeNull();
    expect(invitation).toMatchObject({ email, name: 'Ada', role: 'ANALYST', createdBy: actor });
    expect(link.link).toMatch(/^http:\/\/localhost:\d+\/console\/invitation#[\w-]{43}$/);
    expect((await list(admin)).invitations).toEqual([
      { invitationId: invitation.invitationId, email, role: 'ANALYST', createdBy: actor },
    ]);
    const entered = await enter(link.link);
    expect(entered.status).toBe(200);
    const personId = await idOf(entered);
    const { people, invitations } = await list(admin, projectId);
    expect(invitations).toEqual([]);
    expect(people.find((each: Body) => each.personId === personId)).toEqual({
      ...{ personId, name: 'Ada Lovelace', email, role: 'ANALYST', roleProvider: null },
      ...{ twoFactorEnabled: false, disabledAt: null, signedInAt: expect.any(String) },
    });
    const entries = await entriesOf(project);
    expect(
      entries
        .map(({ action, actor, role, target, after }) => [action, actor, role, target, after?.role])
        .slice(-2),
    ).toEqual([
      ['PERSON_INVITE', actor, 'admin', `invitation:${invitation.invitationId}`, 'analyst'],
      ['PERSON_ENTER', `person:${personId}`, null, `person:${personId}`, 'analyst'],
    ]);
    expect(entries.at(-2)).toMatchObject({ address: '127.0.0.1', requestId: data.invitePerson.requestId });
    expect(JSON.stringify(entries)).not.toContain(email);
  });

  it('of a person of the project gives the role at once', async () => {
    const { project, projectId, admin } = await newProject();
    const person = await signedIn(gateway, projectId, 'viewer');
    const { data } = await invite(admin, { email: person.email, name: 'Ada', role: 'ANALYST' });
    expect(data.invitePerson).toMatchObject({ person: { role: 'ANALYST' }, invitation: null, link: null });
    expect((await person.graphql(ME)).body.data.me.role).toBe('ANALYST');
    expect(await entriesOf(project)).toContainEqual(
      expect.objectContaining({
        action: 'PERSON_SET_ROLE',
        target: `person:${await idOf(person)}`,
        before: { role: 'viewer' },
        after: { role: 'analyst' },
      }),
    );
  });

  it('to another project is neither shown, nor withdrawn, nor replaced', async () => {
    const [ours, theirs] = [await newProject(), await newProject()];
    const email = newEmail();
    const invited = { email, name: 'Ada', role: 'VIEWER' };
    const first = (await invite(theirs.admin, invited)).data.invitePerson;
    const replaced = (await invite(ours.admin, invited)).data.invitePerson;
    const second = (await invite(ours.admin, { ...invited, role: 'ANALYST' })).data.invitePerson;
    expect((await list(ours.admin)).invitations).toMatchObject([{ role: 'ANALYST' }]);
    for (const id of [first.invitation.invitationId, 'nothing'])
      expect(codeOf(await ask(ours.admin, 'withdraw', id))).toBe('invitation.not_found');
    expect((await enter(replaced.link.link)).status).toBe(404);
    const entered = await enter(second.link.link);
    expect(entered.status).toBe(200);
    // The other link gives its role to the person who is signed in, and to nobody else.
    const stranger = await enter(first.link.link);
    expect([stranger.status, stranger.body.code]).toEqual([409, 'INVITATION_SIGN_IN_REQUIRED']);
    const elsewhere = await signedIn(gateway, theirs.projectId, 'viewer');
    const secret = new URL(first.link.link).hash.slice(1);
    const asOther = await elsewhere.auth('POST', '/accept-invitation', {
      secret,
      name: 'Ada',
      password: PASSWORD,
    });
    expect(asOther.status).toBe(409);
    expect((await entered.graphql(ME)).body.data.me.projects).toHaveLength(1);
    expect((await entered.auth('POST', '/accept-invitation', { secret })).status).toBe(200);
    expect((await entered.graphql(ME)).body.data.me.projects).toHaveLength(2);
    expect((await entered.auth('POST', '/accept-invitation', { secret })).status).toBe(404);
  });

  it('of an email that someone else entered with gives that person nothing', async () => {
    const [ours, theirs] = [await newProject(), await newProject()];
    const email = newEmail();
    // An administrator of another project enters with the email.
    const claimed = (await invite(theirs.admin, { email, name: 'Ada', role: 'VIEWER' })).data.invitePerson;
    const claimer = await enter(claimed.link.link);
    const { link, person } = (await invite(ours.admin, { email, name: 'Ada', role: 'ADMIN' })).data
      .invitePerson;
    expect([person, typeof link.link]).toEqual([null, 'string']);
    expect((await claimer.graphql(ME)).body.data.me.projects).toHaveLength(1);
    expect((await enter(link.link)).status).toBe(409);
    expect((await claimer.graphql(ME)).body.data.me.projects).toHaveLength(1);
  });

  it('ends with the role of the administrator who wrote it', async () => {
    const { projectId, admin } = await newProject();
    const removed = await signedIn(gateway, projectId, 'admin');
    const { link } = (await invite(removed, { email: newEmail(), name: 'Ada', role: 'ADMIN' })).data
      .invitePerson;
    await ask(admin, 'remove', await idOf(removed));
    expect((await enter(link.link)).status).toBe(404);
  });

  it('is not stored with the key of a repeated request', async () => {
    const { projectId, admin } = await newProject();
    const send = () =>
      fetch(`${gateway.baseUrl}/graphql`, {
        method: 'POST',
        headers: { ...admin.headers(projectId), 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ query: INVITE, variables: { input } }),
      });
    const [key, input] = [unique('key'), { email: newEmail(), name: 'Ada', role: 'VIEWER' }];
    const first = await send();
    expect([first.status, await first.text()]).toEqual([
      200,
      expect.stringContaining('/console/invitation#'),
    ]);
    const again = await send();
    expect([again.status, await again.text()]).toEqual([409, expect.not.stringContaining('invitation#')]);
  });

  it('is withdrawn: its link is unknown', async () => {
    const { project, admin } = await newProject();
    const { data } = await invite(admin, { email: newEmail(), name: 'Ada', role: 'VIEWER' });
    const { invitation, link } = data.invitePerson;
    const { invitationId } = invitation;
    expect((await ask(admin, 'withdraw', invitationId)).data.withdrawInvitation.invitation).toEqual({
      email: invitation.email,
    });
    expect((await enter(link.link)).status).toBe(404);
    expect(codeOf(await ask(admin, 'withdraw', invitationId))).toBe('invitation.not_found');
    expect((await entriesOf(project)).at(-1)).toMatchObject({
      action: 'PERSON_WITHDRAW_INVITATION',
      target: `invitation:${invitationId}`,
      before: { role: 'viewer' },
    });
  });

  it.each([
    [{ email: 'ada', name: 'Ada', role: 'VIEWER' }, 'email: must be an email address'],
    [{ email: 'ada@example.com', name: ' ', role: 'VIEWER' }, 'name: must not be empty'],
    [{ email: 'ada@example.com', name: 'x'.repeat(129), role: 'VIEWER' }, 'name: must be at most 128'],
  ])('with %j is rejected', async (input, message) => {
    const { admin } = await newProject();
    const body = await invite(admin, input);
    expect(codeOf(body)).toBe('input.invalid');
    expect(body.errors[0].message).toContain(message);
  });
});

describe('a role', () => {
  it('changes from the next request on, and is removed', async () => {
    const { project, projectId, admin } = await newProject();
    const person = await signedIn(gateway, projectId, 'viewer');
    const id = await idOf(person);
    expect((await ask(admin, 'role', id, { role: 'ADMIN' })).data.setPersonRole.person.role).toBe('ADMIN');
    expect((await person.graphql(ME)).body.data.me.role).toBe('ADMIN');
    expect((await ask(admin, 'remove', id)).data.removePerson.person.email).toBe(person.email);
    expect((await person.graphql(ME)).status).toBe(403);
    const entries = await entriesOf(project);
    expect(entries.slice(-2)).toMatchObject([
      {
        action: 'PERSON_SET_ROLE',
        target: `person:${id}`,
        before: { role: 'viewer' },
        after: { role: 'admin' },
      },
      { action: 'PERSON_REMOVE', target: `person:${id}`, before: { role: 'admin' }, after: null },
    ]);
    // A change without an effect writes no entry.
    await ask(admin, 'role', await idOf(admin), { role: 'ADMIN' });
    expect(await entriesOf(project)).toHaveLength(entries.length);
  });

  it('of the last administrator who is not disabled remains', async () => {
    const { projectId, admin } = await newProject();
    const id = await idOf(admin);
    const other = await signedIn(gateway, projectId, 'admin');
    await ask(admin, 'disable', await idOf(other));
    const answers = [
      await ask(admin, 'role', id, { role: 'ANALYST' }),
      await ask(admin, 'remove', id),
      await invite(admin, { email: admin.email, name: 'Ada', role: 'VIEWER' }),
    ];
    expect(answers.map(codeOf)).toEqual(answers.map(() => 'person.last_administrator'));
    expect((await admin.graphql(ME)).body.data.me.role).toBe('ADMIN');
  });

  it('of one of two administrators remains when they lower each other at the same moment', async () => {
    const { projectId, admin } = await newProject();
    const other = await signedIn(gateway, projectId, 'admin');
    const [id, otherId] = [await idOf(admin), await idOf(other)];
    const answers = await Promise.all([
      ask(admin, 'role', otherId, { role: 'VIEWER' }),
      ask(other, 'role', id, { role: 'VIEWER' }),
      ask(admin, 'remove', otherId),
      ask(other, 'remove', id),
    ]);
    expect(answers.filter((body) => codeOf(body) === undefined).length).toBeGreaterThan(0);
    const roles = await Promise.all(
      [admin, other].map(async (person) => (await person.graphql(ME)).body.data?.me?.role ?? null),
    );
    expect(roles.filter((role) => role === 'ADMIN')).toHaveLength(1);
  });
});

describe('a change in the whole installation', () => {
  it('resets a person by a link, and removes the former way to sign in', async () => {
    const { project, projectId, admin } = await newProject();
    const person = await signedIn(gateway, projectId, 'viewer');
    const id = await idOf(person);
    const { link } = (await ask(admin, 'reset', id)).data.resetPerson;
    expect((await person.graphql(ME)).status).toBe(401);
    const entered = await enter(link.link, 'a new password of Ada');
    expect(entered.status).toBe(200);
    expect(await idOf(entered)).toBe(id);
    expect((await entriesOf(project)).at(-1)).toMatchObject({
      action: 'PERSON_RESET',
      target: `person:${id}`,
      before: { role: 'viewer' },
      role: 'admin',
    });
  });

  it('disables and enables a person, and not oneself', async () => {
    const { project, projectId, admin } = await newProject();
    const person = await signedIn(gateway, projectId, 'viewer');
    const id = await idOf(person);
    expect((await ask(admin, 'disable', id)).data.disablePerson.person.disabledAt).not.toBeNull();
    expect((await person.graphql(ME)).status).toBe(401);
    expect((await ask(admin, 'enable', id)).data.enablePerson.person.disabledAt).toBeNull();
    for (const change of ['disable', 'erase'] as const)
      expect(codeOf(await ask(admin, change, await idOf(admin)))).toBe('person.is_self');
    const actions = (await entriesOf(project)).map(({ action }) => action);
    expect(actions.slice(-2)).toEqual(['PERSON_DISABLE', 'PERSON_ENABLE']);
  });

  it('needs an administrator of all projects of the person, and is recorded in each', async () => {
    const [ours, theirs] = [await newProject(), await newProject()];
    const person = await signedIn(gateway, ours.projectId, 'viewer');
    const id = await idOf(person);
    await join(theirs.admin, person, 'ADMIN');
    for (const change of ['reset', 'disable', 'enable', 'erase'] as const) {
      const body = await ask(ours.admin, change, id);
      expect(codeOf(body)).toBe('person.in_other_projects');
      expect(JSON.stringify(body)).not.toContain(theirs.projectId);
    }
    await join(theirs.admin, ours.admin, 'ADMIN');
    expect(codeOf(await ask(ours.admin, 'disable', id, {}, ours.projectId))).toBeUndefined();
    for (const { project } of [ours, theirs]) {
      expect((await entriesOf(project)).at(-1)).toMatchObject({
        action: 'PERSON_DISABLE',
        target: `person:${id}`,
        actor: `person:${await idOf(ours.admin)}`,
        role: 'admin',
        address: '127.0.0.1',
      });
    }
  });

  it('is not possible for oneself: a stolen session gives no way to sign in again', async () => {
    const { admin } = await newProject();
    expect(codeOf(await ask(admin, 'reset', await idOf(admin)))).toBe('person.is_self');
  });

  it('does not erase what a person has left in a project of others', async () => {
    const [ours, theirs] = [await newProject(), await newProject()];
    const person = await signedIn(gateway, theirs.projectId, 'analyst');
    await person.graphql('mutation { createList(input: { name: "by the person" }) { requestId } }');
    await join(ours.admin, person, 'VIEWER');
    const id = await idOf(person);
    await ask(theirs.admin, 'remove', id);
    expect(codeOf(await ask(ours.admin, 'erase', id))).toBe('person.in_other_projects');
    const entries = await auditEntries(theirs.project);
    expect(entries.find(({ action }) => action === 'LIST_CREATE')).toMatchObject({ address: '127.0.0.1' });
  });

  it('a link to choose a password ends when the person enters a project that its author does not administer', async () => {
    const [ours, theirs] = [await newProject(), await newProject()];
    const person = await signedIn(gateway, ours.projectId, 'viewer');
    const id = await idOf(person);
    const { link } = (await ask(ours.admin, 'reset', id)).data.resetPerson;
    await person.auth('POST', '/sign-in/email', { email: person.email, password: PASSWORD });
    await join(theirs.admin, person, 'ADMIN');
    expect((await enter(link.link, 'a password of the administrator')).status).toBe(404);
  });

  it('erases a person: what remains is the id in the audit log', async () => {
    const { project, projectId, admin } = await newProject();
    const person = await signedIn(gateway, projectId, 'admin');
    const id = await idOf(person);
    await invite(person, { email: newEmail(), name: 'Ada', role: 'VIEWER' });
    expect((await ask(admin, 'erase', id)).data.erasePerson.person.email).toBe(person.email);
    expect((await person.graphql(ME)).status).toBe(401);
    const entries = await entriesOf(project);
    const own = entries.filter(({ actor }) => actor === `person:${id}`);
    expect(own.map(({ action, address }) => [action, address])).toEqual([
      ['PERSON_ENTER', null],
      ['PERSON_INVITE', null],
    ]);
    expect(entries.at(-1)).toMatchObject({ action: 'PERSON_DELETE', target: `person:${id}`, role: 'admin' });
    expect(JSON.stringify(await list(admin))).not.toContain(person.email);
    expect(codeOf(await ask(admin, 'erase', id))).toBe('person.not_found');
  });
});

it('the snippet of docs/people.md invites a person', async () => {
  const { admin } = await newProject();
  const [, snippet] = /administration\.test\.ts -->\n```graphql\n([\s\S]*?)```/.exec(
    await readFile(new URL('../../../docs/people.md', import.meta.url), 'utf8'),
  )!;
  const { invitePerson } = (await admin.graphql(snippet!)).body.data;
  expect((await enter(invitePerson.link.link)).status).toBe(200);
});

describe('people of a project', () => {
  it('look missing to administrators of other projects', async () => {
    const [ours, theirs] = [await newProject(), await newProject()];
    const foreign = await idOf(theirs.admin);
    const unknown = crypto.randomUUID();
    for (const change of ['role', 'remove', 'reset', 'disable', 'enable', 'erase'] as const) {
      const [ofForeign, ofUnknown, ofText] = await Promise.all(
        [foreign, unknown, 'nobody'].map((id) => ask(ours.admin, change, id, { role: 'VIEWER' })),
      );
      expect(codeOf(ofForeign!)).toBe('person.not_found');
      expect(ofForeign!.errors[0].message).toBe(ofUnknown!.errors[0].message);
      expect(ofText!.errors[0].message).toBe(ofUnknown!.errors[0].message);
    }
    expect(JSON.stringify(await list(ours.admin))).not.toContain(theirs.admin.email);
  });

  it('are neither read nor changed by keys, viewers and analysts', async () => {
    const { project, projectId } = await newProject();
    const analyst = await signedIn(gateway, projectId, 'analyst');
    for (const query of ['{ people { email } }', '{ invitations { email } }']) {
      expect(codeOf((await analyst.graphql(query)).body)).toBe('auth.forbidden');
      await expect(project.graphql(query)).rejects.toThrow('No API key manages people');
    }
    const input = { email: newEmail(), name: 'Ada', role: 'ADMIN' };
    expect(codeOf(await invite(analyst, input))).toBe('auth.forbidden');
    await expect(project.graphql(INVITE, { input })).rejects.toThrow('No API key manages people');
  });
});

describe('the stored data of a person', () => {
  it('is read by the person alone, without secrets', async () => {
    const { projectId } = await newProject();
    const person = await signedIn(gateway, projectId, 'admin');
    await invite(person, { email: newEmail(), name: 'Ada', role: 'VIEWER' });
    const { storedData } = (await person.graphql('{ me { storedData } }')).body.data.me;
    expect(storedData).toMatchObject({
      personId: await idOf(person),
      name: 'Ada Lovelace',
      email: person.email,
      roles: [{ projectId, role: 'admin', provider: null }],
      sessions: [{ address: '127.0.0.1', method: 'password' }],
      waysToSignIn: [{ method: 'password' }],
      passkeys: [],
      invitations: [{ name: 'Ada Lovelace', createdBy: 'command line' }],
      auditEntries: [{ action: 'person.invite', address: '127.0.0.1' }, { action: 'person.enter' }],
    });
    const text = JSON.stringify(storedData);
    for (const secret of ['token', 'secret_hash', 'scrypt', 'backup']) expect(text).not.toContain(secret);
  });
});

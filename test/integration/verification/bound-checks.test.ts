import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { bind, eventsOf, faceChecks } from '../../support/seen-faces.ts';
import { connectAs } from '../../support/sql.ts';
import {
  createVerification,
  enroll,
  playedVerification,
  verifyFace,
  verifyId,
  verifyIdentity,
} from '../../support/verification.ts';

/* Sessions with a check that POST /session/authenticate binds: while the check is processed, and afterwards. */
const masterKey = generateMasterKey();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ masterKey, worksInBackground: false });
});
afterAll(() => gateway.close());

const COMPLETED = ['verification.id_check.completed', 'verification.face_check.completed'];
const YOUNG = {
  id: 'true',
  simulate: 'success',
  simulate_decision: 'Real',
  simulate_risk_flags: 'id_age_below_16',
};

async function makeRule(client: TestProject, over: Body = {}): Promise<void> {
  await client.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { requestId } }', {
    input: {
      name: 'too young',
      trigger: 'ID_CHECK_COMPLETED',
      expression: 'verification.id_age < 16',
      actions: [{ addToList: 'block' }],
      state: 'ENABLED',
      ...over,
    },
  });
}
/** Blocks by a face check without negative evidence. */
const byFace = (client: TestProject) =>
  makeRule(client, {
    name: 'any face',
    trigger: 'FACE_CHECK_COMPLETED',
    expression: 'verification.risk_score <= 1',
  });

const listsOf = async (client: TestProject, account: string): Promise<string[]> =>
  (await client.rest('GET', `/account/${account}`)).body.lists;
const triggered = (client: TestProject, session: string) =>
  eventsOf(gateway, client, session, ['rule.triggered']);
const completed = (client: TestProject, session: string) => eventsOf(gateway, client, session, COMPLETED);

/** A simulated session whose page was opened: it completes three seconds later, or when the test settles it. */
async function processing(client: TestProject, query: Record<string, string>): Promise<string> {
  const { body } = await createVerification(client, query);
  await (await fetch(body.session_url)).text();
  return body.session_id;
}

describe('a session that is bound while its check is processed', () => {
  it('applies the rules of the check to its account, and the completed event names it', async () => {
    const client = await gateway.project();
    await makeRule(client);
    const account = unique('young');
    const session = await processing(client, YOUNG);
    const answer = await bind(client, session, account);
    expect(answer.body).toMatchObject({ decision: expect.any(String), lists: [] });
    await gateway.app.settleVerifications(client.projectId);

    expect(await listsOf(client, account)).toEqual(['block']);
    expect((await triggered(client, session)).map(({ data }) => [data.account_id, data.rule])).toEqual([
      [account, 'too young'],
    ]);
    const events = await completed(client, session);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      accountId: account,
      data: {
        account_id: account,
        metadata: { account_id: account },
        decision: 'Fake',
        lists: ['block'],
        rules: ['too young'],
      },
    });
    expect((await verifyId(client, session)).body).toMatchObject({
      decision: 'Fake',
      lists: ['block'],
      metadata: { account_id: account },
    });
    expect((await client.rest('GET', `/account/${account}`)).body.num_sessions).toBe(1);
  });

  it('is enrolled for an account without a face when the decision by score is not Fake', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    const account = unique('enrolled');
    const row = await checks.waiting();
    expect((await bind(client, row.session_id, account)).status).toBe(200);
    await checks.complete(row, 0);
    const again = await checks.checked(0);
    expect((await verifyIdentity(client, again, account)).body).toMatchObject({ success: true, match: true });

    // The enrolled face remains.
    const other = await checks.waiting();
    await bind(client, other.session_id, account);
    await checks.complete(other, 9);
    expect((await verifyFace(client, other.session_id)).body.risk_flags).toContain('enrolled_face_mismatch');
    expect((await verifyIdentity(client, again, account)).body).toMatchObject({ match: true });

    const fake = unique('fake');
    const bad = await checks.waiting();
    await bind(client, bad.session_id, fake);
    await checks.complete(bad, 20, { isVirtualCamera: true, isRecaptured: true });
    expect((await verifyFace(client, bad.session_id)).body.decision).toBe('Fake');
    expect((await verifyIdentity(client, bad.session_id, fake)).body.error).toBe('account_not_enrolled');
  });

  it('keeps the account that the check was created for', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    const [first, second] = [unique('first'), unique('second')];
    const row = await checks.waiting({ account_id: first });
    expect((await bind(client, row.session_id, second)).status).toBe(200);
    await checks.complete(row, 0);
    expect((await completed(client, row.session_id))[0]).toMatchObject({
      accountId: first,
      data: { account_id: first },
    });
    expect((await verifyFace(client, row.session_id)).body.metadata.account_id).toBe(first);
    expect((await verifyIdentity(client, row.session_id, first)).body).toMatchObject({ match: true });
    expect((await verifyIdentity(client, row.session_id, second)).body.error).toBe('account_not_enrolled');
  });
});

describe('a check that fails after its session was bound', () => {
  const failed = (client: TestProject, session: string) =>
    eventsOf(gateway, client, session, ['verification.failed']);

  it('names the account in its event, which subscribers of the account receive', async () => {
    const client = await gateway.project();
    const account = unique('failed');
    const session = await processing(client, { simulate: 'liveness_check_failed' });
    expect((await bind(client, session, account)).status).toBe(200);
    await gateway.app.settleVerifications(client.projectId);
    expect(await failed(client, session)).toMatchObject([
      {
        accountId: account,
        data: {
          account_id: account,
          metadata: { account_id: account },
          error_message: 'liveness_check_failed',
        },
      },
    ]);
    const { events } = await client.graphql(
      'query ($id: ID!) { events(accountId: $id, types: [VERIFICATION_FAILED]) { edges { node { sessionId account { accountId } } } } }',
      { id: account },
    );
    expect(events.edges).toEqual([{ node: { sessionId: session, account: { accountId: account } } }]);
    // Erased with the account, although the check was created without one.
    expect((await client.rest('DELETE', `/account/${account}`)).status).toBe(200);
    expect(await failed(client, session)).toEqual([]);
  });

  it('names the account that it was created for, not another one that its session was bound to', async () => {
    const client = await gateway.project();
    const [first, second] = [unique('first'), unique('second')];
    const session = await processing(client, { simulate: 'liveness_check_failed', account_id: first });
    expect((await bind(client, session, second)).status).toBe(200);
    await gateway.app.settleVerifications(client.projectId);
    expect(await failed(client, session)).toMatchObject([
      { accountId: first, data: { metadata: { account_id: first } } },
    ]);
  });
});

it('rules also act on a second account that a session was bound to while its check was processed', async () => {
  const client = await gateway.project();
  await makeRule(client);
  const [first, second, erased] = [unique('first'), unique('second'), unique('erased')];
  const session = await processing(client, { ...YOUNG, account_id: first });
  for (const account of [second, erased]) expect((await bind(client, session, account)).status).toBe(200);
  expect((await client.rest('DELETE', `/account/${erased}`)).status).toBe(200);
  await gateway.app.settleVerifications(client.projectId);
  for (const account of [first, second]) expect(await listsOf(client, account)).toEqual(['block']);
  expect((await triggered(client, session)).map(({ data }) => data.account_id)).toEqual([first, second]);
  expect(await completed(client, session)).toMatchObject([{ accountId: first, data: { account_id: first } }]);
  expect((await client.rest('GET', `/account/${erased}`)).status).toBe(400);
});

it('rules also act on a second account that a gateway with a faster clock bound', async () => {
  const client = await gateway.project();
  await makeRule(client);
  const [first, second] = [unique('first'), unique('second')];
  const session = await processing(client, { ...YOUNG, account_id: first });
  await bind(client, session, second);
  await gateway.app.database.system.query(
    {
      name: 'test.bind_later',
      text: `update account_sessions set bound_at = bound_at + interval '2 seconds' where project_id = $1 and session_id = $2`,
    },
    [client.projectId, session],
  );
  await gateway.app.settleVerifications(client.projectId);
  expect((await triggered(client, session)).map(({ data }) => data.account_id)).toEqual([first, second]);
  expect(await listsOf(client, second)).toEqual(['block']);
});

it('a second account is evaluated by the rules of the check also when the gateway stops after storing the result', async () => {
  const client = await gateway.project();
  await makeRule(client);
  const [first, second] = [unique('first'), unique('second')];
  const session = await processing(client, { ...YOUNG, account_id: first });
  await bind(client, session, second);
  const owner = await connectAs(gateway.database, 'owner');
  try {
    await owner.query('create sequence stops');
    await owner.query('grant usage on sequence stops to public');
    await owner.query(
      `create function stop_once() returns trigger language plpgsql as $$ begin
         if (select count(*) from rule_matches m where m.session_id = new.session_id) = 1 and nextval('stops') = 1
         then raise exception 'stopped'; end if;
         return new;
       end $$`,
    );
    await owner.query(
      `create trigger stop_once before insert on rule_matches for each row
       when (new.session_id = '${session}') execute function stop_once()`,
    );
    await gateway.app.settleVerifications(client.projectId);
    const { rows } = await owner.query('select last_value::int as stops from stops');
    expect(rows).toEqual([{ stops: 2 }]);
  } finally {
    await owner.query('drop trigger if exists stop_once on rule_matches');
    await owner.end();
  }
  for (const account of [first, second]) expect(await listsOf(client, account)).toEqual(['block']);
  expect((await triggered(client, session)).map(({ data }) => data.account_id)).toEqual([first, second]);
  expect(await completed(client, session)).toHaveLength(1);
});

describe('a session that is bound after its check completed', () => {
  it('applies the rules of the check to its account; earlier events are unchanged', async () => {
    const client = await gateway.project();
    await makeRule(client);
    const account = unique('young');
    const session = await playedVerification(gateway, client, YOUNG);
    const before = await completed(client, session);
    expect(before).toMatchObject([{ accountId: null, data: { account_id: null, decision: 'Real' } }]);
    expect((await verifyId(client, session)).body).toMatchObject({ decision: 'Real', lists: [], rules: [] });

    expect((await bind(client, session, account)).body).toMatchObject({
      decision: 'Fake',
      lists: ['block'],
    });
    expect((await triggered(client, session)).map(({ data }) => [data.account_id, data.rule])).toEqual([
      [account, 'too young'],
    ]);
    expect(await eventsOf(gateway, client, session, ['account.authenticated'])).toHaveLength(1);
    expect(await completed(client, session)).toEqual(before);
    expect((await verifyId(client, session)).body).toMatchObject({
      decision: 'Fake',
      lists: ['block'],
      rules: ['too young'],
      metadata: { account_id: account },
    });
    // The stored decision follows from the findings of the check, and can be recomputed.
    const { account: found } = await client.graphql(
      'query ($id: ID!) { account(accountId: $id) { decisions(first: 1) { edges { node { id rules { name } } } } } }',
      { id: account },
    );
    const [{ node }] = found.decisions.edges;
    expect(node.rules).toEqual([{ name: 'too young' }]);
    const { replayDecision } = await client.graphql('query ($id: ID!) { replayDecision(id: $id) { same } }', {
      id: node.id,
    });
    expect(replayDecision.same).toBe(true);
  });

  it('changes nothing when it is bound again: rules act once, the session counts once', async () => {
    const client = await gateway.project();
    await makeRule(client);
    const account = unique('again');
    const session = await playedVerification(gateway, client, YOUNG);
    for (let times = 0; times < 3; times += 1)
      expect((await bind(client, session, account)).status).toBe(200);
    expect(await triggered(client, session)).toHaveLength(1);
    expect(await eventsOf(gateway, client, session, ['list.account_added'])).toHaveLength(1);
    expect((await client.rest('GET', `/account/${account}`)).body).toMatchObject({
      num_sessions: 1,
      lists: ['block'],
    });
  });

  it('adds its face and its links to the account, and enrolls nothing', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    const [one, two] = [unique('one'), unique('two')];
    const [first, second] = [await checks.checked(0), await checks.checked(0)];
    await bind(client, first, one);
    expect((await verifyIdentity(client, first, one)).body.error).toBe('account_not_enrolled');
    // The search finds the account of the face.
    const third = await checks.checked(0);
    expect((await verifyFace(client, third)).body.matches.accounts_linked).toEqual([
      {
        account_id: one,
        match_types: expect.arrayContaining(['face']),
        match_kinds: expect.arrayContaining(['face']),
      },
    ]);
    await bind(client, second, two);
    const { account } = await client.graphql(
      'query ($id: ID!) { account(accountId: $id) { linkedAccounts { edges { matchTypes node { accountId } } } } }',
      { id: two },
    );
    expect(account.linkedAccounts.edges).toEqual([
      { matchTypes: expect.arrayContaining(['FACE']), node: { accountId: one } },
    ]);
    // Enrollment is a separate request.
    expect((await enroll(client, first, one)).status).toBe(200);
    expect((await verifyIdentity(client, third, one)).body).toMatchObject({ match: true });
  });

  it('can be bound to a second account: rules apply to it, its face is not enrolled, and the check remains that of the first', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    const [first, second] = [unique('first'), unique('second')];
    const row = await checks.waiting({ account_id: first });
    await checks.complete(row, 0);
    await byFace(client);
    expect((await bind(client, row.session_id, second)).body).toMatchObject({
      decision: 'Fake',
      lists: ['block'],
    });
    expect((await triggered(client, row.session_id)).map(({ data }) => data.account_id)).toEqual([second]);
    expect((await verifyIdentity(client, row.session_id, second)).body.error).toBe('account_not_enrolled');
    expect((await verifyIdentity(client, row.session_id, first)).body).toMatchObject({ match: true });
    expect((await verifyFace(client, row.session_id)).body.metadata.account_id).toBe(first);
    expect((await enroll(client, row.session_id, second)).body.error).toBe(
      'session_already_tied_to_an_account',
    );
    expect((await client.rest('GET', `/session/${row.session_id}`)).body.account_ids).toEqual([
      first,
      second,
    ]);
  });

  it('is unchanged when the transaction fails in the middle, and is bound by a retry', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    await byFace(client);
    const account = unique('crashed');
    const session = await checks.checked(0);
    const owner = await connectAs(gateway.database, 'owner');
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      await owner.query(
        `create function fail_binding() returns trigger language plpgsql as $$ begin raise exception 'stopped'; end $$`,
      );
      await owner.query(
        `create trigger fail_binding before update on face_templates for each row
         when (new.session_id = '${session}') execute function fail_binding()`,
      );
      expect((await bind(client, session, account)).status).toBe(500);
      const { rows } = await system.query(
        `select v.bound_account_id, (select count(*)::int from account_sessions b where b.session_id = v.session_id) as bindings
         from verification_sessions v where v.session_id = $1`,
        [session],
      );
      expect(rows).toEqual([{ bound_account_id: null, bindings: 0 }]);
      expect((await client.rest('GET', `/account/${account}`)).status).toBe(400);
      expect(await triggered(client, session)).toEqual([]);
    } finally {
      await owner.query('drop trigger if exists fail_binding on face_templates');
      await owner.end();
      await system.end();
    }
    expect((await bind(client, session, account)).body).toMatchObject({ lists: ['block'] });
    expect(await triggered(client, session)).toHaveLength(1);
  });
});

describe('concurrent authenticate and completion', () => {
  /** Starts both, in this order, while the faces of the project are locked; then releases the lock. */
  async function inOrder(
    client: TestProject,
    begin: readonly (() => Promise<unknown>)[],
  ): Promise<unknown[]> {
    const owner = await connectAs(gateway.database, 'owner');
    const holder = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      await holder.query('begin');
      const { rows } = await holder.query(
        `select pg_backend_pid() as pid, pg_advisory_xact_lock(hashtextextended('faces ' || $1::text, 0))`,
        [client.projectId],
      );
      const work: Promise<unknown>[] = [];
      const waiting = async () =>
        (
          await owner.query(
            'select count(*)::int as n from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
            [rows[0].pid],
          )
        ).rows[0].n;
      for (const one of begin) {
        work.push(one());
        await expect.poll(waiting).toBe(work.length);
      }
      await holder.query('commit');
      return await Promise.all(work);
    } finally {
      await holder.end();
      await owner.end();
    }
  }

  it('with authenticate first: the completion reads the account', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    await byFace(client);
    const account = unique('bound first');
    const row = await checks.waiting();
    const [answer] = await inOrder(client, [
      () => bind(client, row.session_id, account),
      () => checks.complete(row, 0),
    ]);
    expect(answer).toMatchObject({ status: 200, body: { lists: [] } });
    expect(await listsOf(client, account)).toEqual(['block']);
    expect(await completed(client, row.session_id)).toMatchObject([{ accountId: account }]);
    expect(await triggered(client, row.session_id)).toHaveLength(1);
    expect((await verifyIdentity(client, row.session_id, account)).body).toMatchObject({ match: true });
  });

  it('with the completion first: authenticate reads its result', async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    await byFace(client);
    const account = unique('bound second');
    const row = await checks.waiting();
    const [, answer] = await inOrder(client, [
      () => checks.complete(row, 0),
      () => bind(client, row.session_id, account),
    ]);
    expect(answer).toMatchObject({ status: 200, body: { lists: ['block'] } });
    expect(await completed(client, row.session_id)).toMatchObject([
      { accountId: null, data: { account_id: null } },
    ]);
    expect(await triggered(client, row.session_id)).toHaveLength(1);
    expect((await verifyIdentity(client, row.session_id, account)).body.error).toBe('account_not_enrolled');
  });

  it('in any order, repeatedly: one of the two fires the rule, and no deadlock occurs', {
    timeout: 60_000,
  }, async () => {
    const checks = await faceChecks(gateway, masterKey);
    const { client } = checks;
    await byFace(client);
    for (let round = 0; round < 12; round += 1) {
      const account = unique('round');
      const row = await checks.waiting();
      const works = [
        () => bind(client, row.session_id, account),
        () => checks.complete(row, round * 3),
        () => bind(client, row.session_id, account),
      ];
      const begun = (round % 2 === 0 ? works : works.toReversed()).map((work) => work());
      await Promise.all(begun);
      expect(await listsOf(client, account), String(round)).toEqual(['block']);
      expect(await triggered(client, row.session_id)).toHaveLength(1);
      expect(await completed(client, row.session_id)).toHaveLength(1);
    }
  });
});

it('an authenticate of a session without a check sends no additional statement', async () => {
  const client = await gateway.project();
  const session_id = await client.session();
  gateway.takeStatements();
  await bind(client, session_id, unique('plain'));
  const names = gateway.takeStatements();
  expect(names.filter((name) => /verification|face|rollback/.test(name))).toEqual([]);
  expect(names.filter((name) => name === 'begin')).toHaveLength(1);
});

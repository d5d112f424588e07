import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { simulatedResult } from '@vouchgraph/verification/internals/simulated-result';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStatsRebuildService } from '../../../src/domain/stats/rebuild-service.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { bind, eventsOf, type FaceChecks, faceChecks } from '../../support/seen-faces.ts';
import {
  enroll,
  playedVerification,
  verifyFace,
  verifyId,
  verifyIdentity,
} from '../../support/verification.ts';

/* Effects of a face that was seen before, before and after its session is bound to an account. */
const masterKey = generateMasterKey();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
});
afterAll(() => gateway.close());

const setUp = () => faceChecks(gateway, masterKey);
const resultOf = async (client: TestProject, session: string): Promise<Body> => {
  const { status, body } = await verifyFace(client, session);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
/** The decision, the score and the flags of the verify response. */
const outcomeOf = async (client: TestProject, session: string): Promise<Body> => {
  const { decision, risk_score, risk_flags } = await resultOf(client, session);
  return [decision, risk_score, risk_flags];
};
const HARMLESS = ['Real', 0, []];
const SHOWN = ['Real', 0.2, ['repeat_face']];
const ELSEWHERE = ['Real', 0.1, ['repeat_face']];
const OTHER_ACCOUNT = ['Suspicious', 0.6, ['repeat_face']];
const KNOWN_FRAUD = ['Fake', 0.96, ['repeat_face', 'known_fraud_face']];

const assessmentsOf = async (client: TestProject, session: string): Promise<Body[]> =>
  (
    await client.graphql(
      `query ($id: ID!) { verification(sessionId: $id) { decision riskScore contributions { flag value } assessments {
         at decision riskScore riskFlags contributions { flag group value } weightsVersion reproducible } } }`,
      { id: session },
    )
  ).verification.assessments;
const block = (client: TestProject, account: string) => client.rest('POST', `/list/block/account/${account}`);
const DEVICE = { canvas: 'a1', audio: 'b2', webgl: 'c3', fonts: 'd4' };

describe('a returning person is Real', () => {
  type How = 'create' | 'while' | 'authenticate' | 'enroll';
  const HOWS: How[] = ['create', 'while', 'authenticate', 'enroll'];
  const cases = HOWS.flatMap((first) =>
    HOWS.flatMap((second) =>
      (['before the second check', 'in order', 'in reverse'] as const)
        // A session that is bound with its check cannot be bound later.
        .filter((when) => when === 'before the second check' || ![first, second].some(isWithCheck))
        .map((when) => [first, second, when] as const),
    ),
  );
  function isWithCheck(how: How) {
    return how === 'create' || how === 'while';
  }

  it.each(cases)('bound by %s, then by %s, %s', async (first, second, when) => {
    const checks = await setUp();
    const { client } = checks;
    const account = unique('person');
    const check = async (how: How) => {
      const row = await checks.waiting(how === 'create' ? { account_id: account } : {});
      if (how === 'while') expect((await bind(client, row.session_id, account)).status).toBe(200);
      await checks.complete(row, 0);
      expect((await resultOf(client, row.session_id)).decision).toBe('Real');
      return row.session_id;
    };
    const bound = async (session: string, how: How) => {
      if (how === 'authenticate') expect((await bind(client, session, account)).status).toBe(200);
      if (how === 'enroll')
        expect((await enroll(client, session, account)).body).toMatchObject({ success: true });
    };
    const one = await check(first);
    if (when === 'before the second check') await bound(one, first);
    const two = await check(second);
    const later = [
      ...(when === 'before the second check' ? [] : [() => bound(one, first)]),
      () => bound(two, second),
    ];
    for (const work of when === 'in reverse' ? later.toReversed() : later) await work();

    expect(await outcomeOf(client, one)).toEqual(HARMLESS);
    // Bound while the first one has no account, which is what it matched.
    expect(await outcomeOf(client, two)).toEqual(when === 'in reverse' ? ELSEWHERE : HARMLESS);
    // In any order, the face can be enrolled, and remains so.
    for (const session of [one, two, one])
      expect((await enroll(client, session, account)).body).toMatchObject({ success: true });
    expect((await verifyIdentity(client, two, account)).body).toMatchObject({ match: true });
    expect((await resultOf(client, two)).metadata.account_id).toBe(account);
    for (const each of await assessmentsOf(client, two)) expect(each.reproducible).toBe(true);
  });

  it('also without any account, any number of times', async () => {
    const { client, checked } = await setUp();
    expect(await outcomeOf(client, await checked(0))).toEqual(HARMLESS);
    for (let times = 0; times < 3; times += 1)
      expect(await outcomeOf(client, await checked(0))).toEqual(ELSEWHERE);
  });

  it('and repeats from unbound sessions have no weight for the account of the face', async () => {
    const { client, checked } = await setUp();
    const account = unique('vouched');
    await checked(0, { account_id: account });
    await checked(0);
    expect(await outcomeOf(client, await checked(0, { account_id: account }))).toEqual(HARMLESS);
  });
});

describe('a face without an account', () => {
  it('has no weight on the same device', async () => {
    const { client, checked } = await setUp();
    await checked(0, {}, DEVICE);
    expect(await outcomeOf(client, await checked(0, {}, DEVICE))).toEqual(HARMLESS);
    expect(await outcomeOf(client, await checked(0, {}, { ...DEVICE, canvas: 'zz' }))).toEqual(ELSEWHERE);
  });

  it('has no weight in the same browser', async () => {
    const { client, waiting, complete } = await setUp();
    const setBrowser = (session: string, browser: string) =>
      gateway.app.database.system.query(
        {
          name: 'test.set_browser',
          text: `update sessions set browser_hash = sha256($3::text::bytea) where project_id = $1 and session_id = $2`,
        },
        [client.projectId, session, browser],
      );
    const outcomes: Body[] = [];
    for (const browser of ['mine', 'mine', 'another']) {
      const row = await waiting();
      await setBrowser(row.session_id, browser);
      await complete(row, 0);
      outcomes.push(await outcomeOf(client, row.session_id));
    }
    expect(outcomes).toEqual([HARMLESS, HARMLESS, ELSEWHERE]);
  });

  it('has no weight when both have the same referring session, or one refers to the other', async () => {
    const { client, checked } = await setUp();
    const from = await client.session();
    const flagsOf = async (session: string) => (await resultOf(client, session)).risk_flags;
    const first = await checked(0, { referring_session_id: from });
    expect(await flagsOf(first)).not.toContain('repeat_face');
    const second = await checked(0, { referring_session_id: from });
    expect(await flagsOf(second)).not.toContain('repeat_face');
    const other = await checked(7);
    expect(await flagsOf(await checked(7, { referring_session_id: other }))).not.toContain('repeat_face');
    expect(await flagsOf(await checked(7, { referring_session_id: await client.session() }))).toContain(
      'repeat_face',
    );
  });
});

describe('a face of exactly one other account', () => {
  const oneOther = async (components?: Body) => {
    const checks = await setUp();
    const owner = unique('owner');
    await checks.checked(0, { account_id: owner }, components);
    const session = await checks.checked(0, {}, components);
    expect(await outcomeOf(checks.client, session)).toEqual(SHOWN);
    return { ...checks, owner, session };
  };

  it('is reported until the session is bound to that account', async () => {
    const { client, owner, session } = await oneOther();
    const emitted = await eventsOf(gateway, client, session, ['verification.face_check.completed']);
    expect(emitted).toMatchObject([{ data: { risk_score: 0.2, risk_flags: ['repeat_face'] } }]);
    for (let times = 0; times < 3; times += 1) await bind(client, session, owner);
    expect(await outcomeOf(client, session)).toEqual(HARMLESS);
    expect(await assessmentsOf(client, session)).toEqual([
      {
        at: expect.any(String),
        decision: 'REAL',
        riskScore: 0.2,
        riskFlags: ['REPEAT_FACE'],
        contributions: [{ flag: 'REPEAT_FACE', group: 'repeat', value: 0.2 }],
        weightsVersion: '3',
        reproducible: true,
      },
      {
        at: expect.any(String),
        decision: 'REAL',
        riskScore: 0,
        riskFlags: [],
        contributions: [],
        weightsVersion: '3',
        reproducible: true,
      },
    ]);
    expect(await eventsOf(gateway, client, session, ['verification.face_check.completed'])).toEqual(emitted);
  });

  it.each(['before', 'after'])(
    'is counted in statistics with the decision of the completion, bound %s it is counted',
    async (when) => {
      const { client, project, session } = await oneOther(DEVICE);
      if (when === 'after') await gateway.app.settleStats(client.projectId);
      await bind(client, session, unique('other'));
      expect(await outcomeOf(client, session)).toEqual(OTHER_ACCOUNT);
      const decisions = async () => {
        await gateway.app.settleStats(client.projectId);
        const { stats } = await client.graphql(
          'query ($since: DateTime!) { stats(by: DAY, since: $since) { total { faceChecks { decisions { real suspicious } } } } }',
          { since: new Date(Date.now() - 86_400_000) },
        );
        return stats.total.faceChecks.decisions;
      };
      expect(await decisions()).toEqual({ real: 2, suspicious: 0 });
      const { system } = gateway.app.database;
      const by = { kind: 'key', role: 'operator', actor: 'command line', limitKey: 'command line' } as const;
      await createStatsRebuildService({ system, clock: systemClock }).rebuild({ project, ...by });
      expect(await decisions()).toEqual({ real: 2, suspicious: 0 });
    },
  );

  it.each(['authenticate', 'enroll'])(
    'on one device weighs as two accounts when it is bound to another one (%s)',
    async (how) => {
      const { client, session, owner } = await oneOther(DEVICE);
      const other = unique('other');
      const work = how === 'enroll' ? enroll : bind;
      expect((await work(client, session, other)).status).toBe(200);
      expect(await outcomeOf(client, session)).toEqual(OTHER_ACCOUNT);
      expect(
        (await assessmentsOf(client, session)).map(({ decision, riskScore }) => [decision, riskScore]),
      ).toEqual([
        ['REAL', 0.2],
        ['SUSPICIOUS', 0.6],
      ]);
      const { verifications } = await client.graphql(
        'query { verifications(filter: { decision: SUSPICIOUS }, first: 10) { edges { node { sessionId } } } }',
      );
      expect(verifications.edges).toEqual([{ node: { sessionId: session } }]);
      // A second account has no further effect.
      await bind(client, session, owner);
      expect(await outcomeOf(client, session)).toEqual(OTHER_ACCOUNT);
      expect(await assessmentsOf(client, session)).toHaveLength(2);
    },
  );

  it.each(['authenticate', 'enroll'])(
    'remains a weak match when it is bound to another one (%s)',
    async (how) => {
      const { client, session } = await oneOther();
      const work = how === 'enroll' ? enroll : bind;
      expect((await work(client, session, unique('other'))).status).toBe(200);
      expect(await outcomeOf(client, session)).toEqual(SHOWN);
      expect(await assessmentsOf(client, session)).toHaveLength(1);
    },
  );

  it('is an input of rules when it is bound', async () => {
    const { client, session, owner, checked } = await oneOther();
    await client.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { requestId } }', {
      input: {
        name: 'two accounts',
        trigger: 'FACE_CHECK_COMPLETED',
        expression: 'verification.risk_flags contains "repeat_face"',
        actions: [{ addToList: 'block' }],
        state: 'ENABLED',
      },
    });
    expect((await bind(client, session, owner)).body.lists).toEqual([]);
    expect((await bind(client, await checked(0), unique('other'))).body.lists).toEqual(['block']);
  });

  it('weighs as two accounts immediately for a session that is created for another one', async () => {
    const { client, checked } = await oneOther(DEVICE);
    const other = { account_id: unique('other') };
    expect(await outcomeOf(client, await checked(0, other, DEVICE))).toEqual(OTHER_ACCOUNT);
    // The account has the device from then on, for any device of its next check.
    expect(await outcomeOf(client, await checked(0, other))).toEqual(OTHER_ACCOUNT);
    expect(await outcomeOf(client, await checked(0, { account_id: unique('stranger') }))).toEqual(SHOWN);
  });

  it('no longer counts when that account was erased', async () => {
    const { client, owner, session } = await oneOther();
    expect((await client.rest('DELETE', `/account/${owner}`)).status).toBe(200);
    expect((await bind(client, session, unique('other'))).status).toBe(200);
    expect(await outcomeOf(client, session)).toEqual(HARMLESS);
  });
});

it('a face of two other accounts on one device has the weight of a session with an account', async () => {
  const { client, checked } = await setUp();
  const [one, two] = [unique('one'), unique('two')];
  await checked(0, { account_id: one }, DEVICE);
  await checked(0, { account_id: two }, DEVICE);
  expect(await outcomeOf(client, await checked(0))).toEqual(SHOWN);
  const session = await checked(0, {}, DEVICE);
  expect(await outcomeOf(client, session)).toEqual(OTHER_ACCOUNT);
  await bind(client, session, one);
  expect(await outcomeOf(client, session)).toEqual(OTHER_ACCOUNT);
  expect(await assessmentsOf(client, session)).toHaveLength(1);
});

describe('a face of an account with known fraud', () => {
  it('counts for a person without an account, for any later binding of the session', async () => {
    const { client, checked } = await setUp();
    const blocked = unique('blocked');
    await checked(0, { account_id: blocked }, DEVICE);
    await block(client, blocked);
    const [first, second] = [await checked(0, {}, DEVICE), await checked(0, {}, DEVICE)];
    for (const session of [first, second]) expect(await outcomeOf(client, session)).toEqual(KNOWN_FRAUD);
    await bind(client, first, unique('fresh'));
    expect(await outcomeOf(client, first)).toEqual(KNOWN_FRAUD);
    await bind(client, second, blocked);
    expect(await outcomeOf(client, second)).toEqual(KNOWN_FRAUD);
  });

  it('counts when the account was blocked after the check, and not when it was unblocked', async () => {
    const { client, checked } = await setUp();
    const owner = unique('owner');
    await checked(0, { account_id: owner }, DEVICE);
    const session = await checked(0, {}, DEVICE);
    expect(await outcomeOf(client, session)).toEqual(SHOWN);
    await block(client, owner);
    const other = await checked(0, {}, DEVICE);
    expect(await outcomeOf(client, other)).toEqual(KNOWN_FRAUD);
    await client.rest('DELETE', `/list/block/account/${owner}`);
    await bind(client, other, owner);
    expect(await outcomeOf(client, other)).toEqual(HARMLESS);
    await block(client, owner);
    await bind(client, session, unique('fresh'));
    expect(await outcomeOf(client, session)).toEqual(KNOWN_FRAUD);
  });

  it('counts when the account was decided Fake, unless it is allowed', async () => {
    const checks = await setUp();
    const { client, checked } = checks;
    const account = unique('decided fake');
    const face = await checked(0, { account_id: account }, DEVICE);
    // Programs use the account from then on.
    const bot = { 'user-agent': 'python-requests/2.32.3' };
    let decided = '';
    for (let times = 0; times < 5 && decided !== 'Fake'; times += 1)
      decided = (await client.authenticate({ id: account }, { headers: bot })).decision;
    expect(decided).toBe('Fake');
    expect(await outcomeOf(client, await checked(0, {}, DEVICE))).toEqual(KNOWN_FRAUD);
    expect((await outcomeOf(client, face))[2]).toEqual([]);
    await client.rest('POST', `/list/allow/account/${account}`);
    expect(await outcomeOf(client, await checked(0, {}, DEVICE))).toEqual(SHOWN);
  });

  it('is a weak match by the face alone, until the session is bound to that account', async () => {
    const { client, checked } = await setUp();
    const blocked = unique('blocked');
    await checked(0, { account_id: blocked }, DEVICE);
    await block(client, blocked);
    const [stranger, returning] = [await checked(0, { account_id: unique('stranger') }), await checked(0)];
    for (const session of [stranger, returning]) expect(await outcomeOf(client, session)).toEqual(SHOWN);
    await bind(client, returning, blocked);
    // The account is blocked, and the session is its own.
    expect(await outcomeOf(client, returning)).toEqual(KNOWN_FRAUD);
  });
});

it('a document has the weight of its face, and its own weight with another face', async () => {
  const { client, waiting, complete } = await setUp();
  const document = simulatedResult(
    'id',
    { decision: 'Real', riskScore: 0, riskFlags: [] },
    new Date(),
  ).document;
  const checked = async (place: number, query: Record<string, string> = {}) => {
    const row = await waiting({ id: 'true', ...query });
    await complete(row, place, { document });
    return row.session_id;
  };
  const repeatsOf = async (session: string) => {
    const { verification } = await client.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { contributions { flag value } } }',
      { id: session },
    );
    return verification.contributions.filter(({ flag }: Body) => flag.startsWith('REPEAT_'));
  };
  const of = (value: number) => [
    { flag: 'REPEAT_FACE', value },
    { flag: 'REPEAT_ID', value },
  ];
  const account = unique('documented');
  expect(await repeatsOf(await checked(0))).toEqual([]);
  expect(await repeatsOf(await checked(0))).toEqual(of(0.1));
  await checked(0, { account_id: account });
  const again = await checked(0);
  expect(await repeatsOf(again)).toEqual(of(0.2));
  await bind(client, again, account);
  expect(await repeatsOf(again)).toEqual([]);
  expect(await repeatsOf(await checked(9))).toEqual([{ flag: 'REPEAT_ID', value: 0.6 }]);
});

describe('a document with other faces in its earlier sessions', () => {
  const { document } = simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: [] }, new Date());
  /**
   * A document of an account whose face is no longer compared, and then a check without an account with the
   * document.
   */
  const came = async () => {
    const checks = await setUp();
    const { waiting, complete } = checks;
    const owner = unique('owner');
    const checked = async (place: number, query: Record<string, string> = {}) => {
      const row = await waiting({ id: 'true', ...query });
      await complete(row, place, { document });
      return row.session_id;
    };
    await checked(0, { account_id: owner });
    const session = await checked(9);
    return { ...checks, owner, session };
  };
  const flagsOf = async (client: TestProject, session: string) =>
    (await verifyId(client, session)).body.risk_flags;

  it('no longer counts when the session is bound to the account of the document', async () => {
    const { client, owner, session } = await came();
    expect(await flagsOf(client, session)).toContain('repeat_id');
    await client.graphql(
      'mutation ($input: AddBuiltInRuleInput!) { addBuiltInRule(input: $input) { requestId } }',
      {
        input: { key: 'repeat_document', state: 'ENABLED' },
      },
    );
    expect((await bind(client, session, owner)).body.lists).toEqual([]);
    expect(await flagsOf(client, session)).not.toContain('repeat_id');
    const assessments = await assessmentsOf(client, session);
    expect(assessments.map(({ reproducible }) => reproducible)).toEqual([true, true]);
  });

  it('still counts when it is bound to another account', async () => {
    const { client, session } = await came();
    await bind(client, session, unique('other'));
    expect(await flagsOf(client, session)).toContain('repeat_id');
    expect(await assessmentsOf(client, session)).toHaveLength(1);
  });
});

describe('the built-in rules of repeats', () => {
  const addBuiltIn = (client: TestProject, key: string) =>
    client.graphql(
      'mutation ($input: AddBuiltInRuleInput!) { addBuiltInRule(input: $input) { requestId } }',
      {
        input: { key, state: 'ENABLED' },
      },
    );
  const listsOf = async (client: TestProject, account: string): Promise<string[]> =>
    (await client.rest('GET', `/account/${account}`)).body.lists;

  it('block an account for the face of another one, and for no other flag of a check', async () => {
    const { client, waiting, complete, checked } = await setUp();
    await addBuiltIn(client, 'repeat_face');
    const [owner, visitor, other] = [unique('owner'), unique('visitor'), unique('other')];
    await checked(0, { account_id: owner }, DEVICE);
    // A face of a session without an account, and a high score for another reason.
    await checked(7);
    const row = await waiting({ account_id: visitor });
    await complete(row, 7, { isVirtualCamera: true });
    expect(await resultOf(client, row.session_id)).toMatchObject({
      risk_score: expect.closeTo(0.64),
      risk_flags: ['repeat_face', 'virtual_camera_detected'],
    });
    expect(await listsOf(client, visitor)).toEqual([]);
    const resembling = unique('resembling');
    expect((await bind(client, await checked(0), resembling)).body.lists).toEqual([]);
    const later = await checked(0, {}, DEVICE);
    expect((await bind(client, later, other)).body.lists).toEqual(['block']);
    expect((await resultOf(client, later)).rules).toEqual(['Face of another account']);
    // The second account of a face is no attack on the first one.
    expect(await listsOf(client, owner)).toEqual([]);
  });

  it('block an account for the document of another one', async () => {
    const { client, waiting, complete } = await setUp();
    await addBuiltIn(client, 'repeat_document');
    const { document } = simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: [] }, new Date());
    const [owner, other] = [unique('owner'), unique('other')];
    for (const [place, account_id] of [
      [0, owner],
      [0, owner],
      [9, other],
    ] as const)
      await complete(await waiting({ id: 'true', account_id }), place, { document });
    expect(await listsOf(client, owner)).toEqual([]);
    expect(await listsOf(client, other)).toEqual(['block']);
  });

  it('read the flags of a simulated result', async () => {
    const { client } = await setUp();
    await addBuiltIn(client, 'repeat_face');
    await addBuiltIn(client, 'repeat_document');
    const [face, document, none] = [unique('face'), unique('document'), unique('none')];
    const made = { simulate: 'success', simulate_risk_score: '0.1' };
    await playedVerification(gateway, client, {
      ...made,
      simulate_risk_flags: 'repeat_face',
      account_id: face,
    });
    await playedVerification(gateway, client, {
      ...{ ...made, simulate_risk_flags: 'repeat_id', id: 'true', account_id: document },
    });
    await playedVerification(gateway, client, { ...made, account_id: none });
    expect(await Promise.all([face, document, none].map((account) => listsOf(client, account)))).toEqual([
      ['block'],
      ['block'],
      [],
    ]);
  });
});

it('a simulated result remains as requested', async () => {
  const { client } = await setUp();
  const query = { simulate: 'success', simulate_risk_flags: 'repeat_face', simulate_risk_score: '0.6' };
  const session = await playedVerification(gateway, client, query);
  const before = await outcomeOf(client, session);
  await bind(client, session, unique('simulated'));
  expect(await outcomeOf(client, session)).toEqual(before);
  expect(await assessmentsOf(client, session)).toEqual([]);
});

describe('an enrollment', () => {
  it('of another session of the enrolled person binds it and keeps the face; of another person it is rejected', async () => {
    const checks: FaceChecks = await setUp();
    const { client, checked } = checks;
    const account = unique('enrolled');
    await checked(0, { account_id: account });
    const again = await checked(0.1);
    expect((await enroll(client, again, account)).body).toEqual({
      request_id: expect.any(String),
      success: true,
    });
    expect((await resultOf(client, again)).metadata.account_id).toBe(account);
    const templates = await gateway.app.database.system.query(
      {
        name: 'test.enrolled',
        text: 'select session_id from face_templates where project_id = $1 and is_enrolled',
      },
      [client.projectId],
    );
    expect(templates).toHaveLength(1);
    expect(templates[0].session_id).not.toBe(again);
    const stranger = await checked(5);
    expect((await enroll(client, stranger, account)).body.error).toBe('account_already_enrolled');
    expect((await resultOf(client, stranger)).metadata.account_id).toBeNull();
  });
});

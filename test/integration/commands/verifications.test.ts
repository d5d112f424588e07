import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, unique } from '../../support/gateway.ts';
import { createVerification, playedVerification } from '../../support/verification.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

const played = (query: Record<string, string> = {}) =>
  playedVerification(world.gateway, world.project, {
    simulate: 'success',
    simulate_decision: 'Suspicious',
    ...query,
  });

describe.each(['local', 'remote'] as const)('the command line on the %s project', (which) => {
  const json = (...args: [string, ...string[]]): Promise<Body> => world[which].json('verification', ...args);
  const text = async (...args: [string, ...string[]]) => {
    const { code, output, errors } = await world[which].call('verification', ...args);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    return output;
  };
  const refused = async (...args: [string, ...string[]]) => {
    const { code, output, errors } = await world[which].call('verification', ...args, '--json');
    expect(output).toBe('');
    return { code, ...JSON.parse(errors).error };
  };
  const idsOf = (listed: Body) => listed.map(({ session_id }: Body) => session_id);

  it('lists verifications by conditions, in either order, page by page', async () => {
    const account = unique('listed');
    const { body: open } = await createVerification(world.project, { account_id: account });
    const face = await played({ account_id: account });
    const document = await played({ id: 'true', account_id: account, simulate_decision: 'Fake' });
    const of = async (...args: string[]) => idsOf(await json('list', '--account', account, ...args));
    expect(await of()).toEqual([document, face, open.session_id]);
    expect(await of('--order', 'oldest', '--number', '2')).toEqual([open.session_id, face]);
    expect(await of('--state', 'created', '--created-after', '2020-01-01')).toEqual([open.session_id]);
    expect(await of('--decision', 'suspicious', '--created-before', '2100-01-01')).toEqual([face]);
    expect(await of('--created-after', '2100-01-01')).toEqual([]);
    const [listed, ...others] = await json(
      'list',
      ...['--account', account, '--kind', 'id_check', '--min-score', '0.6'],
    );
    expect(others).toEqual([]);
    expect(listed).toEqual({
      session_id: document,
      kind: 'id_check',
      state: 'completed',
      failure: null,
      result_error: null,
      simulated: true,
      decision: 'Fake',
      raw_decision: 'Fake',
      risk_score: 0.9,
      risk_flags: expect.any(Array),
      account_id: account,
      review: null,
      created_at: expect.stringMatching(/Z$/),
      completed_at: expect.stringMatching(/Z$/),
    });
    const [header, ...rows] = (await text('list', '--account', account)).trimEnd().split('\n');
    expect(header!.split(/ {2,}/)).toEqual([
      'ID',
      'KIND',
      'STATE',
      'DECISION',
      'SCORE',
      'REVIEW',
      'CREATED',
      'ACCOUNT',
    ]);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(
      new RegExp(`^${document}  id_check +completed +Fake +0\\.90 +\\S+Z  ${account}$`),
    );
    expect(await text('list', '--account', unique('nobody'))).toBe('No verifications meet the conditions.\n');
  });

  it('lists the checks that wait for a review', async () => {
    const account = unique('queue');
    const [first, second] = [await played({ account_id: account }), await played({ account_id: account })];
    await createVerification(world.project, { account_id: account });
    const of = async (review: string) => idsOf(await json('list', '--account', account, '--review', review));
    expect(await of('none')).toEqual([second, first]);
    await world.remote.json('verification', 'approve', first, '--reason', 'fine');
    expect(await of('none')).toEqual([second]);
    expect(await of('approved')).toEqual([first]);
    expect(await of('rejected')).toEqual([]);
    await world.remote.json('verification', 'clear', first);
    expect(await of('none')).toEqual([second, first]);
  });

  it('shows a verification with its result, evidence and reviews', async () => {
    const account = unique('shown');
    await world.project.authenticate({ id: account });
    const id = await played({
      id: 'true',
      account_id: account,
      simulate_decision: 'Fake',
      simulate_risk_flags: 'likely_fake_id,vpn_detected',
    });
    const shown = await json('show', id);
    expect(shown).toMatchObject({
      session_id: id,
      kind: 'id_check',
      state: 'completed',
      decision: 'Fake',
      raw_decision: 'Fake',
      risk_score: 0.9,
      risk_flags: ['likely_fake_id', 'vpn_detected'],
      account: { account_id: account, decision: expect.any(String) },
      document: { signals: expect.any(Object), template: expect.any(Object) },
      images: { face: true, id_scan_front: true, id_scan_back: expect.any(Boolean), videos: 0 },
      reviews: [],
    });
    // A signed URL shows the images to everybody who has it.
    expect(JSON.stringify(shown)).not.toMatch(/https?:/);
    const { image_urls } = await json('show', id, '--urls');
    expect(new URL(image_urls.face).pathname).toMatch(/^\/media\//);
    expect(await text('show', id, '--urls')).toContain(`/media/`);
    await world.remote.json('verification', 'reject', id, '--reason', 'a copy');
    const page = await text('show', id);
    expect(page).toMatch(new RegExp(`^${id}: id_check completed, Fake, score 0\\.9\n`));
    expect(page).toMatch(/^ {2}LIKELY_FAKE_ID +Document whose parts contradict each other\.?$/im);
    expect(page).toMatch(/rejected .* a copy\n/);
    expect(page).not.toMatch(/https?:/);
  });

  it('shows a verification without a result', async () => {
    const { body } = await createVerification(world.project);
    const page = await text('show', body.session_id);
    expect(page).toMatch(new RegExp(`^${body.session_id}: face_check created\n`));
    expect(page).not.toContain(new URL(body.session_url).searchParams.get('s'));
    expect(await json('show', body.session_id)).toMatchObject({
      state: 'created',
      result_error: 'not_started',
      decision: null,
      images: null,
      account: null,
    });
    const failed = await playedVerification(world.gateway, world.project, {
      simulate: 'liveness_check_failed',
    });
    expect(await text('show', failed)).toMatch(
      /^\S+: face_check failed\n\n {2}failure {4}liveness check failed\n/,
    );
  });

  it('approves a check once, and replaces a review on request only', async () => {
    const id = await played();
    expect(await text('approve', id, '--reason', 'called the person')).toBe(
      `${id} is approved, and decided Real.\n`,
    );
    expect(await text('approve', id, '--reason', 'called the person')).toBe(
      `${id} is already approved with this reason: nothing was changed. It is decided Real.\n`,
    );
    const taken = await refused('reject', id, '--reason', 'a copy');
    expect(taken).toMatchObject({ code: 'verification.already_reviewed', field: 'verification' });
    expect(taken.message).toMatch(
      /^The verification was already approved by \S.* at \S+Z\. Pass --replace to add another review$/,
    );
    expect(await json('reject', id, '--reason', 'a copy', '--replace')).toEqual({
      session_id: id,
      decision: 'Fake',
      raw_decision: 'Suspicious',
      review: {
        decision: 'rejected',
        reason: 'a copy',
        actor: expect.any(String),
        at: expect.stringMatching(/Z$/),
      },
      previous_review: expect.objectContaining({ decision: 'approved', reason: 'called the person' }),
    });
    expect((await json('show', id)).reviews.map(({ decision }: Body) => decision)).toEqual([
      'rejected',
      'approved',
    ]);
  });

  it('withdraws a review', async () => {
    const id = await played();
    await world.remote.json('verification', 'reject', id, '--reason', 'a copy');
    expect(await text('clear', id, '--reason', 'wrong session')).toMatch(
      new RegExp(`^${id} has no review, and is decided Suspicious\\.\nThe previous review: rejected by `),
    );
    expect(await json('clear', id)).toMatchObject({ decision: 'Suspicious', review: null });
    expect((await world.remote.json('verification', 'show', id)).reviews).toMatchObject([
      { decision: 'cleared', reason: 'wrong session' },
      { decision: 'rejected', reason: 'a copy' },
    ]);
  });

  it('rejects reviews of checks without a result', async () => {
    const { body } = await createVerification(world.project);
    expect(await refused('approve', body.session_id, '--reason', 'fine')).toEqual({
      code: 'verification.session_not_started',
      message: 'The user has not started the verification session',
    });
    const id = await played();
    expect(await refused('approve', id, '--reason', ' ')).toMatchObject({
      code: 'input.invalid',
      field: 'reason',
    });
  });
});

it('of two reviewers at the same moment, one is refused', async () => {
  const id = await played();
  const answers = await Promise.all([
    world.local.call('verification', 'approve', id, '--reason', 'fine', '--json'),
    world.remote.call('verification', 'reject', id, '--reason', 'a copy', '--json'),
  ]);
  const done = answers.filter(({ code }) => code === 0).map(({ output }) => JSON.parse(output));
  const [refusal] = answers.filter(({ code }) => code !== 0);
  expect(JSON.parse(refusal!.errors).error.code).toBe('verification.already_reviewed');
  const { reviews } = await world.remote.json('verification', 'show', id);
  expect(reviews.map(({ decision }: Body) => decision)).toEqual(done.map(({ review }) => review.decision));
  expect(reviews).toHaveLength(1);
});

it('a key below the role operator lists verifications and cannot review them', async () => {
  const { key } = await world.gateway.app.projects.createKey(world.project.projectId, 'read');
  const id = await played();
  const reader = world.remoteAt(world.gateway.baseUrl, key);
  expect((await reader.json('verification', 'show', id)).session_id).toBe(id);
  const { code, errors } = await reader.call('verification', 'approve', id, '--reason', 'fine', '--json');
  expect({ code, error: JSON.parse(errors).error.code }).toEqual({ code: 1, error: 'auth.forbidden' });
});

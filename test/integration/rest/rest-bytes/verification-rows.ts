import { authenticated, PHONE_FACTS, RISKY_FACTS, sessionOf } from './facts.ts';
import { recordPhotographed } from './photographed.ts';
import type { BytesRow, Recorder } from './recorder.ts';

type Query = Record<string, string>;
const REAL: Query = { simulate: 'success', simulate_decision: 'Real' };

async function created(
  { given }: Recorder,
  query: Query,
): Promise<{ session_id: string; session_url: string }> {
  return given('GET', `/liveness/session?${new URLSearchParams(query)}`);
}

const BROWSER = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
  'accept-language': 'en-US,en;q=0.9',
};
const openPage = async (url: string) => (await fetch(url, { headers: BROWSER })).text();

/** A completed simulated check whose page was opened. */
async function played(recorder: Recorder, query: Query): Promise<string> {
  const { session_id, session_url } = await created(recorder, query);
  await openPage(session_url);
  await recorder.gateway.app.settleVerifications(recorder.project.projectId);
  return session_id;
}

const OUTCOMES = [
  'invalid_session_id',
  'session_id_not_found',
  'failed_to_get_camera_permission',
  'failed_to_complete_face_scan',
  'failed_to_process_id_scan',
  'failed_to_collect_device_data',
  'liveness_check_failed',
];
/** Every flag that changes the returned fields of a document. */
const FLAGS = [
  'likely_fake_id,low_id_face_match_score,digital_id',
  'cannot_confirm_id_is_authentic,moderate_id_face_match_score,name_partially_missing',
  'id_age_below_16,id_expired,name_not_found,repeat_face,repeat_id',
];

const create: BytesRow = {
  route: 'GET /liveness/session',
  sample: () => ({ query: REAL }),
  async cases(recorder) {
    const { ask } = recorder;
    await ask('a face check', {});
    await ask('an ID check', { query: { id: 'true' } });
    await authenticated(recorder, { id: 'ada' });
    const referring_session_id = await sessionOf(recorder, PHONE_FACTS);
    await ask('everything given', {
      query: {
        ...{ id: '1', account_id: 'ada', referring_session_id, lng: 'fr' },
        ...{
          redirect_url: 'https://shop.example/back?a=1',
          simulate: 'success',
          simulate_decision: 'Suspicious',
        },
        ...{ simulate_risk_score: '0.25', simulate_risk_flags: 'repeat_face,repeat_id' },
      },
    });
    await ask('repeated flags', {
      query: 'simulate=success&simulate_risk_flags=repeat_face&simulate_risk_flags=repeat_id',
    });
    for (const query of [
      'id=maybe',
      'id=',
      'account_id=',
      `account_id=${'x'.repeat(257)}`,
      'account_id=nobody',
      'referring_session_id=not-a-uuid',
      'referring_session_id=00000000-0000-4000-8000-000000000000',
      'redirect_url=nowhere',
      'redirect_url=javascript:alert(1)',
      'lng=xx',
      'simulate=maybe',
      'simulate=',
      'simulate_decision=Real',
      'simulate=success&simulate_decision=real',
      'simulate=success&simulate_risk_score=2',
      'simulate=success&simulate_risk_score=much',
      'simulate=success&simulate_risk_flags=no_flag',
      'simulate=liveness_check_failed&simulate_risk_score=0.1',
    ])
      await ask(query, { query });
    // The role of the key is checked before unknown words, and after malformed decisions and scores.
    const reader = await recorder.keyOf('read');
    await ask('key of role read', { query: REAL }, reader);
    for (const query of [
      'simulate=maybe',
      'simulate=success&simulate_risk_flags=no_flag',
      'simulate=success&simulate_decision=real',
      'simulate=maybe&simulate_risk_score=2',
    ])
      await ask(`${query}, key of role read`, { query }, reader);
    await ask('unknown words, and a malformed session', {
      query: 'simulate=maybe&simulate_risk_flags=no_flag&referring_session_id=not-a-uuid',
    });
    const production = await recorder.gateway.project({ environment: 'production' });
    await ask('simulated in production', { query: REAL }, production);
  },
};

async function results(recorder: Recorder, kind: Query): Promise<void> {
  const { ask } = recorder;
  const checked = async (query: Query) => ({
    body: { session_id: await played(recorder, { ...kind, ...query }) },
  });
  await ask('nothing known', await checked({ simulate: 'success' }));
  await authenticated(recorder, { id: 'ada', lists: ['beta'] }, PHONE_FACTS);
  const referring_session_id = await sessionOf(recorder, RISKY_FACTS);
  const known = await checked({ ...REAL, account_id: 'ada', referring_session_id });
  await ask('everything known', known);
  for (const word of ['true', '1', '', 'maybe', 'false', 'no'])
    await ask(`excludePII=${word}`, { ...known, query: { excludePII: word } });
  await ask('excludePII twice, in other cases', { ...known, query: 'EXCLUDEPII=false&excludepii=true' });
  for (const flags of FLAGS)
    await ask(`simulated ${flags}`, await checked({ simulate: 'success', simulate_risk_flags: flags }));
  await ask('a simulated score', await checked({ simulate: 'success', simulate_risk_score: '0.5' }));
  await ask(
    'Suspicious',
    await checked({ simulate: 'success', simulate_decision: 'Suspicious', simulate_risk_score: '1' }),
  );
  await ask('on a block list', await checked({ ...REAL, account_id: 'blocked' }));
  await recorder.given('POST', '/list/block/account/blocked');
  await ask('on a block list', await checked({ ...REAL, account_id: 'blocked' }));
  for (const simulate of OUTCOMES) await ask(`simulated ${simulate}`, await checked({ simulate }));
  const waiting = await created(recorder, { ...kind, ...REAL });
  await ask('not started', { body: { session_id: waiting.session_id } });
  await openPage(waiting.session_url);
  await ask('not complete', { body: { session_id: waiting.session_id } });
  const other: Query = kind.id ? {} : { id: 'true' };
  await ask('a check of the other kind', {
    body: { session_id: await played(recorder, { ...other, ...REAL }) },
  });
  await ask('a session that is no check', { body: { session_id: referring_session_id } });
  await recorder.given('DELETE', '/account/ada');
  await ask('after an erasure', known);
}

const verifyId: BytesRow = {
  route: 'POST /liveness/verify-id',
  sample: async (recorder) => ({ body: { session_id: await played(recorder, { id: 'true', ...REAL }) } }),
  async cases(recorder) {
    await results(recorder, { id: 'true' });
    await recordPhotographed(recorder);
  },
};

const verifyFace: BytesRow = {
  route: 'POST /liveness/verify-face',
  sample: async (recorder) => ({ body: { session_id: await played(recorder, REAL) } }),
  cases: (recorder) => results(recorder, {}),
};

/** Errors of the two rows that name a check and an account. */
async function checksAndAccounts(recorder: Recorder): Promise<void> {
  const { ask } = recorder;
  const refusedOf = async (what: string, session_id: string) =>
    ask(what, { body: { session_id, account_id: 'ada' } });
  for (const simulate of OUTCOMES)
    await refusedOf(`simulated ${simulate}`, await played(recorder, { simulate }));
  await refusedOf('not started', (await created(recorder, REAL)).session_id);
  await refusedOf('an ID check', await played(recorder, { id: 'true', ...REAL }));
  await refusedOf('a session that is no check', await sessionOf(recorder, PHONE_FACTS));
}

const verifyIdentity: BytesRow = {
  route: 'POST /liveness/verify-identity',
  sample: async (recorder) => {
    await played(recorder, { ...REAL, account_id: 'sample' });
    return { body: { session_id: await played(recorder, REAL), account_id: 'sample' } };
  },
  async cases(recorder) {
    const { ask } = recorder;
    await played(recorder, { ...REAL, account_id: 'ada' });
    await authenticated(recorder, { id: 'not enrolled' });
    const session_id = await played(recorder, REAL);
    await ask('a match', { body: { session_id, account_id: 'ada' } });
    await ask('no match', {
      body: { session_id: await played(recorder, { simulate: 'success' }), account_id: 'ada' },
    });
    await ask('an account without a face', { body: { session_id, account_id: 'not enrolled' } });
    await ask('an unknown account', { body: { session_id, account_id: 'nobody' } });
    await checksAndAccounts(recorder);
  },
};

const enroll: BytesRow = {
  route: 'POST /liveness/enroll',
  sample: async (recorder) => ({ body: { session_id: await played(recorder, REAL), account_id: 'sample' } }),
  async cases(recorder) {
    const { ask } = recorder;
    const session_id = await played(recorder, REAL);
    await ask('a new account', { body: { session_id, account_id: 'ada' } });
    await ask('again', { body: { session_id, account_id: 'ada' } });
    await ask('the session of another account', { body: { session_id, account_id: 'eve' } });
    await ask('an account with a face', {
      body: { session_id: await played(recorder, REAL), account_id: 'ada' },
    });
    await ask('a Fake face', {
      body: { session_id: await played(recorder, { simulate: 'success' }), account_id: 'fay' },
    });
    await checksAndAccounts(recorder);
  },
};

export const VERIFICATION_ROWS: readonly BytesRow[] = [create, verifyId, verifyFace, verifyIdentity, enroll];

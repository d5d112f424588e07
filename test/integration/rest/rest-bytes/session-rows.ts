import {
  authenticated,
  BARE_FACTS,
  FULL_ACCOUNT,
  knownAndBare,
  linkedToAda,
  PHONE_FACTS,
  RISKY_FACTS,
  sessionOf,
  settings,
} from './facts.ts';
import type { BytesRow, Recorder } from './recorder.ts';

const openSession = (recorder: Recorder) =>
  recorder.given('POST', '/session', { ...BARE_FACTS, open: true }) as Promise<{
    session_id: string;
    token: string;
  }>;
const WORDS = ['true', '1', 'YES', 'false', '', 'maybe'];

const create: BytesRow = {
  route: 'POST /session',
  sample: () => ({ body: BARE_FACTS }),
  async cases({ ask, project }) {
    await ask('nothing known', { body: {} });
    await ask('everything known', { body: PHONE_FACTS });
    await ask('open', { body: { ...BARE_FACTS, open: true } });
    await ask('a page, by the public id of the project', { body: { project_id: project.projectId } }, '');
    await ask('a page that names no project', { body: {} }, '');
    await ask('a page that names a malformed project', { body: { project_id: 'x' } }, '');
    await ask(
      'a page that names an unknown project',
      { body: { project_id: '00000000-0000-4000-8000-000000000000' } },
      '',
    );
    await ask(
      'a page that states an address',
      { body: { ...BARE_FACTS, project_id: project.projectId } },
      '',
    );
    for (const [what, body] of Object.entries({
      'a source that is none': { source: 'fridge' },
      'a latitude out of range': { location: { latitude: 91, longitude: 0 } },
      'a time that is none': { start_time: 'yesterday' },
      'an address that is none': { ip_address: '1.2.3' },
      'a count below zero': { bot: { mouse_num_events: -1 } },
      'too many facts': { checks: { padding: 'x'.repeat(40_000) } },
    }))
      await ask(what, {
        body,
        ...(what === 'too many facts' ? { shownBody: '{"checks": 40,000 bytes}' } : {}),
      });
  },
};

const addFacts: BytesRow = {
  route: 'PATCH /session/{session_id}',
  sample: async (recorder) => ({
    params: { session_id: (await openSession(recorder)).session_id },
    body: { browser: { timezone: 'Europe/Berlin' } },
  }),
  async cases(recorder) {
    const { ask } = recorder;
    const { session_id, token } = await openSession(recorder);
    const params = { session_id };
    const headers = { authorization: `Bearer ${token}` };
    await ask('with a key', { params, body: PHONE_FACTS });
    await ask(
      'with the token of the session',
      { params, headers, body: { bot: { click_num_events: 2 } } },
      '',
    );
    await ask('nothing', { params, headers, body: {} }, '');
    await ask(
      'with the token of another session',
      { params: { session_id: (await openSession(recorder)).session_id }, headers, body: {} },
      '',
    );
    await ask(
      'with a token that is none',
      { params, headers: { authorization: 'Bearer vgs_x' }, body: {} },
      '',
    );
    await ask('an unusable fact', { params, headers, body: { device: { cpu_cores: 'many' } } }, '');
    await ask(
      'too many facts',
      {
        params,
        headers,
        body: { checks: { padding: 'x'.repeat(40_000) } },
        shownBody: '{"checks": 40,000 bytes}',
      },
      '',
    );
    await recorder.given('POST', `/session/${session_id}/complete`);
    await ask('a completed session', { params, body: {} });
  },
};

const complete: BytesRow = {
  route: 'POST /session/{session_id}/complete',
  sample: async (recorder) => ({ params: { session_id: (await openSession(recorder)).session_id } }),
  async cases(recorder) {
    const { session_id, token } = await openSession(recorder);
    const call = { params: { session_id }, headers: { authorization: `Bearer ${token}` } };
    await recorder.ask('with the token of the session', call, '');
    await recorder.ask('again', call, '');
    await recorder.ask('with a key', { params: { session_id } });
  },
};

const authenticate: BytesRow = {
  route: 'POST /session/authenticate',
  sample: async (recorder) => ({
    body: { session_id: await sessionOf(recorder, BARE_FACTS), account: { id: 'sample' } },
  }),
  async cases(recorder) {
    const { ask } = recorder;
    const bodyOf = async (account: unknown, facts: object) => ({
      session_id: await sessionOf(recorder, facts),
      account,
    });
    await ask('nothing known', { body: await bodyOf({ id: 'bare' }, BARE_FACTS) });
    await ask('everything known', { body: await bodyOf(FULL_ACCOUNT, PHONE_FACTS) });
    const body = await bodyOf({ id: 'ada' }, RISKY_FACTS);
    await ask('a second session', { body });
    await ask('the same pair again', { body });
    await ask('a session of another account', { body: { ...body, account: { id: 'second owner' } } });
    await ask('nothing linked', {
      query: { accounts_linked: 'true' },
      body: await bodyOf({ id: 'alone' }, BARE_FACTS),
    });
    await linkedToAda(recorder);
    for (const word of WORDS)
      await ask(`accounts_linked=${word}`, {
        query: { accounts_linked: word },
        body: await bodyOf({ id: 'ada' }, PHONE_FACTS),
      });
    await settings(recorder, { suspiciousFrom: 0.001, fakeFrom: 1, twoValuedDecision: false });
    await ask('Suspicious', { body: await bodyOf({ id: 'three' }, RISKY_FACTS) });
    await settings(recorder, { twoValuedDecision: true });
    await ask('Suspicious as Real', { body: await bodyOf({ id: 'two' }, RISKY_FACTS) });
    await settings(recorder, { fakeFrom: 0.002 });
    await ask('Fake', { body: await bodyOf({ id: 'two' }, RISKY_FACTS) });
    await ask('on a block list', { body: await bodyOf({ id: 'blocked', lists: ['block'] }, BARE_FACTS) });
    const session_id = body.session_id;
    for (const [what, account] of Object.entries({
      'no account': undefined,
      'null as an account': null,
      'a text as an account': 'ada',
      'no id': {},
      'an empty id': { id: '' },
      'an id of 257 characters': { id: 'x'.repeat(257) },
      'a long phone': { id: 'ada', phone: '1'.repeat(33) },
      'a long name': { id: 'ada', first_name: 'x'.repeat(257) },
      'a country that is none': { id: 'ada', expected_countries: ['FRA'] },
      'metadata as a list': { id: 'ada', metadata: [1] },
      'metadata as an empty list': { id: 'ada', metadata: [] },
      'a birth date that is none': { id: 'ada', date_of_birth: '10.12.1990' },
      'an identifier of no type': { id: 'ada', identifiers: [{ type: 'badge', value: '1234' }] },
      nulls: { id: 'ada', email: null, phone: null, metadata: null, group: null, lists: null },
      'unknown keys': { id: 'ada', shoe_size: 43 },
    }))
      await ask(what, { body: { session_id, account } });
    await ask('wrong capitals', { body: { Session_id: session_id, Account: { id: 'ada' } } });
  },
};

const unauthenticated: BytesRow = {
  route: 'POST /session/unauthenticated',
  sample: async (recorder) => ({ body: { session_id: await sessionOf(recorder, BARE_FACTS) } }),
  async cases(recorder) {
    const { ask } = recorder;
    await ask('nothing known', { body: { session_id: await sessionOf(recorder, BARE_FACTS) } });
    await ask('everything known', { body: { session_id: await sessionOf(recorder, PHONE_FACTS) } });
    await linkedToAda(recorder);
    const session_id = await sessionOf(recorder, { ...PHONE_FACTS, browser_id: 'yet another' });
    for (const word of WORDS)
      await ask(`accounts_linked=${word}`, { query: { accounts_linked: word }, body: { session_id } });
    await settings(recorder, { suspiciousFrom: 0.001, fakeFrom: 1, twoValuedDecision: false });
    const body = { session_id: await sessionOf(recorder, RISKY_FACTS) };
    await ask('Suspicious', { body });
    await settings(recorder, { twoValuedDecision: true });
    await ask('Suspicious as Real', { body });
  },
};

const get: BytesRow = {
  route: 'GET /session/{session_id}',
  sample: async (recorder) => ({ params: { session_id: await sessionOf(recorder, BARE_FACTS) } }),
  async cases(recorder) {
    const { ask } = recorder;
    const { known, bare } = await knownAndBare(recorder);
    await ask('nothing known', { params: { session_id: bare } });
    await ask('much known', { params: { session_id: known } });
    const phone = await authenticated(recorder, { id: 'ada' }, PHONE_FACTS);
    await recorder.given('POST', '/session/authenticate', { session_id: phone, account: { id: 'bare' } });
    await ask('everything known, of two accounts', { params: { session_id: phone } });
    await ask('upper case', { params: { session_id: phone.toUpperCase() } });
    await ask('a slash at the end', { params: { session_id: `${phone}/` } });
    await ask('open and without an account', {
      params: { session_id: (await openSession(recorder)).session_id },
    });
    await ask('unknown parameters', { params: { session_id: bare }, query: { verbose: 'true' } });
  },
};

export const SESSION_ROWS: readonly BytesRow[] = [
  create,
  addFacts,
  complete,
  authenticate,
  unauthenticated,
  get,
];

import {
  authenticated,
  FULL_ACCOUNT,
  knownAndBare,
  linkedToAda,
  PHONE_FACTS,
  RISKY_FACTS,
  settings,
} from './facts.ts';
import type { BytesRow, Recorder } from './recorder.ts';

const ADA = { params: { account_id: 'ada' } };
const sample = async (recorder: Recorder) => {
  await authenticated(recorder, { id: 'sample' });
  return { params: { account_id: 'sample' } };
};

const get: BytesRow = {
  route: 'GET /account/{account_id}',
  sample,
  async cases(recorder) {
    const { ask } = recorder;
    await knownAndBare(recorder);
    await ask('nothing known', { params: { account_id: 'bare' } });
    await ask('everything known', ADA);
    await linkedToAda(recorder);
    await ask('linked', ADA);
    await authenticated(recorder, { id: 'ä/b c%' }, PHONE_FACTS);
    await ask('an id of any characters', { params: { account_id: encodeURIComponent('ä/b c%') } });
    await settings(recorder, { suspiciousFrom: 0.001, fakeFrom: 1, twoValuedDecision: false });
    await authenticated(recorder, { id: 'three' }, RISKY_FACTS);
    await ask('Suspicious', { params: { account_id: 'three' } });
    await settings(recorder, { twoValuedDecision: true });
    await ask('Suspicious as Real', { params: { account_id: 'three' } });
    await recorder.given('POST', '/list/quiet', {});
    await recorder.given('PUT', '/account/ada', { email: '', phone: '', date_of_birth: '', first_name: '' });
    await ask('fields that were cleared', ADA);
  },
};

const update: BytesRow = {
  route: 'PUT /account/{account_id}',
  sample: async (recorder) => ({ ...(await sample(recorder)), body: { username: 'sam' } }),
  async cases(recorder) {
    const { ask } = recorder;
    await knownAndBare(recorder);
    const put = (what: string, body: unknown, account_id = 'ada') =>
      ask(what, { params: { account_id }, body });
    await put('nothing', {}, 'bare');
    const { lists: _lists, id: _id, ...fields } = FULL_ACCOUNT;
    await put('everything', fields, 'bare');
    await put('the id of the path', { id: 'ada', last_name: 'King' });
    await put('another id', { id: 'bare' });
    await put('metadata merged', { metadata: { plan: 'paid', more: {} } });
    await put('metadata as an empty list', { metadata: [] });
    await put('empty texts', {
      email: '',
      phone: '',
      first_name: '',
      last_name: '',
      username: '',
      group: '',
    });
    await put('nulls', { email: null, expected_countries: null, metadata: null, date_of_birth: null });
    await put('countries', { expected_countries: ['gb'] });
    await put('an empty list of countries', { expected_countries: [] });
    await put('a phone that is none', { phone: 'call me' });
    await put('an email that is none', { email: 'nowhere' });
    await put('an email of a school', { email: 'ada@stanford.edu' });
    for (const [what, body] of Object.entries({
      'a long phone': { phone: '1'.repeat(33) },
      'a long username': { username: 'x'.repeat(257) },
      'a long email': { email: `${'x'.repeat(330)}@example.com` },
      'a number as a name': { first_name: 1 },
      'a country that is none': { expected_countries: ['XX'] },
      'a country that is a text': { expected_countries: 'FR' },
      'metadata that is too deep': {
        metadata: { a: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } },
      },
      'a birth date in the future': { date_of_birth: '2200-01-01' },
      'an identifier that is too short': { identifiers: [{ type: 'passport', value: '1' }] },
    }))
      await put(what, body);
    await put('metadata that is too large', { metadata: { a: 'x'.repeat(17_000) } });
  },
};

const remove: BytesRow = {
  route: 'DELETE /account/{account_id}',
  sample,
  async cases(recorder) {
    await knownAndBare(recorder);
    await recorder.ask('everything known', ADA);
    await recorder.ask('again', ADA);
    await recorder.ask('nothing known', { params: { account_id: 'bare' } });
  },
};

const linked: BytesRow = {
  route: 'GET /account/{account_id}/accounts-linked',
  sample,
  async cases(recorder) {
    await authenticated(recorder, { id: 'bare' });
    await recorder.ask('nothing linked', { params: { account_id: 'bare' } });
    await linkedToAda(recorder);
    await recorder.ask('everything known', ADA);
    await recorder.ask('of an account of which little is known', { params: { account_id: 'same device' } });
    await recorder.given('DELETE', '/account/same%20everything');
    await recorder.ask('one less', ADA);
  },
};

const sessions: BytesRow = {
  route: 'GET /account/{account_id}/sessions',
  sample,
  async cases(recorder) {
    await knownAndBare(recorder);
    await recorder.ask('one', { params: { account_id: 'bare' } });
    await recorder.ask('two', ADA);
  },
};

export const ACCOUNT_ROWS: readonly BytesRow[] = [get, update, remove, linked, sessions];

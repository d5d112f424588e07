import { authenticated } from './facts.ts';
import type { BytesRow, Recorder } from './recorder.ts';

/** beta with one and two, gamma without members. */
async function lists(recorder: Recorder): Promise<void> {
  await recorder.given('POST', '/list/beta', { list_description: 'Friends "of the house"' });
  await recorder.given('POST', '/list/gamma');
  for (const id of ['one', 'two', 'three', 'four']) await authenticated(recorder, { id });
  for (const id of ['one', 'two']) await recorder.given('POST', `/list/beta/account/${id}`);
}
const named = (list_name: string, account_id?: string) => ({
  params: { list_name, ...(account_id === undefined ? {} : { account_id }) },
});
const sampleList = async (recorder: Recorder) => {
  await recorder.given('POST', '/list/sample');
  return named('sample');
};
const sampleMember = async (recorder: Recorder) => {
  await recorder.given('POST', '/list/sample');
  await authenticated(recorder, { id: 'sample' });
  return named('sample', 'sample');
};
const DESCRIPTIONS = {
  'null as a description': { list_description: null },
  'an empty description': { list_description: '' },
  'a long description': { list_description: 'x'.repeat(1025) },
  'a number as a description': { list_description: 1 },
};

const all: BytesRow = {
  route: 'GET /list',
  sample: () => ({}),
  async cases(recorder) {
    await recorder.ask('nothing known', {});
    await lists(recorder);
    await recorder.ask('everything known', {});
  },
};

const get: BytesRow = {
  route: 'GET /list/{list_name}',
  sample: sampleList,
  async cases(recorder) {
    const { ask } = recorder;
    await lists(recorder);
    await ask('nothing known', named('gamma'));
    await ask('a standard list', named('block'));
    await ask('everything known', named('beta'));
    await recorder.given('POST', '/list/beta/account/three');
    const first = await ask('first page', { ...named('beta'), query: { limit: '2' } });
    const cursor = first.next_cursor;
    await ask('last page', { ...named('beta'), query: { limit: '2', cursor } });
    await ask('a cursor alone', { ...named('beta'), query: { cursor } });
    await ask('a cursor of another list', { ...named('gamma'), query: { cursor } });
    await ask('a cursor that is none', { ...named('beta'), query: { cursor: 'made up' } });
    await ask('empty parameters', { ...named('beta'), query: 'limit=&cursor=' });
    for (const limit of ['0', '1001', '1.5', '-1', 'many'])
      await ask(`limit ${limit}`, { ...named('beta'), query: { limit } });
    await recorder.given('DELETE', '/account/one');
    await ask('after an erasure', named('beta'));
  },
};

const create: BytesRow = {
  route: 'POST /list/{list_name}',
  sample: () => ({ ...named('sample list'.replace(' ', '%20')), body: { list_description: 'New' } }),
  async cases(recorder) {
    const { ask } = recorder;
    await ask('no body', named('one'));
    await ask('again', named('one'));
    await ask('a standard list', named('block'));
    await ask('any characters', { ...named('%C3%A4%20%22b%22'), body: {} });
    await ask('a name of 128 characters', named('x'.repeat(128)));
    await ask('a name of 129 characters', named('x'.repeat(129)));
    await ask('a dot', named('.%2e'));
    await ask('a slash', named('a%2Fb'));
    for (const [index, [what, body]] of Object.entries(DESCRIPTIONS).entries())
      await ask(what, { ...named(`list-${index}`), body });
  },
};

const update: BytesRow = {
  route: 'PATCH /list/{list_name}',
  sample: async (recorder) => ({ ...(await sampleList(recorder)), body: { list_description: 'Other' } }),
  async cases(recorder) {
    const { ask } = recorder;
    await lists(recorder);
    await ask('nothing', named('beta'));
    await ask('a standard list', { ...named('block'), body: { list_description: 'Never again' } });
    await ask('the name that answers use', { ...named('beta'), body: { description: 'Other' } });
    await ask('both names', { ...named('beta'), body: { description: 'Other', list_description: 'Other' } });
    await ask('both names that differ', {
      ...named('beta'),
      body: { description: 'One', list_description: 'Two' },
    });
    for (const [what, body] of Object.entries(DESCRIPTIONS)) await ask(what, { ...named('beta'), body });
  },
};

const remove: BytesRow = {
  route: 'DELETE /list/{list_name}',
  sample: sampleList,
  async cases(recorder) {
    await lists(recorder);
    await recorder.ask('everything known', named('beta'));
    await recorder.ask('again', named('beta'));
    await recorder.ask('a standard list', named('main_account'));
  },
};

const move: BytesRow = {
  route: 'POST /list/{list_name}/account/move',
  sample: async (recorder) => {
    const { params } = await sampleMember(recorder);
    await recorder.given('POST', '/list/sample/account/sample');
    return {
      params: { list_name: params.list_name! },
      body: { account_ids: ['sample'], target_list: 'allow' },
    };
  },
  async cases(recorder) {
    const { ask } = recorder;
    await lists(recorder);
    await recorder.given('POST', '/list/allow/account/two');
    const ids = ['two', 'one', 'three', 'nobody', 'one'];
    await ask('every outcome', { ...named('beta'), body: { account_ids: ids, target_list: 'block' } });
    await ask('again', { ...named('beta'), body: { account_ids: ids, target_list: 'block' } });
    await ask('to itself', { ...named('beta'), body: { account_ids: ['two'], target_list: 'beta' } });
    await ask('to no list', { ...named('beta'), body: { account_ids: ['two'], target_list: 'nothing' } });
    await ask('nobody', { ...named('beta'), body: { account_ids: [], target_list: 'gamma' } });
    await ask('an empty id', { ...named('beta'), body: { account_ids: [''], target_list: 'gamma' } });
    await ask('no target', { ...named('beta'), body: { account_ids: ['two'] } });
    await ask('1,001 accounts', {
      ...named('beta'),
      body: {
        account_ids: Array.from({ length: 1001 }, (_none, index) => `id${index}`),
        target_list: 'gamma',
      },
      shownBody: '{"account_ids": 1,001 ids, "target_list": "gamma"}',
    });
  },
};

const add: BytesRow = {
  route: 'POST /list/{list_name}/account/{account_id}',
  sample: sampleMember,
  async cases(recorder) {
    await lists(recorder);
    await recorder.ask('an account', named('beta', 'three'));
    await recorder.ask('again', named('beta', 'three'));
    await recorder.ask('a standard list', named('allow', 'three'));
    await recorder.ask('another standard list', named('block', 'three'));
    await recorder.ask('a body', { ...named('gamma', 'three'), body: { any: 'thing' } });
    await recorder.ask('an account called move', named('beta', '%6Dove'));
  },
};

const take: BytesRow = {
  route: 'DELETE /list/{list_name}/account/{account_id}',
  sample: sampleMember,
  async cases(recorder) {
    await lists(recorder);
    await recorder.ask('an account', named('beta', 'one'));
    await recorder.ask('again', named('beta', 'one'));
  },
};

export const LIST_ROWS: readonly BytesRow[] = [all, get, create, update, remove, move, add, take];

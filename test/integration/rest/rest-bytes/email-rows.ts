import { authenticated } from './facts.ts';
import type { BytesRow, Recorder } from './recorder.ts';

const CLAIMS = { name: { first: 'Ada', last: 'Lovelace' }, phone: '+14155552671', country: 'FR' };
const FULL = { email: 'Ada.Lovelace+news@gmail.com', claims: CLAIMS, identity_intelligence: true };
const EMAILS = [
  { email: 'ada@gmail.com', claims: CLAIMS },
  { email: 'nowhere' },
  { email: 'eve@stanford.edu' },
];

const check: BytesRow = {
  route: 'POST /email',
  sample: () => ({ body: { email: 'sample@gmail.com' } }),
  async cases(recorder) {
    const { ask } = recorder;
    const wait = { wait: '10' };
    await ask('without the result', { body: { email: 'ada@gmail.com' } });
    await ask('nothing known', { query: wait, body: { email: 'ada@unheard-of.example' } });
    await ask('no address', { query: wait, body: { email: 'nowhere' } });
    await authenticated(recorder, {
      id: 'ada',
      email: 'ada.lovelace@gmail.com',
      first_name: 'Ada',
      phone: '+14155552671',
    });
    await ask('everything known', { query: wait, body: FULL });
    await ask('disposable', { query: wait, body: { email: 'x@mailinator.com' } });
    await ask('empty claims', {
      query: wait,
      body: { ...FULL, claims: { name: {}, phone: '', country: '' } },
    });
    await ask('claims as an empty list', { query: wait, body: { ...FULL, claims: [] } });
    await ask('a batch', { body: { emails: EMAILS.slice(1), batch_name: 'Spring' } });
    await ask('a batch with its results', {
      query: wait,
      body: { emails: EMAILS, identity_intelligence: true },
    });
    for (const text of ['11', '-1', 'long', '0', ''])
      await ask(`wait=${text}`, { query: { wait: text }, body: { email: 'nowhere' } });
    for (const [what, body] of Object.entries({
      'an empty address': { email: ' ' },
      'null as an address': { email: null },
      both: { email: 'a@b.example', emails: [{ email: 'a@b.example' }] },
      'an empty batch': { emails: [] },
      'an entry without an address': { emails: [{ email: 'a@b.example' }, {}] },
      'texts as entries': { emails: ['a@b.example'] },
      'a long address': { email: `${'x'.repeat(330)}@b.example` },
      'a country that is none': { email: 'a@b.example', claims: { country: 'FRA' } },
      'a flag that is none': { email: 'a@b.example', identity_intelligence: 'yes' },
      'a long name of a batch': { emails: [{ email: 'a@b.example' }], batch_name: 'x'.repeat(300) },
    }))
      await ask(what, { body });
    await ask('1,001 addresses', {
      body: { emails: Array.from({ length: 1001 }, (_none, index) => ({ email: `a${index}@b.example` })) },
      shownBody: '{"emails": 1,001 entries}',
    });
  },
};

const checkOf = async ({ given }: Recorder, body: object, query = '?wait=10') => ({
  params: { request_id: (await given('POST', `/email${query}`, body)).request_id as string },
});
const batchOf = async ({ given }: Recorder, body: object, query = '?wait=10') => ({
  params: { batch_id: (await given('POST', `/email${query}`, body)).batch_id as string },
});

const get: BytesRow = {
  route: 'GET /email/{request_id}',
  sample: (recorder) => checkOf(recorder, { email: 'sample@gmail.com' }),
  async cases(recorder) {
    const { ask } = recorder;
    await ask('nothing known', await checkOf(recorder, { email: 'nowhere' }));
    await ask('everything known', await checkOf(recorder, FULL));
    const batch = await recorder.given('POST', '/email?wait=10', { emails: EMAILS });
    await ask('of a batch', { params: { request_id: batch.results[1].request_id } });
    await ask('the id of a batch', { params: { request_id: batch.batch_id } });
  },
};

const getBatch: BytesRow = {
  route: 'GET /email/batch/{batch_id}',
  sample: (recorder) => batchOf(recorder, { emails: [{ email: 'sample@gmail.com' }] }),
  async cases(recorder) {
    const { ask } = recorder;
    await ask('little known', await batchOf(recorder, { emails: [{ email: 'nowhere' }] }));
    const batch = await batchOf(recorder, {
      emails: EMAILS,
      batch_name: 'Spring',
      identity_intelligence: true,
    });
    await ask('everything known', batch);
    const first = await ask('first page', { ...batch, query: { limit: '2' } });
    await ask('last page', { ...batch, query: { limit: '2', cursor: first.next_cursor } });
    await ask('a cursor that is none', { ...batch, query: { cursor: 'made up' } });
    for (const limit of ['0', '1001', 'many', ''])
      await ask(`limit ${limit}`, { ...batch, query: { limit } });
    const check = await checkOf(recorder, { email: 'nowhere' });
    await ask('the id of a check', { params: { batch_id: check.params.request_id } });
  },
};

const TABLE =
  'id;e-mail;first name\n1;ada@gmail.com;Ada\n2;nowhere;\n3;a@b.example;x;too much\n4;eve@stanford.edu;Eve\n';
const CSV = { 'content-type': 'text/csv' };

async function imported(recorder: Recorder, table = TABLE, query = ''): Promise<string> {
  const { gateway, project, clock } = recorder;
  clock.tick();
  const response = await fetch(`${gateway.baseUrl}/email/imports${query}`, {
    method: 'POST',
    headers: { 'x-api-key': project.key, ...CSV },
    body: table,
  });
  const { import_id } = (await response.json()) as { import_id: string };
  await gateway.app.settleEmailChecks(project.projectId);
  return import_id;
}
const importOf = async (recorder: Recorder, table?: string, query?: string) => ({
  params: { import_id: await imported(recorder, table, query) },
});

const imports: BytesRow = {
  route: 'GET /email/imports',
  sample: () => ({}),
  async cases(recorder) {
    const { ask } = recorder;
    await ask('nothing known', {});
    await imported(recorder, TABLE, '?name=Spring');
    await imported(recorder, 'email\na@b.example\n');
    await imported(recorder);
    await ask('everything known', {});
    const first = await ask('first page', { query: { limit: '2' } });
    await ask('last page', { query: { limit: '2', cursor: first.next_cursor } });
    await ask('a cursor that is none', { query: { cursor: 'made up' } });
    for (const limit of ['0', '101', 'many', '']) await ask(`limit ${limit}`, { query: { limit } });
  },
};

const send: BytesRow = {
  route: 'POST /email/imports',
  holdsEmailChecks: true,
  sample: () => ({ headers: CSV, body: 'email\nsample@gmail.com\n' }),
  async cases({ ask }) {
    await ask('little known', { headers: CSV, body: 'email\na@b.example\n' });
    await ask('everything known', {
      query: {
        name: 'Spring',
        email_column: 'e-mail',
        first_name_column: 'first name',
        delimiter: 'semicolon',
        header: 'true',
        encoding: 'utf-8',
        emit_each: 'true',
        identity_intelligence: 'yes',
      },
      headers: CSV,
      body: TABLE,
    });
    for (const query of [
      'delimiter=dot',
      'encoding=ebcdic',
      'header=maybe',
      'email_column=no such column',
      `name=${'x'.repeat(247)}`,
    ])
      await ask(query, { query, headers: CSV, body: TABLE });
  },
};

const find: BytesRow = {
  route: 'GET /email/imports/{import_id}',
  sample: (recorder) => importOf(recorder),
  async cases(recorder) {
    await recorder.ask('little known', await importOf(recorder, 'email\na@b.example\n'));
    await recorder.ask('everything known', await importOf(recorder, TABLE, '?name=Spring'));
  },
};

const resume: BytesRow = {
  route: 'POST /email/imports/{import_id}',
  holdsEmailChecks: true,
  sample: async (recorder) => ({ ...(await importOf(recorder)), headers: CSV, body: TABLE }),
  async cases(recorder) {
    const made = await importOf(recorder);
    await recorder.ask('the same table', { ...made, headers: CSV, body: TABLE });
    await recorder.ask('409: another table', { ...made, headers: CSV, body: 'email\nother@gmail.com\n' });
  },
};

const erase: BytesRow = {
  route: 'DELETE /email/imports/{import_id}',
  sample: (recorder) => importOf(recorder),
  async cases(recorder) {
    const made = await importOf(recorder);
    await recorder.ask('everything known', made);
    await recorder.ask('again', made);
  },
};

const problems: BytesRow = {
  route: 'GET /email/imports/{import_id}/problems',
  sample: (recorder) => importOf(recorder),
  async cases(recorder) {
    const { ask } = recorder;
    await ask('none', await importOf(recorder, 'email\na@b.example\n'));
    const made = await importOf(recorder, `${TABLE}5;;\n6;a@b.example;x;y;z\n`);
    await ask('everything known', made);
    const first = await ask('first page', { ...made, query: { limit: '1' } });
    await ask('a later page', { ...made, query: { limit: '10', cursor: first.next_cursor } });
    await ask('a cursor that is none', { ...made, query: { cursor: 'made up' } });
    await ask('limit 0', { ...made, query: { limit: '0' } });
  },
};

const result: BytesRow = {
  route: 'GET /email/imports/{import_id}/result.csv',
  sample: (recorder) => importOf(recorder),
  async cases(recorder) {
    const made = await importOf(recorder);
    await recorder.ask('everything known', made);
    await recorder.ask('with a byte order mark', { ...made, query: { bom: 'true' } });
    await recorder.ask('bom=maybe', { ...made, query: { bom: 'maybe' } });
  },
};

export const EMAIL_ROWS: readonly BytesRow[] = [
  check,
  get,
  getBatch,
  imports,
  send,
  find,
  resume,
  erase,
  problems,
  result,
];

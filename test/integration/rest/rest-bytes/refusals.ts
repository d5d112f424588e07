import { type BytesRow, type Call, NOBODY, type Recorder } from './recorder.ts';

/** Values of a path or body that are ids of no object. */
const UUIDS = {
  unknown: NOBODY,
  'no uuid': 'not-a-uuid',
  'upper case': 'ABCDEF00-0000-4000-8000-00000000ABCD',
};
const MALFORMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  session_id: UUIDS,
  request_id: UUIDS,
  batch_id: UUIDS,
  import_id: UUIDS,
  account_id: { unknown: 'nobody' },
  list_name: { unknown: 'nothing' },
};
const EVERYWHERE = { 'too long': 'x'.repeat(300), NUL: '%00', 'no UTF-8': '%ff', space: '%20', empty: '' };

const TOO_LARGE = { body: `{"padding":"${'x'.repeat(300_000)}"}`, shownBody: '{"padding": 300,000 bytes}' };
/** Longer than the maximum body. */
const FAR_TOO_LARGE = {
  body: `{"padding":"${'x'.repeat(2_200_000)}"}`,
  shownBody: '{"padding": 2,200,000 bytes}',
};

/** Records the errors of every row: keys, ids, bodies, repeated requests, too many of them. */
export async function recordRefusals(recorder: Recorder, row: BytesRow, sample: Call): Promise<void> {
  await refusedKeys(recorder, sample);
  await refusedIds(recorder, sample);
  const isTable = row.route.startsWith('POST /email/imports');
  if (sample.body !== undefined && !isTable) await refusedBodies(recorder, sample);
  if (isTable) await refusedTables(recorder, sample);
  if (recorder.method === 'POST') await repeated(recorder, sample);
  await recorder.askTooOften('429: too many requests', sample);
}

async function refusedKeys({ ask, keyOf, gateway, method }: Recorder, sample: Call): Promise<void> {
  await ask('401: no key', sample, '');
  await ask('401: wrong key', sample, 'vg_test_00000000000000000000000000000000');
  if (method !== 'GET') await ask('key of role read', sample, await keyOf('read'));
  await ask('key of another project', sample, await gateway.project());
}

async function refusedIds({ ask }: Recorder, sample: Call): Promise<void> {
  for (const name of Object.keys(sample.params ?? {})) {
    for (const [what, value] of Object.entries({ ...MALFORMED[name], ...EVERYWHERE }))
      await ask(`${name}: ${what}`, { ...sample, params: { ...sample.params, [name]: value } });
  }
  const body = sample.body as Record<string, unknown> | undefined;
  if (typeof body !== 'object' || body === null) return;
  for (const name of ['session_id', 'account_id'].filter((each) => each in body)) {
    const values = { ...MALFORMED[name], 'too long': 'x'.repeat(300), NUL: '\u0000', empty: '' };
    for (const [what, value] of Object.entries({ ...values, 'a number': 1, null: null }))
      await ask(`${name} of the body: ${what}`, { ...sample, body: { ...body, [name]: value } });
  }
}

async function refusedBodies({ ask, template }: Recorder, sample: Call): Promise<void> {
  const tooLarge = template === '/email' ? FAR_TOO_LARGE : TOO_LARGE;
  await ask('no body', { ...sample, body: undefined });
  for (const body of ['{}', '[]', 'null', '"text"', '[1]', '{"a":', '{"a":1,"a":2}', '{"__proto__":{"a":1}}'])
    await ask(`body ${body}`, { ...sample, body });
  await ask('415: text', { ...sample, headers: { ...sample.headers, 'content-type': 'text/plain' } });
  await ask('413: too large', { ...sample, ...tooLarge });
}

async function refusedTables({ ask }: Recorder, sample: Call): Promise<void> {
  await ask('415: JSON', { ...sample, headers: { 'content-type': 'application/json' } });
  await ask('415: compressed', { ...sample, headers: { ...sample.headers, 'content-encoding': 'gzip' } });
  await ask('400: empty table', { ...sample, body: '' });
  await ask('400: no email', { ...sample, body: 'a,b\n1,2\n' });
}

async function repeated({ ask }: Recorder, sample: Call): Promise<void> {
  const headers = { ...sample.headers, 'idempotency-key': 'one' };
  await ask('first request with an Idempotency-Key', { ...sample, headers });
  await ask('the same again', { ...sample, headers });
  const { body } = sample;
  const other = typeof body === 'object' ? { ...body, more: true } : `${body ?? '{"more":true}'}\n`;
  await ask('422: the same key with another body', { ...sample, headers, body: other });
  await ask('400: Idempotency-Key of 256 characters', {
    ...sample,
    headers: { ...sample.headers, 'idempotency-key': 'k'.repeat(256) },
  });
}

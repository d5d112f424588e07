import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { beginUpload, parseResult, tableOf, until, upload } from '../../support/email-imports.ts';
import { type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let project: TestProject;
let system: pg.Client;

beforeAll(async () => {
  gateway = await startOwnGateway();
  project = await gateway.project();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

const domain = () => `${unique('mail')}.com`;
const find = (id: string, client = project) => client.rest('GET', `/email/imports/${id}`);
const resultOf = async (id: string) => {
  const { text, status } = await project.rest('GET', `/email/imports/${id}/result.csv`);
  expect(status).toBe(200);
  return text;
};

async function imported(body: string | Buffer, query: Record<string, string> = {}, client = project) {
  const { status, body: received } = await upload(gateway, client, body, { query });
  expect(status, JSON.stringify(received)).toBe(200);
  await gateway.app.settleEmailChecks(client.projectId);
  const { body: found } = await find(received.import_id, client);
  return { received, found, id: received.import_id as string };
}

describe('an uploaded file', () => {
  it('is checked row by row, and its result keeps every column and row in order', async () => {
    const name = domain();
    const table = [
      'Id,E-Mail,Vorname,Note',
      `1,ann@${name},Ann,"=1+1"`,
      `2,,Bob,+49`,
      `3,"carl@${name}",Carl,"two, ""words"""`,
      `4,too,many,fields,here`,
      `5,${'x'.repeat(310)}@${name},Eve,@x`,
      `6,no address,Fay,-2`,
    ].join('\r\n');
    const { received, found, id } = await imported(table, { name: 'Customers' });
    expect(received).toMatchObject({
      status: 'processing',
      rows_received: 6,
      bad_rows: 3,
      name: 'Customers',
    });
    expect(received.columns).toMatchObject({
      names: ['Id', 'E-Mail', 'Vorname', 'Note'],
      has_header: true,
      email_column: 'E-Mail',
      first_name_column: 'Vorname',
      last_name_column: null,
    });
    expect(found).toMatchObject({
      status: 'completed',
      rows_received: 6,
      total_count: 6,
      completed_count: 6,
      bad_rows: 3,
      batches: 1,
      result_url: `/email/imports/${id}/result.csv`,
    });
    expect(Date.parse(found.completed_at)).toBeGreaterThan(0);

    const rows = parseResult(await resultOf(id));
    expect(rows.map((row) => [row.Id, row.email_status, row.error, row.line])).toEqual([
      ['1', 'success', '', '2'],
      ['2', 'error', 'email_missing', '3'],
      ['3', 'success', '', '4'],
      ['4', 'error', 'wrong_field_count', '5'],
      ['5', 'error', 'email_too_long', '6'],
      ['6', 'success', '', '7'],
    ]);
    expect(rows.map(({ Note }) => Note)).toEqual(["'=1+1", "'+49", 'two, "words"', 'fields', "'@x", "'-2"]);
    expect(rows[0]).toMatchObject({ normalized: `ann@${name}`, disposable: 'false' });
    expect(Number(rows[0]!.risk_score)).toBeGreaterThanOrEqual(-1);
    expect(rows[0]!.decision).toMatch(/trust|moderate|risk/);

    const { body: problems } = await project.rest('GET', `/email/imports/${id}/problems?limit=2`);
    expect(problems.problems.map((row: { line: number; code: string }) => [row.line, row.code])).toEqual([
      [3, 'email_missing'],
      [5, 'wrong_field_count'],
    ]);
    const { body: rest } = await project.rest(
      'GET',
      `/email/imports/${id}/problems?limit=2&cursor=${problems.next_cursor}`,
    );
    expect(rest.problems).toEqual([{ line: 6, code: 'email_too_long', message: expect.any(String) }]);
    expect(rest.next_cursor).toBeNull();
  });

  it.each([
    ['UTF-8 with BOM and LF', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['CRLF', (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['lone CR', (text: string) => Buffer.from(text.replaceAll('\n', '\r'))],
    ['UTF-16 LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['semicolons', (text: string) => Buffer.from(text.replaceAll(',', ';'))],
    ['tabs', (text: string) => Buffer.from(text.replaceAll(',', '\t'))],
  ])('is read as %s', async (_name, encode) => {
    const name = domain();
    const { id } = await imported(encode(`email,first name\nzoe@${name},Zoë 😀\namy@${name},Amy\n`));
    const rows = parseResult(await resultOf(id));
    expect(rows.map((row) => [row.email, row['first name'], row.email_status])).toEqual([
      [`zoe@${name}`, 'Zoë 😀', 'success'],
      [`amy@${name}`, 'Amy', 'success'],
    ]);
  });

  it('checks quoted local parts, with their quotes doubled', async () => {
    const name = domain();
    const { id, found } = await imported(
      `email,note\n"""john doe""@${name}",a\n"""a,\\""b""@${name}",b\n"""john doe@${name}",c\n`,
    );
    expect(found).toMatchObject({ rows_received: 3, bad_rows: 0 });
    const rows = parseResult(await resultOf(id));
    expect(rows.map((row) => [row.email, row.email_status, row.domain_type])).toEqual([
      [`"john doe"@${name}`, 'success', 'business'],
      [`"a,\\"b"@${name}`, 'success', 'business'],
      [`"john doe@${name}`, 'success', 'inactive'],
    ]);
  });

  it('skips a line of 10 MB, and keeps a quoted line end in its field', async () => {
    const name = domain();
    const long = 'x'.repeat(10 * 1024 * 1024);
    const { id, found } = await imported(`email,note\na@${name},"one\ntwo"\n${long}\nb@${name},y\n`);
    expect(found).toMatchObject({ rows_received: 3, bad_rows: 1 });
    const { body } = await project.rest('GET', `/email/imports/${id}/problems`);
    expect(body.problems).toMatchObject([{ line: 4, code: 'row_too_long' }]);
    expect(await resultOf(id)).toContain(`a@${name},"one\ntwo",success`);
  });

  it('with very many empty fields is stored in small batches to limit memory', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => `u${index}@${domain()}${','.repeat(60_000)}`);
    const { found } = await imported(`email,note\n${rows.join('\n')}`);
    expect(found).toMatchObject({ rows_received: 150, bad_rows: 150 });
    expect(found.batches).toBeGreaterThanOrEqual(2);
  });

  it('keeps columns of the same name, and adds its own names', async () => {
    const { id } = await imported(`email,note,note,decision\na@${domain()},1,2,3\n`);
    expect((await resultOf(id)).split('\r\n')[0]).toBe(
      'email,note,note,decision,email_status,decision_2,risk_score,domain_type,disposable,send_recommendation,' +
        'trust_signals,risk_signals,normalized,error,line',
    );
  });

  it('with identity intelligence adds the comparison of the claims of each row', async () => {
    const email = `ann@${domain()}`;
    await project.authenticate({ id: unique('ann'), email, first_name: 'Ann', last_name: 'Lee' });
    const { id } = await imported(
      `email,first name,last name,phone\n${email},Ann,Lee,\n${email},Zoe,Moss,\n${email},,,\n,Ann,Lee,\n`,
      { identity_intelligence: 'true' },
    );
    const rows = parseResult(await resultOf(id));
    expect(
      rows.map((row) => [row.match_risk_score, row.name_match, row.phone_match, row.country_match]),
    ).toEqual([
      ['-0.5', 'match', 'skipped', 'skipped'],
      ['0.5', 'no_match', 'skipped', 'skipped'],
      ['', 'skipped', 'skipped', 'skipped'],
      ['', '', '', ''],
    ]);
  });

  it('needs no header, and its result can start with a byte order mark', async () => {
    const name = domain();
    const { id, received } = await imported(`7,a@${name}\n8,b@${name}\n`);
    expect(received.columns).toMatchObject({ has_header: false, names: ['column_1', 'column_2'] });
    const response = await fetch(`${gateway.baseUrl}/email/imports/${id}/result.csv?bom=true`, {
      headers: { 'x-api-key': project.key },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(parseResult(bytes.toString()).map((row) => row.column_1)).toEqual(['7', '8']);
  });

  it.each([1, 999, 1000, 1001, 2500])('of %i rows is stored in batches of 1,000', async (rows) => {
    const { found, id } = await imported(tableOf(rows, domain()));
    expect(found).toMatchObject({
      rows_received: rows,
      completed_count: rows,
      batches: Math.ceil(rows / 1000),
    });
    const result = parseResult(await resultOf(id));
    expect(result.map((row) => row.id)).toEqual(
      Array.from({ length: rows }, (_none, index) => String(index)),
    );
    expect(result.every((row) => row.email_status === 'success')).toBe(true);
  });

  it('with only a header is completed at once', async () => {
    const { received, id } = await imported('email,name\n');
    expect(received).toMatchObject({ status: 'completed', rows_received: 0, batches: 0 });
    expect((await resultOf(id)).trimEnd().split('\r\n')).toHaveLength(1);
  });

  it('with only bad rows is completed', async () => {
    const { found } = await imported('email,name\n,Ann\n,Bob\n');
    expect(found).toMatchObject({ status: 'completed', rows_received: 2, bad_rows: 2, completed_count: 2 });
  });

  it('uses the specified columns', async () => {
    const name = domain();
    const table = `email,other\na@${name},b@${name}\n`;
    const byName = await imported(table, { email_column: 'other' });
    expect(parseResult(await resultOf(byName.id))[0]!.normalized).toBe(`b@${name}`);
    const byNumber = await imported(table, { email_column: '2', header: 'false' });
    expect(byNumber.found).toMatchObject({ rows_received: 2 });
  });
});

describe('an unusable file', () => {
  it.each([
    ['', {}, 'The file is empty'],
    [
      'id,note\n1,x\n',
      {},
      'email_column: no column contains addresses; it must be one of the columns "id", "note"',
    ],
    ['email\na@example.com\n', { email_column: 'mail' }, 'email_column: must be one of the columns "email"'],
    ['email\na@example.com\n', { encoding: 'latin1' }, 'encoding: must be one of utf-8, utf-16le'],
    ['email\na@example.com\n', { delimiter: 'x' }, 'delimiter: must be one of comma'],
    ['email\na@example.com\n', { emit_each: 'maybe' }, 'emit_each: must be true, false'],
    ['email\na@example.com\n', { name: 'x'.repeat(300) }, 'name: must be at most 246 characters'],
  ])('%j with %j is rejected and changes nothing', async (table, query, message) => {
    const other = await gateway.project();
    const { status, body } = await upload(gateway, other, table, { query });
    expect(status).toBe(400);
    expect(body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      error: 'Bad Request',
      message: expect.stringContaining(message),
    });
    const { body: all } = await other.rest('GET', '/email/imports');
    expect(all.imports).toEqual([]);
  });

  it('is rejected as JSON', async () => {
    const { status } = await upload(gateway, project, '{}', { type: 'application/json' });
    expect(status).toBe(415);
  });

  it('over the size limit is rejected and leaves no data', async () => {
    const small = await startOwnGateway({ settings: { EMAIL_IMPORT_MAX_BYTES: '100000' } });
    const other = await small.project();
    const table = tableOf(10_000, domain());
    const declared = await upload(small, other, table);
    expect(declared.status).toBe(413);
    expect(declared.body).toEqual({
      statusCode: 413,
      code: expect.any(String),
      message: 'The file is larger than 100000 bytes',
    });
    const request = beginUpload(small, other);
    const answered = new Promise<number | undefined>((resolve) =>
      request.on('response', (response) => resolve(response.statusCode)),
    );
    request.end(table);
    expect(await answered).toBe(413);
    const { body } = await other.rest('GET', '/email/imports');
    expect(body.imports).toEqual([]);
    expect((await upload(small, other, tableOf(10, domain()))).status).toBe(200);
    await small.close();
  });
});

describe('an upload with an Idempotency-Key', () => {
  const keyed = (client: TestProject, body: string, key: string, query = {}) =>
    upload(gateway, client, body, { headers: { 'idempotency-key': key }, query });

  it('is one import, even when it is sent twice concurrently', async () => {
    const other = await gateway.project();
    const table = tableOf(1200, domain());
    const answers = await Promise.all([1, 2].map(() => keyed(other, table, 'first')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ body }) => body.import_id)).size).toBe(1);
    await gateway.app.settleEmailChecks(other.projectId);
    const again = await keyed(other, table, 'first');
    expect(again.body).toMatchObject({
      import_id: answers[0]!.body.import_id,
      status: 'completed',
      rows_received: 1200,
      completed_count: 1200,
    });
    const { body } = await other.rest('GET', '/email/imports');
    expect(body.imports).toHaveLength(1);
  });

  it('continues an interrupted import', async () => {
    const other = await gateway.project();
    const table = tableOf(3500, domain());
    const request = beginUpload(gateway, other, '/email/imports', { 'idempotency-key': 'broken' });
    request.write(table.slice(0, Math.floor(table.length * 0.8)));
    const listed = () => other.rest('GET', '/email/imports').then(({ body }) => body.imports);
    const [begun] = await until(listed, ([first]) => first?.rows_received >= 2000);
    request.destroy();
    const { body } = await keyed(other, table, 'broken');
    expect(body).toMatchObject({ import_id: begun.import_id, rows_received: 3500 });
  });

  it('is rejected with another file, which changes nothing; other parameters are another request', async () => {
    const other = await gateway.project();
    const table = tableOf(20, domain());
    const { body: first } = await keyed(other, table, 'one');
    const refusal = {
      statusCode: 422,
      code: expect.any(String),
      message: 'This Idempotency-Key was used with another body',
    };
    for (const changed of [table.replace('user7@', 'x@'), table.replace('note', 'n'), `${table}1,a@b.co,x\n`])
      expect(await keyed(other, changed, 'one')).toEqual({ status: 422, body: refusal });
    const { body: second } = await keyed(other, table, 'one', { name: 'B' });
    const { body: third } = await keyed(other, table, 'two');
    expect(new Set([first, second, third].map(({ import_id }) => import_id)).size).toBe(3);
    expect(await other.rest('GET', '/email/imports').then(({ body }) => body.imports)).toHaveLength(3);
    expect((await keyed(other, table, 'x'.repeat(256))).body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      error: 'Bad Request',
      message: 'Idempotency-Key: must be at most 255 characters',
    });
  });

  it('is not stored when nothing was imported', async () => {
    const other = await gateway.project();
    expect((await keyed(other, 'a,b\n1,2\n', 'k')).status).toBe(400);
    expect((await keyed(other, tableOf(3, domain()), 'k')).body).toMatchObject({ rows_received: 3 });
  });
});

describe('an interrupted upload', () => {
  it('is continued by the same file: each row is stored and completed once', async () => {
    const other = await gateway.project();
    const table = tableOf(3500, domain());
    const request = beginUpload(gateway, other);
    request.write(table.slice(0, Math.floor(table.length * 0.8)));
    const listed = () => other.rest('GET', '/email/imports').then(({ body }) => body.imports);
    const [begun] = await until(listed, ([first]) => first?.rows_received >= 2000);
    request.destroy();
    expect(begun).toMatchObject({ status: 'receiving', total_count: null });
    expect(begun.result_url).toBeUndefined();
    const path = `/email/imports/${begun.import_id}`;

    const changed = await upload(gateway, other, table.replace('user7@', 'other@'), { path });
    expect(changed.status).toBe(409);
    expect(changed.body).toEqual({
      statusCode: 409,
      code: expect.any(String),
      message: expect.stringContaining('at line 2'),
    });
    const renamed = await upload(gateway, other, table.replace('note', 'n'), { path });
    expect(renamed.body.message).toContain('in its header');
    const shorter = await upload(gateway, other, table.split('\n').slice(0, 1001).join('\n'), { path });
    expect(shorter.body.message).toContain('fewer rows');

    // Two at once take turns.
    const [one, two] = await Promise.all([
      upload(gateway, other, table, { path }),
      upload(gateway, other, table, { path }),
    ]);
    expect([one.status, two.status]).toEqual([200, 200]);
    await gateway.app.settleEmailChecks(other.projectId);
    const { body: found } = await find(begun.import_id, other);
    expect(found).toMatchObject({
      status: 'completed',
      rows_received: 3500,
      completed_count: 3500,
      batches: 4,
    });
    const again = await upload(gateway, other, table, { path });
    expect(again.body).toMatchObject({ status: 'completed', rows_received: 3500 });
    const longer = await upload(gateway, other, `${table}1,late@example.com,x\n`, { path });
    expect(longer.status).toBe(409);
    const { body: last } = await find(begun.import_id, other);
    expect(last).toMatchObject({ rows_received: 3500, batches: 4 });
  });
});

describe('access', () => {
  it('requires a key of the project', async () => {
    const { id } = await imported(`email\na@${domain()}\n`);
    const stranger = await gateway.project();
    for (const path of ['', '/result.csv', '/problems']) {
      const { status, body } = await stranger.rest('GET', `/email/imports/${id}${path}`);
      expect([status, body]).toEqual([
        400,
        {
          statusCode: 400,
          code: expect.any(String),
          error: 'Bad Request',
          message: 'Email import not found',
        },
      ]);
    }
    expect((await upload(gateway, stranger, 'email\n', { path: `/email/imports/${id}` })).status).toBe(400);
    expect((await stranger.rest('DELETE', `/email/imports/${id}`)).status).toBe(400);
    expect((await find('no-uuid')).status).toBe(400);
    expect((await project.withKey('').rest('GET', '/email/imports')).status).toBe(401);
    expect((await project.rest('PUT', '/email/imports')).headers.get('allow')).toBe(
      'GET, HEAD, POST, OPTIONS',
    );
    expect((await project.rest('GET', `/email/imports/${id}/other`)).status).toBe(404);
  });

  it('with a read key can only read, and with a browser token is rejected', async () => {
    const { id } = await imported(`email\na@${domain()}\n`);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    const reader = project.withKey(key);
    expect(await upload(gateway, reader, 'email\na@example.com\n')).toEqual({
      status: 403,
      body: {
        statusCode: 403,
        code: expect.any(String),
        message: 'This operation requires a key with the role server',
      },
    });
    expect((await reader.rest('DELETE', `/email/imports/${id}`)).status).toBe(403);
    expect((await reader.rest('GET', `/email/imports/${id}`)).status).toBe(200);
    expect((await reader.rest('GET', `/email/imports/${id}/result.csv`)).status).toBe(200);
    const { createBrowserToken } = await project.graphql(
      'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "nobody" }) { token } }',
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    for (const [method, path] of [
      ['GET', ''],
      ['GET', `/${id}`],
      ['GET', `/${id}/result.csv`],
      ['DELETE', `/${id}`],
    ] as const)
      expect((await project.rest(method, `/email/imports${path}`, undefined, headers)).status).toBe(403);
    // Neither by the batches of the import.
    await gateway.app.settleEmailChecks(project.projectId);
    const { rows } = await system.query(
      `select batch_id, check_id from email_checks join email_batches using (project_id, batch_id)
       where project_id = $1 and import_id = $2`,
      [project.projectId, id],
    );
    const [{ batch_id, check_id }] = rows;
    expect((await reader.rest('GET', `/email/batch/${batch_id}`)).body.results).toHaveLength(1);
    expect((await reader.rest('GET', `/email/${check_id}`)).body.status).toBe('success');
    for (const path of [`/email/batch/${batch_id}`, `/email/${check_id}`])
      expect((await project.rest('GET', path, undefined, headers)).status, path).toBe(403);
  });
});

it('imports are listed in pages, the newest first', async () => {
  const other = await gateway.project();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c'])
    ids.unshift((await imported(`email\n${name}@${domain()}\n`, { name }, other)).id);
  const { body: first } = await other.rest('GET', '/email/imports?limit=2');
  expect(first.imports.map((each: { import_id: string }) => each.import_id)).toEqual(ids.slice(0, 2));
  const { body: second } = await other.rest('GET', `/email/imports?limit=2&cursor=${first.next_cursor}`);
  expect(second.imports.map((each: { import_id: string }) => each.import_id)).toEqual(ids.slice(2));
  expect(second.next_cursor).toBeNull();
  expect((await other.rest('GET', '/email/imports?limit=0')).body.message).toContain('limit: must be');
  expect((await other.rest('GET', '/email/imports?cursor=x')).body.message).toContain('cursor: must be');
});

it('an erased import is deleted with its rows, results and events', async () => {
  const other = await gateway.project();
  const { id } = await imported(tableOf(1200, domain()), { emit_each: 'true' }, other);
  await gateway.app.settleEvents();
  const count = async (table: string, where = '') => {
    const { rows } = await system.query(
      `select count(*)::int as n from ${table} where project_id = $1 ${where}`,
      [other.projectId],
    );
    return rows[0].n as number;
  };
  const ofEach = `and type = 'email.intelligence.completed'`;
  expect(await count('email_checks')).toBe(1200);
  expect(await count('outbox_events', ofEach)).toBe(1200);
  const { status, body } = await other.rest('DELETE', `/email/imports/${id}`);
  expect([status, body]).toEqual([200, { request_id: expect.any(String), import_id: id, success: true }]);
  expect((await find(id, other)).status).toBe(400);
  for (const table of ['email_imports', 'email_batches', 'email_checks']) expect(await count(table)).toBe(0);
  expect(await count('outbox_events', ofEach)).toBe(0);
});

it('an import emits the events of its batches, and those of addresses on request', async () => {
  const eventsOf = async (query: Record<string, string>) => {
    const other = await gateway.project();
    await imported(tableOf(1001, domain()), query, other);
    await gateway.app.settleEvents();
    const { rows } = await system.query(
      'select type, count(*)::int as n from outbox_events where project_id = $1 group by type order by type',
      [other.projectId],
    );
    return Object.fromEntries(rows.map(({ type, n }: { type: string; n: number }) => [type, n]));
  };
  expect(await eventsOf({})).toEqual({ 'email.batch.completed': 2 });
  expect(await eventsOf({ emit_each: 'true' })).toEqual({
    'email.batch.completed': 2,
    'email.intelligence.completed': 1001,
  });
});

it('GraphQL returns imports with their progress, only for keys', async () => {
  const other = await gateway.project();
  const name = domain();
  const { id } = await imported(
    `email,n\n,1\nann@${name},2\nmailinator@mailinator.com,3\n`,
    { name: 'Spring' },
    other,
  );
  const query = `query ($id: ID!) {
    emailImport(id: $id) { importId importName importStatus columns emailColumn counts { received completed failed rows batches }
      completedAt problems(first: 1) { edges { node { line code } } } }
    emailImports(first: 1) { edges { node { importId } } pageInfo { hasNextPage } } }`;
  const { emailImport, emailImports } = await other.graphql(query, { id: globalIdOf('EmailImport', id) });
  expect(emailImport).toMatchObject({
    ...{
      importId: id,
      importName: 'Spring',
      importStatus: 'COMPLETED',
      columns: ['email', 'n'],
      emailColumn: 'email',
    },
    counts: { received: 3, completed: 3, failed: 1, rows: 3, batches: 1 },
    problems: { edges: [{ node: { line: 2, code: 'EMAIL_MISSING' } }] },
  });
  expect(emailImports).toEqual({ edges: [{ node: { importId: id } }], pageInfo: { hasNextPage: false } });
  const { text } = await other.rest('GET', `/email/imports/${id}/result.csv`);
  expect(parseResult(text).map(({ disposable }) => disposable)).toEqual(['', 'false', 'true']);
  const { createBrowserToken } = await other.graphql(
    'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "nobody" }) { token } }',
  );
  const answer = await other.rawGraphql(
    query,
    { id },
    { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` },
  );
  expect(answer.body.errors[0].extensions.code).toBe('auth.forbidden');
  expect((await other.graphql('{ emailImport(id: "none") { id } }')).emailImport).toBeNull();
});

it('the next purge completes an erasure that a crash interrupted', async () => {
  const other = await gateway.project();
  const { id } = await imported(tableOf(20, domain()), { emit_each: 'true' }, other);
  const left = async () => {
    const text = `select (select count(*)::int from email_imports where project_id = $1) as imports,
      (select count(*)::int from email_checks where project_id = $1) as checks,
      (select count(*)::int from outbox_events where project_id = $1 and type = 'email.intelligence.completed') as events`;
    return (await system.query(text, [other.projectId])).rows[0];
  };
  await gateway.app.purge();
  expect(await left()).toEqual({ imports: 1, checks: 20, events: 20 });
  // The state of a gateway that ends after its first statement.
  await system.query(`update email_imports set status = 'erasing' where import_id = $1`, [id]);
  expect((await find(id, other)).status).toBe(400);
  await gateway.app.purge();
  expect(await left()).toEqual({ imports: 0, checks: 0, events: 0 });
});

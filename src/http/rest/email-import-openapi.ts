/*
 * The routes of imported files, which are streamed and stand in no table: see src/http/imports/routes.ts.
 */

const id = { name: 'import_id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };

const query = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});

const flag = (name: string, description: string) => query(name, description, { type: 'boolean' });

const column = (role: string) =>
  query(`${role}_column`, 'Name of the column, or its number from 1; found in the file by default.');

const page = (max: number, usual: number) => [
  query('limit', `Number of entries, 1 to ${max}; ${usual} by default.`, {
    type: 'integer',
    minimum: 1,
    maximum: max,
  }),
  query('cursor', 'next_cursor of the page before.'),
];

const count = { type: 'integer', minimum: 0 };
const timestamp = { type: 'string', format: 'date-time' };
const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });

const IMPORT = {
  type: 'object',
  required: ['import_id', 'status', 'rows_received', 'bad_rows', 'completed_count', 'batches', 'columns'],
  properties: {
    import_id: { type: 'string', format: 'uuid' },
    name: nullable({ type: 'string' }),
    status: { enum: ['receiving', 'processing', 'completed'] },
    rows_received: count,
    bad_rows: { ...count, description: 'Completed rows without a result.' },
    total_count: { ...nullable(count), description: 'Null while the file is being received.' },
    completed_count: count,
    batches: count,
    created_at: timestamp,
    completed_at: nullable(timestamp),
    columns: {
      type: 'object',
      description: 'Names of all columns, and of those that are used; null where none is.',
      properties: {
        names: { type: 'array', items: { type: 'string' } },
        has_header: { type: 'boolean' },
        email_column: { type: 'string' },
      },
      additionalProperties: nullable({ type: 'string' }),
    },
    encoding: { enum: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] },
    delimiter: { type: 'string' },
    emit_each: { type: 'boolean' },
    identity_intelligence: { type: 'boolean' },
    result_url: {
      type: 'string',
      description: 'Path of the results; missing while the file is being received.',
    },
  },
};

const object = (properties: Record<string, object>) => ({ type: 'object', properties });

const IMPORTS = object({
  imports: { type: 'array', items: IMPORT },
  next_cursor: nullable({ type: 'string' }),
});

const PROBLEMS = object({
  problems: {
    type: 'array',
    items: object({
      line: { type: 'integer', minimum: 1 },
      code: { type: 'string' },
      message: { type: 'string' },
    }),
  },
  next_cursor: nullable({ type: 'string' }),
});

const ERASED = object({ import_id: { type: 'string', format: 'uuid' }, success: { const: true } });

const FAILURES: Readonly<Record<string, string>> = {
  '400': 'The input is not usable, or the import does not exist. Nothing was changed.',
  '401': 'No key, a wrong key, or one that was revoked.',
  '403': 'The key may not do that.',
  '429': 'Too many requests: see Retry-After and RateLimit.',
  '503': 'Try again shortly.',
};

const UPLOAD_FAILURES: Readonly<Record<string, string>> = {
  '408': 'The body stopped arriving. What is stored stays: send the file again to continue.',
  '409': 'The file is another one than that of the import. Nothing was changed.',
  '413': 'The file is larger than EMAIL_IMPORT_MAX_BYTES.',
  '415': 'The body is no table.',
  '422': 'The Idempotency-Key was used with another file.',
};

const BINARY = { type: 'string', format: 'binary' };
const FILE = {
  required: true,
  content: Object.fromEntries(
    ['text/csv', 'text/plain', 'text/tab-separated-values', 'application/octet-stream'].map((type) => [
      type,
      { schema: BINARY },
    ]),
  ),
};

function operation(
  operationId: string,
  summary: string,
  { parameters = [], upload = false, answer = IMPORT as object, type = 'application/json' } = {} as {
    parameters?: object[];
    upload?: boolean;
    answer?: object;
    type?: string;
  },
) {
  const failures = Object.entries({ ...FAILURES, ...(upload ? UPLOAD_FAILURES : {}) }).map(
    ([status, description]) => [
      status,
      {
        description,
        content: {
          'application/json': {
            schema: {
              $ref: `#/components/schemas/${status === '400' ? 'EmailError' : 'Error'}`,
            },
          },
        },
      },
    ],
  );
  return {
    operationId,
    tags: ['email'],
    summary,
    parameters,
    ...(upload ? { requestBody: FILE } : {}),
    responses: {
      '200': { description: 'Done.', content: { [type]: { schema: answer } } },
      ...Object.fromEntries(failures),
    },
  };
}

const OPTIONS = [
  ...['email', 'first_name', 'last_name', 'name', 'phone', 'country'].map(column),
  query('name', 'Name of the import.', { type: 'string', maxLength: 246 }),
  flag('header', 'Whether the first row names the columns; found in the file by default.'),
  query('encoding', 'Encoding; found in the file by default.', {
    enum: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'],
  }),
  query('delimiter', 'Delimiter; found in the file by default.', {
    enum: ['comma', 'semicolon', 'tab', 'pipe'],
  }),
  flag('emit_each', 'Emit an event for each address, not only for each batch.'),
  flag('identity_intelligence', 'Compare claims with connected accounts and profiles.'),
];

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'For 24 hours the same file with the same key continues the same import instead of adding one.',
  schema: { type: 'string', maxLength: 255 },
};

/** Paths of `/email/imports` for the OpenAPI document. */
export const EMAIL_IMPORT_PATHS: Readonly<Record<string, Record<string, unknown>>> = {
  '/email/imports': {
    get: operation('email.list_imports', 'List imports, the newest first.', {
      parameters: page(100, 20),
      answer: IMPORTS,
    }),
    post: operation('email.import', 'Import a file of email addresses.', {
      parameters: [...OPTIONS, KEY],
      upload: true,
    }),
  },
  '/email/imports/{import_id}': {
    get: operation('email.find_import', 'Get an import with its progress.', { parameters: [id] }),
    post: operation('email.resume_import', 'Send the file of an import again, after an interruption.', {
      parameters: [id],
      upload: true,
    }),
    delete: operation('email.erase_import', 'Erase an import with its rows and results.', {
      parameters: [id],
      answer: ERASED,
    }),
  },
  '/email/imports/{import_id}/problems': {
    get: operation('email.import_problems', 'List bad rows by line.', {
      parameters: [id, ...page(1000, 100)],
      answer: PROBLEMS,
    }),
  },
  '/email/imports/{import_id}/result.csv': {
    get: operation(
      'email.import_result',
      'Get the results: all columns of the file and those of the checks.',
      {
        parameters: [id, flag('bom', 'Begin with a byte order mark, for spreadsheets.')],
        answer: BINARY,
        type: 'text/csv',
      },
    ),
  },
};

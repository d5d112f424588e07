import { reference } from '@vouchgraph/rest';
import { answerExample } from './openapi-examples.ts';
import { failuresOf } from './openapi-failures.ts';

/* The routes of imported files, which are streamed and are in no table: see src/http/imports/routes.ts. */

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
  query(`${role}_column`, 'Name of the column, or its number from 1. Detected by default.');

const page = (max: number, usual: number) => [
  query('limit', `Number of entries, 1 to ${max}. ${usual} by default.`, {
    type: 'integer',
    minimum: 1,
    maximum: max,
  }),
  query('cursor', 'next_cursor of the previous page.'),
];

const count = { type: 'integer', minimum: 0 };
const timestamp = { type: 'string', format: 'date-time' };
const uuid = { type: 'string', format: 'uuid' };
const object = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const arrayOf = (name: string) => ({ type: 'array', items: reference(name) });
const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });

/** Schemas of their own. */
export const EMAIL_IMPORT_SCHEMAS = {
  EmailImport: {
    type: 'object',
    required: ['import_id', 'status', 'rows_received', 'bad_rows', 'completed_count', 'batches', 'columns'],
    properties: {
      import_id: { type: 'string', format: 'uuid' },
      name: nullable({ type: 'string' }),
      status: { enum: ['receiving', 'processing', 'completed'] },
      rows_received: count,
      bad_rows: { ...count, description: 'Number of rows without a result.' },
      total_count: {
        ...nullable(count),
        description: 'Number of rows of the file. Null while it is being received.',
      },
      completed_count: count,
      batches: count,
      created_at: timestamp,
      completed_at: nullable(timestamp),
      columns: reference('EmailImportColumns'),
      encoding: { enum: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] },
      delimiter: { type: 'string' },
      emit_each: { type: 'boolean' },
      identity_intelligence: { type: 'boolean' },
      result_url: {
        type: 'string',
        description: 'Path of the results. Absent while the file is being received.',
      },
    },
  },
  EmailImportColumns: {
    type: 'object',
    description:
      'Names of all columns, and of the columns that are used. Null for a column that is not used.',
    properties: {
      names: { type: 'array', items: { type: 'string' } },
      has_header: { type: 'boolean' },
      email_column: { type: 'string' },
    },
    additionalProperties: nullable({ type: 'string' }),
  },
  /** The import beside the id of the request. */
  ReceivedEmailImport: { allOf: [object({ request_id: uuid }), reference('EmailImport')] },
  EmailImports: object({
    request_id: uuid,
    imports: arrayOf('EmailImport'),
    next_cursor: nullable({ type: 'string' }),
  }),
  EmailImportProblem: object({
    line: { type: 'integer', minimum: 1 },
    code: { type: 'string' },
    message: { type: 'string' },
  }),
  EmailImportProblems: object({
    request_id: uuid,
    problems: arrayOf('EmailImportProblem'),
    next_cursor: nullable({ type: 'string' }),
  }),
  ErasedEmailImport: object({ request_id: uuid, import_id: uuid, success: { const: true } }),
};

const DIFFERS = 'The file differs from the file of the import. Nothing is changed.';

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

type Options = {
  parameters?: object[];
  isUpload?: boolean;
  answer?: keyof typeof EMAIL_IMPORT_SCHEMAS;
};

const importJson = (operationId: string, answer: keyof typeof EMAIL_IMPORT_SCHEMAS) => ({
  'application/json': { schema: reference(answer), example: answerExample(operationId) },
});

/** An operation by `METHOD path`. */
function operation(
  route: string,
  operationId: string,
  summary: string,
  { parameters = [], isUpload = false, answer }: Options = {},
) {
  const [method, path] = route.split(' ') as [string, string];
  const conflict = isUpload && path.includes('{') ? DIFFERS : undefined;
  const content = answer ? importJson(operationId, answer) : { 'text/csv': { schema: { type: 'string' } } };
  return {
    operationId,
    tags: ['email'],
    summary,
    parameters,
    ...(isUpload ? { requestBody: FILE } : {}),
    responses: {
      '200': { description: 'Success.', content },
      ...failuresOf({ operation: operationId, path, method, hasBody: isUpload, conflict }),
    },
  };
}

const OPTIONS = [
  ...['email', 'first_name', 'last_name', 'name', 'phone', 'country'].map(column),
  query('name', 'Name of the import.', { type: 'string', maxLength: 246 }),
  flag('header', 'Whether the first row contains the names of the columns. Detected by default.'),
  query('encoding', 'Encoding of the file. Detected by default.', {
    enum: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'],
  }),
  query('delimiter', 'Delimiter of the fields. Detected by default.', {
    enum: ['comma', 'semicolon', 'tab', 'pipe'],
  }),
  flag('emit_each', 'Whether each address emits an event, in addition to each batch.'),
  flag('identity_intelligence', 'Whether claims are compared with connected accounts and profiles.'),
];

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Key of the import. For 24 hours, the same file with the same key continues the import.',
  schema: { type: 'string', maxLength: 255 },
};

const ONE = '/email/imports/{import_id}';

/** Paths of `/email/imports` for the OpenAPI document. */
export const EMAIL_IMPORT_PATHS: Readonly<Record<string, Record<string, unknown>>> = {
  '/email/imports': {
    get: operation('GET /email/imports', 'email.list_imports', 'List imports, the newest first', {
      parameters: page(100, 20),
      answer: 'EmailImports',
    }),
    post: operation('POST /email/imports', 'email.import', 'Import a file of email addresses', {
      parameters: [...OPTIONS, KEY],
      isUpload: true,
      answer: 'ReceivedEmailImport',
    }),
  },
  [ONE]: {
    get: operation(`GET ${ONE}`, 'email.find_import', 'Get an import with its progress', {
      parameters: [id],
      answer: 'ReceivedEmailImport',
    }),
    post: operation(
      `POST ${ONE}`,
      'email.resume_import',
      'Send the file of an import again, after an interruption',
      { parameters: [id], isUpload: true, answer: 'ReceivedEmailImport' },
    ),
    delete: operation(`DELETE ${ONE}`, 'email.erase_import', 'Erase an import with its rows and results', {
      parameters: [id],
      answer: 'ErasedEmailImport',
    }),
  },
  [`${ONE}/problems`]: {
    get: operation(`GET ${ONE}/problems`, 'email.import_problems', 'List rows without a result by line', {
      parameters: [id, ...page(1000, 100)],
      answer: 'EmailImportProblems',
    }),
  },
  [`${ONE}/result.csv`]: {
    get: operation(
      `GET ${ONE}/result.csv`,
      'email.import_result',
      'Get the results with all columns of the file',
      { parameters: [id, flag('bom', 'Whether the file starts with a byte order mark, for spreadsheets.')] },
    ),
  },
};

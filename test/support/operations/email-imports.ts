import { expect } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { importEmails } from '../../acceptance/interface/world.ts';
import { edge, IMPORT } from './behavior.ts';
import { PAGE } from './foreign.ts';
import type { Operations } from './operation.ts';

/** Imports of email addresses. */
export const EMAIL_IMPORTS_OPERATIONS: Operations = {
  'query emailImport': {
    behavior: {
      name: 'returns an import with its columns and progress',
      document: `query ($id: ID!) { emailImport(id: $id) { id importId importName importStatus emailColumn
      counts { rows received completed } problems { totalCount { value } } } }`,
      variables: ({ nodes }) => ({ id: nodes.import }),
      answer: ({ nodes, importId }) => ({
        ...{
          id: nodes.import,
          importId,
          importName: 'Customers',
          importStatus: 'COMPLETED',
          emailColumn: 'email',
        },
        ...{ counts: { rows: 2, received: 2, completed: 2 }, problems: { totalCount: { value: 0 } } },
      }),
    },
    foreign: [
      {
        query:
          'query ($id: ID!) { emailImport(id: $id) { id importName counts { received } problems { edges { node { line } } } } }',
        variables: ({ emailImport }) => ({ id: globalIdOf('EmailImport', emailImport) }),
      },
    ],
    routes: {
      'GET /email/imports/{import_id}': {
        behavior: {
          name: 'returns an import with its progress',
          params: ({ importId }) => ({ import_id: importId }),
          status: 200,
          keys: IMPORT,
          answer: ({ importId }) => ({
            import_id: importId,
            status: 'completed',
            rows_received: 2,
            completed_count: 2,
          }),
        },
      },
      'POST /email/imports/{import_id}': {
        behavior: {
          name: 'stores no row twice when the same file is sent again',
          params: ({ importId }) => ({ import_id: importId }),
          request: ({ email }) => ({ body: `email\n${email}\nnonsense\n` }),
          status: 200,
          keys: IMPORT,
          answer: ({ importId }) => ({ import_id: importId, rows_received: 2, total_count: 2 }),
        },
        body: 'email\nx@example.com\n',
      },
      'DELETE /email/imports/{import_id}': {
        behavior: {
          name: 'erases an import',
          given: async (client) => ({ made: await importEmails(client, 'email\nida@example.org\n', 'Old') }),
          params: ({ made }) => ({ import_id: made.import_id }),
          status: 200,
          keys: 'import_id request_id success',
          answer: ({ made }) => ({ import_id: made.import_id, success: true }),
        },
      },
      'GET /email/imports/{import_id}/problems': {
        behavior: {
          name: 'returns the bad rows of an import by line',
          given: async (client) => ({
            made: await importEmails(client, 'email,name\na@example.org,A\nb,c,d\n', 'Bad'),
          }),
          params: ({ made }) => ({ import_id: made.import_id }),
          status: 200,
          keys: 'next_cursor problems request_id',
          answer: () => ({ problems: [{ line: 3, code: expect.any(String), message: expect.any(String) }] }),
        },
      },
      'GET /email/imports/{import_id}/result.csv': {
        behavior: {
          name: 'returns the table with a result for each row',
          params: ({ importId }) => ({ import_id: importId }),
          status: 200,
          keys: '',
          answer: ({ email }) => expect.stringMatching(new RegExp(`^email,.*email_status.*\r\n${email},`)),
        },
      },
    },
  },
  'query emailImports': {
    behavior: {
      name: 'returns the imports of the project',
      document: `{ emailImports(first: 50) { edges { node { id importName } } } }`,
      answer: ({ nodes }) => edge({ id: nodes.import, importName: 'Customers' }),
    },
    foreign: [
      {
        query: `query ($after: String) { emailImports(first: 1, after: $after) ${PAGE} }`,
        variables: ({ cursors }) => ({ after: cursors.emailImports }),
      },
    ],
    routes: {
      'GET /email/imports': {
        behavior: {
          name: 'returns the imports',
          status: 200,
          keys: 'imports next_cursor request_id',
          answer: ({ importId }) => ({
            imports: expect.arrayContaining([
              expect.objectContaining({ import_id: importId, name: 'Customers' }),
            ]),
          }),
        },
      },
      'POST /email/imports': {
        behavior: {
          name: 'stores a table of addresses and finds its columns',
          request: () => ({
            query: { name: 'Spring' },
            body: 'id;e-mail\n1;gil@example.org\n2;hal@example.org\n',
          }),
          status: 200,
          keys: IMPORT,
          answer: () => ({
            name: 'Spring',
            rows_received: 2,
            total_count: 2,
            delimiter: ';',
            columns: { names: ['id', 'e-mail'], has_header: true, email_column: 'e-mail' },
          }),
        },
        body: 'email\nx@example.com\n',
      },
    },
  },
};

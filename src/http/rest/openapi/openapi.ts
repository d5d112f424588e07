import {
  createSchemaComponents,
  pathParameters,
  queryParameters,
  type SchemaComponents,
} from '@vouchgraph/rest';
import { version } from '../../../version.ts';
import type { Route } from '../route.ts';
import { ROUTES } from '../routes/routes.ts';
import { answerSchema } from './answer-schemas.ts';
import { EMAIL_IMPORT_PATHS, EMAIL_IMPORT_SCHEMAS } from './email-import-openapi.ts';
import { answerExample } from './openapi-examples.ts';
import { ERROR_SCHEMAS, failuresOf, sharedResponses } from './openapi-failures.ts';
import { webhooksOf } from './openapi-webhooks.ts';

/** Reason for a 409 of a row besides the Idempotency-Key. */
const CONFLICTS: Readonly<Record<string, string>> = {
  'session.add_facts': 'The session is complete. Nothing is changed.',
};

/** Version of the documented interface that the paths, keys and words of REST follow. `info.version` is that of the package. */
const INTERFACE_VERSION = '1.0.0';

/** The REST interface as OpenAPI 3.1, computed from the table that answers it. */
export function openApiDocument(baseUrl: string) {
  const components = createSchemaComponents({ ...ERROR_SCHEMAS, ...EMAIL_IMPORT_SCHEMAS });
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ROUTES) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route, components);
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Vouchgraph',
      version,
      description:
        'Decides whether an account is real, suspicious or fake, and links the accounts of one person, with the reasons. ' +
        'Objects can get more keys in any version: ignore those that you do not know. `x-extensible-enum` lists the values ' +
        'of this version: accept others. ' +
        'IP geolocation by [DB-IP](https://db-ip.com).',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-interface-version': INTERFACE_VERSION,
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    paths: { ...paths, ...EMAIL_IMPORT_PATHS },
    webhooks: webhooksOf(components),
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        collector: { type: 'http', scheme: 'bearer', description: 'Token from the answer of POST /session.' },
      },
      responses: sharedResponses(),
      schemas: sorted(components.schemas),
    },
  };
  // Examples contain addresses of the service.
  return JSON.parse(JSON.stringify(document).replaceAll('<base>', baseUrl)) as typeof document;
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function operationOf(route: Route, components: SchemaComponents): Record<string, unknown> {
  const { operation, path, method, access, maxBodyBytes } = route;
  const failing = { operation, path, method, hasBody: route.body !== null, conflict: CONFLICTS[operation] };
  const size = maxBodyBytes === undefined ? '256 KB' : `${maxBodyBytes / 1024 / 1024} MB`;
  return {
    operationId: operation,
    tags: [path.split('/')[1]],
    summary: route.summary,
    description: route.body ? `${route.description} The body has at most ${size}.` : route.description,
    ...(access === 'key' ? {} : { security: securityOf(route) }),
    parameters: [
      ...pathParameters(path, PATH_PARAMETERS),
      ...queryParameters(route.query),
      ...headerParameters(route),
    ],
    ...(route.body ? { requestBody: bodyOf(route, components) } : {}),
    responses: {
      '200': {
        description: 'Success.',
        headers: {
          'x-request-id': { schema: { type: 'string', format: 'uuid' }, description: 'Id of the request.' },
        },
        content: {
          'application/json': {
            schema: components.answer(answerSchema(route)),
            example: answerExample(operation),
          },
        },
      },
      ...failuresOf(failing),
    },
  };
}

function securityOf(route: Route): Record<string, string[]>[] {
  return route.access === 'collector' ? [{ key: [] }, {}] : [{ collector: [] }, { key: [] }];
}

function bodyOf(route: Route, components: SchemaComponents) {
  const name = `${route.operation.replace(/(^|[._])([a-z])/g, (_, _mark, letter) => letter.toUpperCase())}Body`;
  const content = components.request(route.body!, name);
  return { required: !route.isBodyOptional, content: { 'application/json': content } };
}

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  account_id: 'Id of the account, assigned by the client, URL-encoded, except `.` and `..`.',
  session_id: 'Id of the session.',
  request_id: 'Id of the email check.',
  batch_id: 'Id of the batch.',
  list_name: 'Name of the list, URL-encoded.',
};

function headerParameters(route: Route) {
  if (route.method !== 'POST') return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', maxLength: 255 },
      description:
        'Key of the request. A repeated request with the same key and body receives the stored answer for ' +
        '24 hours. A different body is a 422.',
    },
  ];
}

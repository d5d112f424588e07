import { z } from 'zod';
import { EMAIL_IMPORT_PATHS } from './email-import-openapi.ts';
import { LIVENESS_ERRORS } from './errors.ts';
import { RESPONSE_SHAPES } from './response-shapes.ts';
import type { QueryParameter, Route } from './route.ts';
import { ROUTES } from './routes.ts';

const ERROR = {
  type: 'object',
  required: ['statusCode', 'message'],
  properties: { statusCode: { type: 'integer' }, message: { type: 'string' } },
};

/** Of a 400 below /liveness. */
const LIVENESS_ERROR = {
  type: 'object',
  required: ['request_id', 'success', 'error', 'message'],
  properties: {
    request_id: { type: 'string', format: 'uuid' },
    success: { const: false },
    error: {
      type: 'string',
      enum: LIVENESS_ERRORS,
      description: 'invalid_request: the body or a parameter cannot be used; message names it.',
    },
    message: { type: 'string', description: 'What is wrong, in words that may change.' },
  },
};

/** Of a 400 below /email. */
const EMAIL_ERROR = {
  type: 'object',
  required: ['statusCode', 'error', 'message'],
  properties: {
    statusCode: { const: 400 },
    error: { const: 'Bad Request' },
    message: { type: 'string', description: 'What is wrong, in words that may change.' },
  },
};

const FAILURES: Readonly<Record<string, string>> = {
  '400': 'The input is not usable, or what it names is not there. Nothing was changed.',
  '401': 'No key, a wrong key, or one that was revoked.',
  '403': 'The key may not do that.',
  '413': 'The body is larger than 256 KB, or the facts of the session than 32 KB.',
  '415': 'The body is not application/json.',
  '429': 'Too many requests: see Retry-After and RateLimit.',
  '503': 'Try again shortly.',
};

const largeBodyText = (bytes: number) => `The body is larger than ${bytes / 1024 / 1024} MB.`;

/** Besides, of POST: refusals of an Idempotency-Key. */
const KEY_FAILURES: Readonly<Record<string, string>> = {
  '409':
    'The first request with this Idempotency-Key still runs after 5 seconds, or its answer was erased or lost: then ' +
    'x-request-id names the first request.',
  '422': 'The Idempotency-Key was used with another body.',
};

/** The REST interface as OpenAPI 3.1, made from the same table and shapes that answer it. */
export function openApiDocument(baseUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ROUTES) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vouchgraph',
      version: '1.0.0',
      description:
        'Whether an account is real, suspicious or fake, and which accounts are the same person, with the reasons. ' +
        'IP geolocation by [DB-IP](https://db-ip.com).',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    paths: { ...paths, ...EMAIL_IMPORT_PATHS },
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        collector: { type: 'http', scheme: 'bearer', description: 'The token that opening a session gave.' },
      },
      schemas: { Error: ERROR, LivenessError: LIVENESS_ERROR, EmailError: EMAIL_ERROR },
    },
  };
}

function operationOf(route: Route): Record<string, unknown> {
  const described = {
    ...FAILURES,
    ...(route.method === 'POST' ? KEY_FAILURES : {}),
    ...(route.maxBodyBytes === undefined ? {} : { '413': largeBodyText(route.maxBodyBytes) }),
  };
  const failures = Object.entries(described).map(([status, description]) => [
    status,
    {
      description,
      content: {
        'application/json': { schema: { $ref: `#/components/schemas/${schemaOf(route, status)}` } },
      },
    },
  ]);
  return {
    operationId: route.operation,
    tags: [route.path.split('/')[1]],
    summary: route.summary,
    description: route.description,
    ...(route.access === 'key' ? {} : { security: securityOf(route) }),
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body ? { requestBody: bodyOf(route) } : {}),
    responses: {
      '200': {
        description: 'Done.',
        headers: {
          'x-request-id': { schema: { type: 'string', format: 'uuid' }, description: 'Id of the request.' },
        },
        content: { 'application/json': { schema: jsonSchema(RESPONSE_SHAPES[route.operation]!, 'output') } },
      },
      ...Object.fromEntries(failures),
    },
  };
}

function schemaOf({ path }: Route, status: string): string {
  if (status !== '400') return 'Error';
  if (path.startsWith('/liveness/')) return 'LivenessError';
  return path.startsWith('/email') ? 'EmailError' : 'Error';
}

function securityOf(route: Route): Record<string, string[]>[] {
  return route.access === 'collector' ? [{ key: [] }, {}] : [{ collector: [] }, { key: [] }];
}

function bodyOf(route: Route) {
  const { example, ...schema } = jsonSchema(route.body!, 'input');
  return { required: !route.isBodyOptional, content: { 'application/json': { schema, example } } };
}

function jsonSchema(shape: z.ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return schema;
}

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  account_id: 'Your own id of the account, URL-encoded.',
  session_id: 'Id of the session.',
  request_id: 'Id of the email check.',
  batch_id: 'Id of the batch.',
  list_name: 'Name of the list, URL-encoded.',
};

function pathParameters(route: Route) {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: PATH_PARAMETERS[name!],
  }));
}

function queryParameters(route: Route) {
  return Object.entries(route.query).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: false,
    schema: { type: parameter.type === 'exclusion' ? 'boolean' : parameter.type },
    description: descriptionOf(parameter),
  }));
}

/** What a generated client cannot tell from the type. */
function descriptionOf({ type, description }: QueryParameter): string {
  if (type !== 'boolean') return description;
  return `${description} true, 1 or yes, false, 0 or no, in any case; empty counts as absent, another word is a 400.`;
}

function headerParameters(route: Route) {
  if (route.method !== 'POST') return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', maxLength: 255 },
      description: 'The same key and body give the stored answer for 24 hours; another body is a 422.',
    },
  ];
}

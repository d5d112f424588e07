import { unavailable } from '@vouchgraph/platform/errors';
import type { HttpAnswer } from '@vouchgraph/platform/http';
import { errorAnswer, reference } from '@vouchgraph/rest';
import { LIVENESS_ERRORS, presentRestError } from '../errors.ts';
import { errorExamples, sharedExample } from './openapi-examples.ts';

const CODE = {
  type: 'string',
  pattern: '^[a-z_]+\\.[a-z0-9_]+$',
  description: 'Stable code for programs, such as account.not_found.',
  examples: ['input.invalid'],
};
const MESSAGE = { type: 'string', description: 'Message for people. Its wording may change.' };

/** Bodies of errors, by family. */
export const ERROR_SCHEMAS = {
  Error: {
    type: 'object',
    required: ['statusCode', 'message', 'code'],
    properties: { statusCode: { type: 'integer' }, message: MESSAGE, code: CODE },
  },
  LivenessError: {
    type: 'object',
    description: 'Body of a 400 below /liveness.',
    required: ['request_id', 'success', 'error', 'message', 'code'],
    properties: {
      request_id: { type: 'string', format: 'uuid' },
      success: { const: false },
      error: {
        type: 'string',
        enum: LIVENESS_ERRORS,
        description:
          'Reason of the error. invalid_request: the body or a parameter is invalid, and message names it.',
      },
      message: MESSAGE,
      code: CODE,
    },
  },
  EmailError: {
    type: 'object',
    description: 'Body of a 400 below /email.',
    required: ['statusCode', 'error', 'message', 'code'],
    properties: {
      statusCode: { const: 400 },
      error: { const: 'Bad Request' },
      message: MESSAGE,
      code: CODE,
    },
  },
};

/** Answers that mean the same everywhere: status, component, description. */
const SHARED: Readonly<Record<string, readonly [string, string]>> = {
  '401': [
    'Unauthorized',
    'Missing, invalid, expired or revoked key. `code` contains the reason: `auth.missing` (no `x-api-key`), ' +
      '`auth.malformed`, `auth.unauthenticated` (unknown, expired or revoked) and others.',
  ],
  '403': ['Forbidden', 'The role of the key does not permit the request.'],
  '404': ['NotFound', 'Unknown path: a part of it is empty or not valid UTF-8.'],
  '408': ['RequestTimeout', 'Request body timed out: http.timeout.'],
  '413': ['TooLarge', 'Request body over the limit.'],
  '415': ['UnsupportedMediaType', 'Request body with another content-type, or with a content-encoding.'],
  '422': ['IdempotencyMismatch', 'Idempotency-Key that was used with another body.'],
  '429': ['TooManyRequests', 'Too many requests. See Retry-After and the RateLimit headers.'],
  '500': [
    'Internal',
    'Error of the service: service.internal. The log of the service contains the value of x-request-id.',
  ],
  '503': [
    'Unavailable',
    'Service busy, or database unreachable: service.unavailable. Retry after Retry-After.',
  ],
};

const bodyValueOf = ({ body }: HttpAnswer): unknown => JSON.parse(String(body));
/** Errors that no recorded request causes. */
const UNRECORDED: Readonly<Record<string, unknown>> = {
  '408': bodyValueOf(errorAnswer(408, 'Request body timed out')),
  '500': bodyValueOf(presentRestError(new Error())),
  '503': bodyValueOf(presentRestError(unavailable())),
};

const json = (content: object) => ({ content: { 'application/json': content } });

/** Responses that operations share. */
export function sharedResponses(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(SHARED).map(([status, [name, description]]) => {
      const example = sharedExample(status) ?? UNRECORDED[status];
      const content = { schema: reference('Error'), ...(example === undefined ? {} : { example }) };
      return [name, { description, ...json(content) }];
    }),
  );
}

/** Properties that determine the errors of an operation. */
export type Failing = {
  operation: string;
  path: string;
  method: string;
  hasBody: boolean;
  /** Why a 409 beside those of an Idempotency-Key. */
  conflict?: string;
};

const IDEMPOTENCY_CONFLICT =
  'The first request with this Idempotency-Key is still running after 5 seconds, or its answer was erased or lost: then ' +
  'x-request-id names the first request.';

/** The errors of an operation by status. */
export function failuresOf(failing: Failing): Record<string, unknown> {
  const { operation, path, method, hasBody, conflict } = failing;
  const conflicts = [conflict, method === 'POST' ? IDEMPOTENCY_CONFLICT : undefined].filter(Boolean);
  const statuses = [
    ...['401', '403'],
    ...(path.includes('{') ? ['404'] : []),
    ...(hasBody ? ['408', '413', '415'] : []),
    ...(method === 'POST' ? ['422'] : []),
    ...['429', '500', '503'],
  ];
  const shared = statuses.map((status) => {
    const [name] = SHARED[status]!;
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  const refused = {
    description: 'Invalid input, or an object that does not exist. Nothing is changed.',
    ...json({ schema: reference(familyOf(path)), examples: errorExamples(operation, '400') }),
  };
  const conflicting = {
    description: conflicts.join(' '),
    ...json({ schema: reference('Error'), examples: errorExamples(operation, '409') }),
  };
  return {
    '400': refused,
    ...(conflicts.length > 0 ? { '409': conflicting } : {}),
    ...Object.fromEntries(shared),
  };
}

function familyOf(path: string): keyof typeof ERROR_SCHEMAS {
  if (path.startsWith('/liveness/')) return 'LivenessError';
  return path.startsWith('/email') ? 'EmailError' : 'Error';
}

import { AppError } from '@vouchgraph/platform/errors';
import { headerOf, JSON_TYPE } from '@vouchgraph/platform/http';
import type { IdempotencyService, StoredAnswer } from '../domain/idempotency/idempotency-service.ts';
import type { Viewer } from '../domain/projects/access-service.ts';
import type { GraphQLContext } from '../graphql/kernel/context.ts';
import type { Exchange } from './exchange.ts';

/** Answers with an Idempotency-Key are kept whole; streams and malformed requests have nothing to keep. */
export const NOT_REPEATABLE: StoredAnswer = {
  status: 400,
  contentType: JSON_TYPE,
  body: JSON.stringify({
    errors: [
      {
        message: 'Idempotency-Key requires a well-formed request with one JSON response',
        extensions: { code: 'graphql.invalid', status: 400 },
      },
    ],
  }),
};

export type Repeatable = {
  exchange: Exchange;
  viewer: Viewer;
  context: GraphQLContext;
  body: string;
  /** Whether the operation may run again when it is not known whether its answer was stored. */
  isIdempotent: boolean;
};

function scopeOf({ kind, role, personRole, limitKey }: Viewer): string {
  if (kind === 'key') return `key:${role}`;
  return kind === 'person' ? `${limitKey}:${personRole}` : limitKey;
}

/** Runs a request, or returns its stored answer when it carries an Idempotency-Key that was used before. */
export async function onceOrNow<Answer extends StoredAnswer | null>(
  idempotency: IdempotencyService,
  { exchange, viewer, context, body, isIdempotent }: Repeatable,
  run: () => Promise<Answer>,
): Promise<Answer | StoredAnswer> {
  const { request, response, path, query, requestId } = exchange;
  const key = headerOf(request, 'idempotency-key');
  // Pages share a public id: one must not get what another was answered, its token least of all. Neither pages nor
  // holders of a verification's secret may fill the table.
  const isKept = ['key', 'person', 'browser_token'].includes(viewer.kind);
  if (key === '' || request.method !== 'POST' || !isKept) return run();
  const pathWithQuery = query.size > 0 ? `${path}?${query}` : path;
  // A caller with fewer rights must not get the answer to a caller with more.
  const scope = scopeOf(viewer);
  const repeatable = { key, scope, method: 'POST', pathWithQuery, body };
  const answer = await idempotency
    .once(viewer.project, repeatable, { requestId, isIdempotent }, async ({ project, subjects }) => {
      context.viewer = { ...viewer, project };
      context.subjects = subjects;
      return (await run()) ?? NOT_REPEATABLE;
    })
    .catch((error: unknown) => {
      const first = error instanceof AppError ? error.details?.requestId : undefined;
      if (first !== undefined) response.setHeader('x-request-id', first);
      throw error;
    });
  // A stored answer keeps the id of the request that it was made for. In a batch of emails the ids are those of its checks.
  const isBatch = answer.body.startsWith('{"batch_id":');
  const answeredId = isBatch ? undefined : /"request_id":"([0-9a-f-]{36})"/.exec(answer.body)?.[1];
  if (answeredId && answeredId !== requestId) response.setHeader('x-request-id', answeredId);
  return answer;
}

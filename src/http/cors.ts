import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerOf } from '@vouchgraph/platform/http';
import type { Project } from '../domain/projects/project.ts';

/** All methods that any route accepts. */
export const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const EXPOSED = 'x-request-id, ratelimit, ratelimit-policy, retry-after';

/**
 * The question that a browser asks before a request of a foreign page. It comes without key or project, so it is
 * answered alike for all; whether the page may read the answer is decided with the request itself.
 */
export function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  const origin = headerOf(request, 'origin');
  if (origin !== '') {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
    response.setHeader(
      'access-control-allow-headers',
      'content-type, authorization, x-api-key, idempotency-key',
    );
    response.setHeader('access-control-max-age', '600');
    response.setHeader('vary', 'origin');
  }
  response.setHeader('allow', ALL_METHODS.join(', '));
  response.writeHead(204).end();
}

/** Lets a page of an allowed origin read the answer: any in a sandbox, the project's own list in production. */
export function allowOrigin(project: Project, request: IncomingMessage, response: ServerResponse): void {
  const origin = headerOf(request, 'origin');
  if (origin === '') return;
  response.setHeader('vary', 'origin');
  if (project.environment !== 'sandbox' && !project.settings.allowedOrigins.includes(origin)) return;
  allowAnyOrigin(request, response);
}

/** Allows pages of any origin to read the answer. */
export function allowAnyOrigin(request: IncomingMessage, response: ServerResponse): void {
  const origin = headerOf(request, 'origin');
  if (origin === '') return;
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader('access-control-expose-headers', EXPOSED);
}

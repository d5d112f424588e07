import { AppError } from '@vouchgraph/platform/errors';
import type { TypedQueryDocumentNode } from 'graphql';
import type { z } from 'zod';
import type { Part } from './answer-parts.ts';

/** A request of the table, its parts already checked against the row's shapes. */
export type RouteRequest<Body> = {
  params: Readonly<Record<string, string>>;
  /** Every text parameter of the row that was sent, by its documented name. */
  query: Readonly<Record<string, string>>;
  /** Names of other parameters, as they were sent. */
  unknownQuery: readonly string[];
  /** Every boolean parameter of the row by its documented name. */
  flags: Readonly<Record<string, boolean>>;
  body: Body;
};

/**
 * A documented query parameter. `boolean`: true, 1 and yes, false, 0 and no in any case; off when empty. `exclusion`:
 * a boolean that is on in every form but false, 0 and no. `list`: texts, separated by commas or repeated. Other parameters
 * are sent once.
 */
export type QueryParameter = {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'exclusion' | 'list';
  description: string;
};

/**
 * A row of a table: which document of the schema a documented path runs, how the request becomes its variables,
 * and how its data becomes the documented body. The body in openapi.json is computed from the document and the answer.
 * `Meta` is what answers contain besides data.
 */
export type DocumentRoute<Data, Variables, Body, Meta> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces, such as /account/{account_id}. */
  path: string;
  /** Stable name for documents, logs and metrics. */
  operation: string;
  summary: string;
  description: string;
  body: z.ZodType<Body> | null;
  /** Whether no body at all is taken for an empty object; false by default. */
  isBodyOptional?: boolean;
  /**
   * Whether a request without a body, or with an empty object, is of the next row that its path matches: a fixed word of a path
   * must not hide an object of that name. False by default.
   */
  requiresBody?: boolean;
  /** Largest body in bytes; that of the server by default. */
  maxBodyBytes?: number;
  /** Whether a GET creates something: HEAD is refused then. False by default. */
  creates?: boolean;
  query: Readonly<Record<string, QueryParameter>>;
  /** Whether other query parameters are a 400. False by default: the documented interface ignores them. */
  rejectsUnknownQuery?: boolean;
  document: TypedQueryDocumentNode<Data, Variables>;
  variables(request: RouteRequest<Body>): Variables;
  /** A more precise error in place of an error of the document, by its code; null to keep it. */
  explain?(request: RouteRequest<Body>, code: unknown): AppError | null;
  /** Documented response body from the data. */
  answer: Part<Data, Meta>;
};

/** The object that a documented path names; throws the documented error when it does not exist. */
export function found<T>(value: T | null, code: string, message: string): T {
  if (value === null) throw new AppError(code, 'not_found', message);
  return value;
}

import type { DocumentRoute, Part as PartWith } from '@vouchgraph/rest';

/** Inputs of an answer besides its data. */
export type AnswerMeta = {
  requestId: string;
  projectId: string;
  /** Time of the request. */
  at: Date;
  /** The project's older clients know Real and Fake only: Suspicious is shown as Real. */
  twoValuedDecision: boolean;
};

/** A part of a documented answer. */
export type Part<Data> = PartWith<Data, AnswerMeta>;

/** A row of the table. Its largest body is 256 KB by default. */
export type Route<Data = unknown, Variables = unknown, Body = unknown> = DocumentRoute<
  Data,
  Variables,
  Body,
  AnswerMeta
> & {
  /**
   * Permitted callers: `key` needs x-api-key; `collector` also accepts a page with the project's public id;
   * `collector_token` accepts the token that opening the session returned.
   */
  access: 'key' | 'collector' | 'collector_token';
};

/** Ties the types of one row together and hides them from the table. */
export function route<Data, Variables, Body = undefined>(row: Route<Data, Variables, Body>): Route {
  return row as unknown as Route;
}

import type { Body, Client, RequestOptions } from '../../acceptance/interface/client.ts';
import type { World } from '../../acceptance/interface/world.ts';
import type { Gateway, TestProject } from '../gateway.ts';
import type { Ids } from '../two-projects.ts';

/*
 * What tests need to know of an operation: an entry for each root field of the schema, with the REST routes that execute it.
 * A new field or route needs an entry and nothing else: tests of acceptance, parity, isolation, permissions, stored responses
 * and recorded bytes run the cases of every entry.
 */

/** Input of a behavior: the world, and its own preparation. */
export type Known = World & Body;

type Prepared = {
  /** Description whose subject is the operation. */
  name: string;
  /** Preparation of the case. */
  given?: (client: Client, world: World) => Promise<Body>;
  /** Part of the answer that the input determines. */
  answer: (known: Known) => Body;
};

/** A request with the part of its answer that is certain, against a started gateway. */
export type Behavior = Prepared & {
  document: string;
  variables?: (known: Known) => Body;
  /** Code of the error for keys, of an operation for persons only. */
  refused?: string;
};

export type SubscriptionBehavior = Behavior & {
  /** Runs after subscribing; its result is passed to `answer`. */
  cause: (client: Client, world: World, known: Known) => Promise<Body>;
};

export type RouteBehavior = Prepared & {
  params?: (known: Known) => Record<string, string>;
  request?: (known: Known) => RequestOptions;
  status: number;
  /** All keys of the response, in alphabetical order; empty for a response that is not JSON. */
  keys: string;
};

/** A request with ids of objects, which another project has or nobody has: the responses are equal. */
export type ForeignRequest = { query: string; variables: (ids: Ids) => Record<string, unknown> };
export type ForeignRouteRequest = {
  path?: (ids: Ids) => string;
  query?: string;
  body?: (ids: Ids) => Body;
};

/** Why an operation has no such case. */
type Reason = string;

export type Call = { params?: Record<string, string>; query?: Record<string, string>; body?: Body };
/** A request of REST whose body equals the GraphQL response to the document of the route. */
export type Parity = {
  writes: boolean;
  /** Creates the data of the route in the project, and returns the call. */
  prepare(project: TestProject, gateway: Gateway): Promise<Call>;
  /** An invalid call; null where only the key can be wrong. */
  refused: (Call & { message: string }) | null;
};

/** An account that exists, with sessions and lists. */
export type Scene = {
  project: TestProject;
  id: string;
  /** Bound to the account. */
  session: string;
  /** Bound to the account after the response of the operation. */
  later: string;
  list: string;
  otherList: string;
  /** A completed simulated check of an account, or of none. */
  played: (kind: Record<string, string>, accountId: string) => Promise<string>;
  alone: (kind?: Record<string, string>) => Promise<string>;
  /** An outcome that was reported of an account. */
  outcomeOf: (accountId: string) => Promise<string>;
  /** A check that waits for uploads. */
  upload: (accountId: string) => Promise<string>;
  /** The global id of a completed check of an account. */
  reviewed: (accountId: string) => Promise<string>;
};

/** A request with an Idempotency-Key: erasing the account of the scene erases the stored response. */
export type StoredResponse<Request> = {
  call: (scene: Scene) => Request | Promise<Request>;
  /** The response contains no data of the account: it remains. */
  isKept?: true;
  /** The response is an error: these are wide. */
  isRefused?: true;
};

export type RouteCases = {
  behavior: RouteBehavior;
  /** Absent for a route that executes no GraphQL document, as have the next ones. */
  parity?: Parity;
  foreign?: ForeignRouteRequest | Reason;
  /** Of a POST. */
  stored?: StoredResponse<{ path: string; body: Body }>;
  /** Body that the route accepts, where `foreign` has none. */
  body?: unknown;
};

export type Operation = {
  behavior: Behavior;
  foreign: readonly ForeignRequest[] | Reason;
  /** REST routes that execute the field, by method and path. */
  routes?: Readonly<Record<string, RouteCases>>;
};
export type MutationOperation = Operation & {
  stored: StoredResponse<string> | Reason;
  /** Why the payload of a mutation has no node of a normalized cache. */
  withoutNode?: Reason;
};

/** Operations by kind and root field. */
export type Operations = Readonly<Record<`query ${string}`, Operation>> &
  Readonly<Record<`mutation ${string}`, MutationOperation>> &
  Readonly<Record<`subscription ${string}`, { behavior: SubscriptionBehavior }>>;

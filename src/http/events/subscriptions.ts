import { createHash } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { createSourceEventStream, type DocumentNode, type ExecutionResult, type GraphQLError } from 'graphql';
import pLimit from 'p-limit';
import type { StoredEvent } from '../../domain/events/event.ts';
import type { EventHub, Following } from '../../domain/events/event-hub-worker.ts';
import { type EventSelection, selects } from '../../domain/events/event-selection.ts';
import type { EventPage } from '../../domain/events/event-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { Project } from '../../domain/projects/project.ts';
import { createContext, type GraphQLContext, type Services } from '../../graphql/context.ts';
import { schema } from '../../graphql/schema.ts';
import { EventSource, NEEDS_STREAM } from '../../graphql/subscription.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Logger } from '../../platform/logger.ts';
import { presentError } from '../graphql/errors.ts';
import { presentResult, runDocument } from '../graphql/execute.ts';
import { resumeVariables } from './resume-variables.ts';
import { SharedResult } from './shared-result.ts';
import { type Membership, type Outlet, Subscriber, sendToAll } from './subscriber.ts';

/*
 * Subscriptions, whatever they come over. Those that ask the same with the same rights form a group: an event is
 * executed once for the group, and its result is the same bytes for all. Whoever asks for what came since a cursor is
 * first read that from the database, alone and at its own pace, and joins its group when it has had all that the group
 * has had: both happen in one turn of the event loop, so that nothing comes twice or not at all.
 */

export type SubscriptionRequest = {
  readonly source: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown> | undefined;
  readonly context: GraphQLContext;
};

/** A subscription that may begin. */
export type OpenedSubscription = {
  /** Begins to tell; once. */
  start(outlet: Outlet): Subscriber;
};

export type SubscriptionCounts = { projects: number; groups: number; subscribers: number };

export type Subscriptions = {
  open(request: SubscriptionRequest): Promise<OpenedSubscription | { errors: readonly GraphQLError[] }>;
  counts(): SubscriptionCounts;
};

export type SubscriptionDeps = {
  hub: EventHub;
  services: Services;
  /** The project as it is now. */
  getProject: (projectId: string) => Promise<Project | null>;
  log: Logger;
};

type Group = Membership & {
  readonly key: string;
  readonly request: Omit<SubscriptionRequest, 'source' | 'context'>;
  readonly viewer: Viewer;
  readonly selection: EventSelection;
  readonly following: Following;
  /** As it was when it was last read. */
  project: Project;
  /** Through which all members have had everything. */
  position: number;
  /** Who is told together. */
  readonly members: Set<Subscriber>;
  /** Members and those who are catching up. */
  size: number;
};

/** Executions and reads at once, for all groups: requests use the same database. */
const EXECUTIONS = 8;
const READS = 4;
/** Events of one group that are executed side by side. */
const WINDOW = 16;
/** Rows that are read for one that catches up; a socket has one page at a time. */
const PAGE = 50;
const RETRY_MS = 500;
/** An event is executed again after these; a database that answers nothing at all is waited for beyond them. */
const AGAIN_AFTER_MS = [250, 500, 1000];
/** What came since fills up so much, and then waits for what is sent to be taken: the rest is for what comes. */
const CATCH_UP_BYTES = LIMITS.waitingBytesPerSubscriber / 2;

export function createSubscriptions(deps: SubscriptionDeps): Subscriptions {
  const { hub, services, getProject, log } = deps;
  const groups = new Map<string, Group>();
  const executing = pLimit(EXECUTIONS);
  const reading = pLimit(READS);
  const resumes = new WeakMap<DocumentNode, ReadonlySet<string>>();

  /* Opening */

  async function open(request: SubscriptionRequest): ReturnType<Subscriptions['open']> {
    const result = await sourceOf(request);
    if (!(result instanceof EventSource)) return result;
    const errors = await refusals(request);
    if (errors.length > 0) return { errors };
    const key = keyOf(request);
    return {
      start: (outlet: Outlet) => start(groupOf(key, request, result.selection), result.after, outlet),
    };
  }

  async function sourceOf({ document, operationName, variables, context }: SubscriptionRequest) {
    try {
      const result = await createSourceEventStream({
        schema,
        document,
        operationName,
        variableValues: variables,
        contextValue: context,
      });
      if (result instanceof EventSource) return result;
      const { errors = [] } = presentResult(result as ExecutionResult, log, context.requestId);
      return { errors };
    } catch (error) {
      // An error that names a path in the input is taken for one of GraphQL's own, and thrown on as it is.
      return { errors: [presentError(error, log, context.requestId)] };
    }
  }

  /** What would be said of every event alike, such as that the query is too expensive, is said at once. */
  async function refusals({ document, operationName, variables, context }: SubscriptionRequest) {
    const { errors = [] } = await runDocument(document, variables, operationName, context, log);
    return errors.filter(({ extensions }) => extensions.code !== NEEDS_STREAM.code);
  }

  function keyOf({ source, document, operationName, variables, context }: SubscriptionRequest): string {
    const { project, role, kind, accountId, sessionId } = context.viewer;
    const resuming = resumesOf(document);
    const asked = Object.entries(variables ?? {}).filter(([name]) => !resuming.has(name));
    const parts = [project.projectId, kind, role, accountId, sessionId, source, operationName, asked];
    return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
  }

  function resumesOf(document: DocumentNode): ReadonlySet<string> {
    const known = resumes.get(document) ?? resumeVariables(schema, document);
    resumes.set(document, known);
    return known;
  }

  /* Groups */

  function groupOf(key: string, request: SubscriptionRequest, selection: EventSelection): Group {
    const known = groups.get(key);
    if (known) return known;
    const { document, operationName, variables, context } = request;
    const { viewer } = context;
    const group: Group = {
      key,
      request: { document, operationName, variables },
      viewer,
      selection,
      project: viewer.project,
      following: hub.follow(viewer.project, (events) => deliver(group, events)),
      position: Number.POSITIVE_INFINITY,
      members: new Set(),
      size: 0,
      leave: (subscriber) => leave(group, subscriber),
    };
    groups.set(key, group);
    return group;
  }

  async function deliver(group: Group, events: readonly StoredEvent[]): Promise<void> {
    // Nobody is a member before it is known where the group begins.
    if (group.position === Number.POSITIVE_INFINITY) group.position = await group.following.start;
    const wanted = events.filter(
      (event) => event.position > group.position && selects(group.selection, event),
    );
    const isWanted = () => group.size > 0;
    await inWindows(group, wanted, isWanted, async (result, position) => {
      await sendToAll(group.members, result, position);
      group.position = position;
    });
    group.position = Math.max(group.position, events.at(-1)?.position ?? 0);
  }

  /** Executes events some at a time, and hands the results on in order, as long as somebody wants them. */
  async function inWindows(
    group: Group,
    events: readonly StoredEvent[],
    isWanted: () => boolean,
    handOn: (result: SharedResult, position: number) => Promise<void>,
  ): Promise<void> {
    for (let first = 0; first < events.length && isWanted(); first += WINDOW) {
      const window = events.slice(first, first + WINDOW);
      const results = await Promise.all(window.map((event) => executeSurely(group, event, isWanted)));
      for (const [index, result] of results.entries()) await handOn(result, window[index]!.position);
    }
  }

  /**
   * Again while the database is away, and a few times besides: an error would stand in the event's place for good. That
   * others are answered, and this again and again is not, lies in what is asked.
   */
  async function executeSurely(
    group: Group,
    event: StoredEvent,
    isWanted: () => boolean,
  ): Promise<SharedResult> {
    for (let tries = 0; ; ) {
      const result = await executing(() => execute(group, event));
      const wait = AGAIN_AFTER_MS[tries];
      if (!isAway(result) || wait === undefined || !isWanted()) {
        return new SharedResult(JSON.stringify(result));
      }
      await delay(wait, undefined, { ref: false });
      if (await isAnswered(group)) tries += 1;
    }
  }

  function isAnswered({ project }: Group): Promise<boolean> {
    return services.events.headCursor(project).then(
      () => true,
      () => false,
    );
  }

  /** As it is now; as it last was, while that cannot be found out. */
  async function projectOf(group: Group): Promise<Project> {
    try {
      group.project = (await getProject(group.project.projectId)) ?? group.project;
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
    }
    return group.project;
  }

  /** In a context of its own: nothing is remembered of the event before, and the project is as it is now. */
  async function execute(group: Group, event: StoredEvent): Promise<ExecutionResult> {
    const { request, viewer } = group;
    const requestId = newId();
    try {
      const project = await projectOf(group);
      const context = createContext(services, {
        viewer: { ...viewer, project },
        requestId,
        connection: { ip: '', headers: {}, edge: {}, browserId: '' },
      });
      const { document, variables, operationName } = request;
      return await runDocument(document, variables, operationName, context, log, event);
    } catch (error) {
      return { errors: [presentError(error, log, requestId)], data: null };
    }
  }

  /* Subscribers */

  function start(group: Group, after: number | null, outlet: Outlet): Subscriber {
    const subscriber = new Subscriber(outlet, group, after);
    group.size += 1;
    join(group, subscriber, after).catch((error: unknown) => {
      if (!subscriber.isOpen) return;
      subscriber.stop();
      outlet.fail(error);
    });
    return subscriber;
  }

  function leave(group: Group, subscriber: Subscriber): void {
    group.members.delete(subscriber);
    group.size -= 1;
    if (group.size > 0) return;
    group.following.stop();
    if (groups.get(group.key) === group) groups.delete(group.key);
  }

  async function join(group: Group, subscriber: Subscriber, after: number | null): Promise<void> {
    const begins = await group.following.start;
    if (group.position === Number.POSITIVE_INFINITY) group.position = begins;
    if (after === null) subscriber.floor = group.position;
    while (subscriber.isOpen) {
      // Looked at and joined in one turn: the group does not move in between.
      if (subscriber.floor >= group.position) {
        subscriber.isLive = true;
        group.members.add(subscriber);
        return;
      }
      await subscriber.outlet.inTurn(() => catchUp(group, subscriber));
    }
  }

  /** Tells a page of what it missed, and waits until that is taken, also in between when it is much. */
  async function catchUp(group: Group, subscriber: Subscriber): Promise<void> {
    const { outlet } = subscriber;
    const page = await nextPage(group, subscriber);
    if (!page) return;
    const isWanted = () => subscriber.isOpen;
    await inWindows(group, page.events, isWanted, async (result, position) => {
      while (subscriber.isOpen && outlet.waitingBytes > CATCH_UP_BYTES) {
        await outlet.flushed();
        await nextTurn();
      }
      if (!subscriber.isOpen) return;
      outlet.next(result);
      subscriber.floor = position;
    });
    if (!subscriber.isOpen) return;
    subscriber.floor = page.position;
    if (page.events.length > 0) await outlet.flushed();
  }

  /** Read again while the database is away; null when the subscriber is gone. */
  async function nextPage({ viewer, selection }: Group, subscriber: Subscriber): Promise<EventPage | null> {
    while (subscriber.isOpen) {
      try {
        const { floor } = subscriber;
        return await reading(() => services.events.readPage(viewer.project, selection, floor, PAGE));
      } catch (error) {
        if (error instanceof AppError && error.kind !== 'unavailable') throw error;
        log.error({ err: error }, 'reading events for a subscription failed');
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
    return null;
  }

  return {
    open,
    counts: () => ({
      projects: hub.followed,
      groups: groups.size,
      subscribers: [...groups.values()].reduce((sum, { size }) => sum + size, 0),
    }),
  };
}

/** Whether something of it was not read because the database was away. */
function isAway({ errors = [] }: ExecutionResult): boolean {
  return errors.some(({ extensions }) => extensions.kind === 'unavailable');
}

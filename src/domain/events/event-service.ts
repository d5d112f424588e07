import {
  type EventSelection,
  type StoredEvent,
  selectFor,
  selects,
  toStoredEvents,
} from '@vouchgraph/events';
import { decodeCursor, encodeCursor } from '@vouchgraph/platform/cursor';
import type { AppError } from '@vouchgraph/platform/errors';
import { isUuid, NIL_UUID } from '@vouchgraph/platform/ids';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Action } from '../projects/actions.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { cursorTooOld, cursorUnknown } from './errors.ts';
import { eventAccountHash } from './event-account-hash.ts';
import {
  countEvents,
  type EventAccount,
  type EventRange,
  findEvents,
  readEvents,
  readEventsBack,
  readHead,
} from './event-store.ts';

/** A cursor of events is valid for every query of the project's events: it is a position in one order. */
export const EVENT_SCOPE = 'events';

export type EventPage = {
  readonly events: readonly StoredEvent[];
  /** Everything selected up to here is in this page, or was before it. */
  readonly position: number;
  /** Whether no event followed at the time of the read. */
  readonly isLast: boolean;
};

export type EventService = ReturnType<typeof createEventService>;

/** Positions of one read of some types: there can be many events between two of them. */
const MAX_POSITIONS = 100_000;
/** Such reads of one page. */
const READS_OF_TYPES = 5;

type Deps = {
  readonly onError: (error: unknown) => void;
  /** Finds an account by the client's id. */
  readonly findAccount: (
    database: ProjectDatabase,
    accountId: string,
  ) => Promise<{ readonly id: string } | null>;
};

/** Reads the events of a project from the database. */
export function createEventService(deps: Deps) {
  return {
    /** The selected events after a position, from at most `limit` rows. Throws as `headBehind` does. */
    readPage: (project: Project, selection: EventSelection, after: number, limit: number) =>
      readPage(deps, project, selection, { after, before: null, limit }),
    /**
     * Events of a viewer's selection between two positions: at most `limit`, the first or, for a backward page, the last
     * ones, newest first. A limited token receives those of its account or session.
     */
    readPageOf: (viewer: Viewer, asked: EventSelection, page: WantedPage) =>
      readPageOf(deps, viewer, asked, page),
    /** Number of events of a viewer's selection, up to a limit; a lower bound if it would read too many events. */
    count: (viewer: Viewer, asked: EventSelection, limit: number) => count(deps, viewer, asked, limit),
    /** Events by their ids, in this order; null for those that do not exist or that the viewer may not read. */
    findMany: (viewer: Viewer, ids: readonly string[]) => findMany(deps, viewer, ids),
    subscribe,
    cursorAt,
    headCursor,
  };
}

/** The account of a selection; null for any account. */
async function accountOf(
  { findAccount }: Deps,
  { database, cipher }: Project,
  { accountId }: EventSelection,
): Promise<EventAccount | null> {
  if (accountId === null) return null;
  const id = (await findAccount(database, accountId))?.id ?? NIL_UUID;
  return { id, hash: eventAccountHash(cipher, accountId) };
}

async function readPage(
  deps: Deps,
  project: Project,
  selection: EventSelection,
  { after, before, limit }: { after: number; before: number | null; limit: number },
): Promise<EventPage> {
  const { database } = project;
  const head = await headBehind(project, after);
  const { types, sessionId } = selection;
  if (types?.length === 0) return { events: [], position: Math.max(after, head.position), isLast: true };
  // Looked up after the head: the account of every event up to it is found, if it still exists.
  const account = await accountOf(deps, project, selection);
  const end = before === null ? head.position : Math.min(head.position, before - 1);
  const through = isReadInParts(selection) ? Math.min(end, after + MAX_POSITIONS) : end;
  const range = { after, before: through + 1, limit, types, account, sessionId };
  const rows = await readEvents(database, range);
  // Some may have been forgotten before they were read: their positions were noted before that.
  await headBehind(project, after);
  const isFull = rows.length === limit;
  const events = toStoredEvents(project, rows, deps.onError);
  return {
    events: events.filter((event) => selects(selection, event)),
    position: isFull ? Number(rows.at(-1)!.position) : Math.max(after, through),
    isLast: !isFull && through >= end,
  };
}

/** Whether events are read by position, and some of them are not selected. */
const isReadInParts = ({ types, accountId, sessionId }: EventSelection) =>
  types !== null && accountId === null && sessionId === null;

/** Positions between which events are wanted; null for the oldest and the newest event. */
export type WantedPage = {
  readonly after: number | null;
  readonly before: number | null;
  readonly isBackward: boolean;
  readonly limit: number;
};

/** Events of a page. */
export type ReadEvents = {
  readonly events: readonly StoredEvent[];
  /**
   * Position up to which rows were read, if fewer than `limit` events were found and further rows remain; null otherwise.
   * Events after it are on the next page.
   */
  readonly readTo: number | null;
};

/** Number of reads of a page: of some types, each read ends after a number of positions. */
const readsOf = (selection: EventSelection) => (isReadInParts(selection) ? READS_OF_TYPES : 1);

async function readPageOf(
  deps: Deps,
  viewer: Viewer,
  asked: EventSelection,
  page: WantedPage,
): Promise<ReadEvents> {
  assertMay(viewer, 'event.read');
  const selection = selectFor(viewer, asked);
  return page.isBackward
    ? readBack(deps, viewer.project, selection, page)
    : readForward(deps, viewer.project, selection, page);
}

async function readForward(
  deps: Deps,
  project: Project,
  selection: EventSelection,
  { after, before, limit }: WantedPage,
): Promise<ReadEvents> {
  const readFrom = (position: number) =>
    readPage(deps, project, selection, { after: position, before, limit });
  const oldest = async () => (await readHead(project.database)).purgedThrough;
  let position = after ?? (await oldest());
  const found: StoredEvent[] = [];
  for (let reads = readsOf(selection); reads > 0; reads -= 1) {
    const read = await readFrom(position).catch(async (error: unknown) => {
      // A request for the oldest events gets those that are the oldest now.
      if (after !== null || (error as AppError).code !== cursorTooOld().code) throw error;
      position = await oldest();
      return readFrom(position);
    });
    found.push(...read.events);
    if (read.isLast || found.length >= limit) return { events: found.slice(0, limit), readTo: null };
    position = read.position;
  }
  return { events: found, readTo: position };
}

async function readBack(
  deps: Deps,
  project: Project,
  selection: EventSelection,
  { after, before, limit }: WantedPage,
): Promise<ReadEvents> {
  const { database } = project;
  const head = await headBehind(project, before ?? (await readHead(database)).position);
  const first = Math.max(after ?? 0, head.purgedThrough);
  const { types, sessionId } = selection;
  if (types?.length === 0) return { events: [], readTo: null };
  const account = await accountOf(deps, project, selection);
  const found: StoredEvent[] = [];
  let last = before ?? head.position + 1;
  for (let reads = readsOf(selection); reads > 0; reads -= 1) {
    const from = isReadInParts(selection) ? Math.max(first, last - 1 - MAX_POSITIONS) : first;
    const range = { after: from, before: last, limit, types, account, sessionId };
    const rows = await readEventsBack(database, range);
    found.push(...toStoredEvents(project, rows, deps.onError).filter((event) => selects(selection, event)));
    const isFull = rows.length === limit;
    if ((!isFull && from === first) || found.length >= limit)
      return { events: found.slice(0, limit), readTo: null };
    last = isFull ? Number(rows.at(-1)!.position) : from + 1;
  }
  return { events: found, readTo: last };
}

/** A number of events; `isExact` is false where further ones can exist. */
export type EventCount = { readonly value: number; readonly isExact: boolean };

async function count(deps: Deps, viewer: Viewer, asked: EventSelection, limit: number): Promise<EventCount> {
  assertMay(viewer, 'event.read');
  const { project } = viewer;
  const { database } = project;
  const selection = selectFor(viewer, asked);
  const { types, sessionId } = selection;
  if (types?.length === 0) return { value: 0, isExact: true };
  const account = await accountOf(deps, project, selection);
  const { position: head, purgedThrough: after } = await readHead(database);
  const range = { after, before: head + 1, limit, types, account, sessionId };
  if (isReadInParts(selection)) return countInParts(database, range, head);
  const counted = await countEvents(database, range);
  return counted < limit ? { value: counted, isExact: true } : { value: limit - 1, isExact: false };
}

/** Counts events of some types, in as many reads as a page has. */
async function countInParts(
  database: ProjectDatabase,
  { limit, ...range }: EventRange,
  head: number,
): Promise<EventCount> {
  let [value, after] = [0, range.after];
  for (let read = 0; read < READS_OF_TYPES && after < head && value < limit; read += 1) {
    const through = Math.min(head, after + MAX_POSITIONS);
    value += await countEvents(database, { ...range, after, before: through + 1, limit: limit - value });
    after = through;
  }
  return value < limit ? { value, isExact: after >= head } : { value: limit - 1, isExact: false };
}

async function findMany(
  { onError }: Deps,
  viewer: Viewer,
  ids: readonly string[],
): Promise<(StoredEvent | null)[]> {
  assertMay(viewer, 'event.read');
  const { project } = viewer;
  const rows = await findEvents(project.database, ids.filter(isUuid));
  const everything = { types: null, accountId: null, sessionId: null };
  const selection = selectFor(viewer, { ...everything, listName: null, checkKind: null, emailBatchId: null });
  const seen = toStoredEvents(project, rows, onError).filter((event) => selects(selection, event));
  const byId = new Map(seen.map((event) => [event.id, event]));
  return ids.map((id) => byId.get(id.toLowerCase()) ?? null);
}

/** The position of a cursor; throws `input.invalid` when it is none of the project's events. */
function positionOf({ cipher }: Project, cursor: string): number {
  const [position] = decodeCursor(cipher, EVENT_SCOPE, cursor);
  return Number(position);
}

/** The position of the last event. Throws when the events after a position were purged, or it is after all events. */
async function headBehind(project: Project, position: number): ReturnType<typeof readHead> {
  const head = await readHead(project.database);
  if (position < head.purgedThrough) throw cursorTooOld();
  if (position > head.position) throw cursorUnknown();
  return head;
}

export type SubscribeAction = Extract<Action, `event.subscribe${string}` | `${string}.subscribe`>;

/** Selection of events for a viewer, and the position to resume from; null: new events only. Throws as `headBehind` does. */
async function subscribe(
  viewer: Viewer,
  action: SubscribeAction,
  asked: EventSelection,
  cursor: string | null,
): Promise<{ selection: EventSelection; after: number | null }> {
  assertMay(viewer, action);
  const selection = selectFor(viewer, asked);
  if (cursor === null) return { selection, after: null };
  const after = positionOf(viewer.project, cursor);
  await headBehind(viewer.project, after);
  return { selection, after };
}

const cursorAt = ({ cipher }: Project, position: number) => encodeCursor(cipher, EVENT_SCOPE, [position]);

/** Where the events of a project end now. */
async function headCursor(project: Project): Promise<string> {
  return cursorAt(project, (await readHead(project.database)).position);
}

import { decodeCursor, encodeCursor } from '../../platform/cursor.ts';
import type { AppError } from '../../platform/errors.ts';
import { NIL_UUID } from '../../platform/ids.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { cursorTooOld, cursorUnknown } from './errors.ts';
import { type StoredEvent, toStoredEvents } from './event.ts';
import { type EventSelection, selectFor, selects } from './event-selection.ts';
import { readEvents, readHead } from './event-store.ts';

/** Cursors of events are good for every question about the project's events: they are places in one order. */
export const EVENT_SCOPE = 'events';

export type EventPage = {
  readonly events: readonly StoredEvent[];
  /** Everything selected up to here is in this page, or was before it. */
  readonly position: number;
  /** Whether nothing came behind it when it was read. */
  readonly isLast: boolean;
};

export type EventService = ReturnType<typeof createEventService>;

const ROWS = 200;

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
    /** The selected events behind a position, from at most `limit` rows. Throws as `headBehind` does. */
    readPage: (project: Project, selection: EventSelection, after: number, limit: number) =>
      readPage(deps, project, selection, { after, limit }),
    /**
     * The first of the selected events behind a cursor, or of all that are kept; `wanted` of them where there are so many.
     * A limited token gets those of its account or session.
     */
    readFirst: (viewer: Viewer, asked: EventSelection, cursor: string | null, wanted: number) =>
      readFirst(deps, viewer, asked, { cursor, wanted }),
    subscribe,
    cursorAt,
    headCursor,
  };
}

async function readPage(
  { onError, findAccount }: Deps,
  project: Project,
  selection: EventSelection,
  { after, limit }: { after: number; limit: number },
): Promise<EventPage> {
  const { database } = project;
  const head = await headBehind(project, after);
  const { types, accountId, sessionId } = selection;
  if (types?.length === 0) return { events: [], position: Math.max(after, head.position), isLast: true };
  // Looked up behind the head: the account of every event up to there is found, if it is still there.
  const account = accountId === null ? null : ((await findAccount(database, accountId))?.id ?? NIL_UUID);
  const rows = await readEvents(database, { after, limit, types, account, sessionId });
  // Some may have been forgotten before they were read: their positions were noted before that.
  await headBehind(project, after);
  const read = rows.filter((row) => Number(row.position) <= head.position);
  const isLast = rows.length < limit || read.length < rows.length;
  const events = toStoredEvents(project, read, onError);
  return {
    events: events.filter((event) => selects(selection, event)),
    position: isLast ? Math.max(after, head.position) : Number(read.at(-1)!.position),
    isLast,
  };
}

async function readFirst(
  deps: Deps,
  viewer: Viewer,
  asked: EventSelection,
  { cursor, wanted }: { cursor: string | null; wanted: number },
): Promise<StoredEvent[]> {
  assertMay(viewer, 'event.read');
  const { project } = viewer;
  const selection = selectFor(viewer, asked);
  const after = cursor === null ? null : positionOf(project, cursor);
  const readFrom = (position: number) =>
    readPage(deps, project, selection, { after: position, limit: Math.max(ROWS, wanted) });
  const oldest = async () => (await readHead(project.database)).purgedThrough;
  let position = after ?? (await oldest());
  const found: StoredEvent[] = [];
  for (;;) {
    const read = await readFrom(position).catch(async (error: unknown) => {
      // A request for the oldest events gets those that are the oldest now.
      if (after !== null || (error as AppError).code !== cursorTooOld().code) throw error;
      position = await oldest();
      return readFrom(position);
    });
    found.push(...read.events);
    if (read.isLast || found.length >= wanted) return found.slice(0, wanted);
    position = read.position;
  }
}

/** The position of a cursor; throws `input.invalid` when it is none of the project's events. */
function positionOf({ cipher }: Project, cursor: string): number {
  const [position] = decodeCursor(cipher, EVENT_SCOPE, cursor);
  return Number(position);
}

/** How far the events go; throws when those behind a position are gone for their age, or it is ahead of all. */
async function headBehind(project: Project, position: number): ReturnType<typeof readHead> {
  const head = await readHead(project.database);
  if (position < head.purgedThrough) throw cursorTooOld();
  if (position > head.position) throw cursorUnknown();
  return head;
}

/**
 * What a viewer receives of the events that it subscribes to, and the position to resume from; null: new events only.
 * Throws as `headBehind` does.
 */
async function subscribe(
  viewer: Viewer,
  action: 'event.subscribe' | 'list.subscribe' | 'email_check.subscribe',
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

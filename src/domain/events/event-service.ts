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

/** Reads the events of a project from the database. */
export function createEventService(deps: {
  onError: (error: unknown) => void;
  /** Finds an account by the client's id. */
  findAccount: (database: ProjectDatabase, accountId: string) => Promise<{ readonly id: string } | null>;
}) {
  /** The selected events behind a position, from at most `limit` rows. Throws as `headBehind` does. */
  async function readPage(
    project: Project,
    selection: EventSelection,
    after: number,
    limit: number,
  ): Promise<EventPage> {
    const { database } = project;
    const head = await headBehind(project, after);
    const { types, accountId, sessionId } = selection;
    if (types?.length === 0) return { events: [], position: Math.max(after, head.position), isLast: true };
    // Looked up behind the head: the account of every event up to there is found, if it is still there.
    const account = accountId === null ? null : await internalIdOf(accountId);
    const rows = await readEvents(database, { after, limit, types, account, sessionId });
    // Some may have been forgotten before they were read: their positions were noted before that.
    await headBehind(project, after);
    const read = rows.filter((row) => Number(row.position) <= head.position);
    const isLast = rows.length < limit || read.length < rows.length;
    const events = toStoredEvents(project, read, deps.onError);
    return {
      events: events.filter((event) => selects(selection, event)),
      position: isLast ? Math.max(after, head.position) : Number(read.at(-1)!.position),
      isLast,
    };

    async function internalIdOf(id: string): Promise<string> {
      return (await deps.findAccount(database, id))?.id ?? NIL_UUID;
    }
  }

  /**
   * The first of the selected events behind a cursor, or of all that are kept; `wanted` of them where there are so many. A
   * limited token gets those of its account or session.
   */
  async function readFirst(
    viewer: Viewer,
    asked: EventSelection,
    cursor: string | null,
    wanted: number,
  ): Promise<StoredEvent[]> {
    assertMay(viewer, 'event.read');
    const { project } = viewer;
    const selection = selectFor(viewer, asked);
    const after = cursor === null ? null : positionOf(project, cursor);
    const oldest = async () => (await readHead(project.database)).purgedThrough;
    let position = after ?? (await oldest());
    const found: StoredEvent[] = [];
    for (;;) {
      const page = await readPage(project, selection, position, Math.max(ROWS, wanted)).catch(
        async (error: unknown) => {
          // Whoever asked for the oldest gets those that are the oldest now.
          if (after !== null || (error as AppError).code !== cursorTooOld().code) throw error;
          position = await oldest();
          return readPage(project, selection, position, Math.max(ROWS, wanted));
        },
      );
      found.push(...page.events);
      if (page.isLast || found.length >= wanted) return found.slice(0, wanted);
      position = page.position;
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

  return {
    readPage,
    readFirst,
    subscribe,
    cursorAt,
    /** Where the events of a project end now. */
    async headCursor(project: Project): Promise<string> {
      return cursorAt(project, (await readHead(project.database)).position);
    },
  };
}

import { EVENT_TYPES } from '@vouchgraph/events';
import { isUuid } from '@vouchgraph/platform/ids';
import { readGlobalId } from '../kernel/node-id.ts';
import { objectNameOf } from './event-type.ts';

const EVENT_OBJECTS: ReadonlySet<string> = new Set(EVENT_TYPES.map(objectNameOf));

/** The UUID of an event that a client named by its global id or by this UUID; '' when it is the id of no event. */
export function eventIdOf(globalId: string): string {
  if (isUuid(globalId)) return globalId.toLowerCase();
  const read = readGlobalId(globalId);
  return read && EVENT_OBJECTS.has(read.typename) ? read.id : '';
}

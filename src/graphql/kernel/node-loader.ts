import { isUuid, NIL_UUID } from '@vouchgraph/platform/ids';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { Action } from '../../domain/projects/actions.ts';
import { refusalOf } from '../../domain/projects/assert-may.ts';
import { internalIdOf } from './node-id.ts';

/** The UUID of an object of a type that an argument names; null when it is another id. */
export function uuidOf(typename: string, given: string | number): string | null {
  const key = internalIdOf(typename, given);
  return key !== null && isUuid(key) ? key : null;
}

/** The internal id by which a node is read: one of no object for another form, or where the viewer may not do this. */
export function readableUuid(viewer: Viewer, action: Action, id: string): string {
  return isUuid(id) && refusalOf(viewer, action) === null ? id.toLowerCase() : NIL_UUID;
}

const MAX_NUMBER = 2 ** 31 - 1;

/** UUID and number in the id of a part of an object, such as UUID:NUMBER, by which it is read; those of no object as above. */
export function readablePart(viewer: Viewer, action: Action, id: string): { uuid: string; number: number } {
  const [uuid = '', text = '', ...more] = id.split(':');
  const number = Number(text);
  const isPart = more.length === 0 && number <= MAX_NUMBER && String(number) === text;
  return { uuid: readableUuid(viewer, action, isPart ? uuid : ''), number: isPart ? number : 0 };
}

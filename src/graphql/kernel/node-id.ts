import { isUuid } from '@vouchgraph/platform/ids';

/*
 * Global ids: base64 of the type's name and of a key that is unique in the project. The key is a UUID, and for parts of
 * such an object the UUID and a number. The project is that of the viewer and no part of the id.
 */

const PART = /^(?<uuid>[^:]+):\d{1,10}$/;

/** The global id of an object. */
export function globalIdOf(typename: string, key: string): string {
  return Buffer.from(`${typename}:${key}`).toString('base64');
}

/** Type and key of a global id; null when the text cannot be one. */
export function readGlobalId(globalId: string): { typename: string; id: string } | null {
  const text = Buffer.from(globalId, 'base64').toString('utf8');
  const typename = text.split(':', 1)[0]!;
  const id = text.slice(typename.length + 1);
  // A second spelling of the same bytes is no id.
  if (globalIdOf(typename, id) !== globalId) return null;
  return isUuid(PART.exec(id)?.groups?.uuid ?? id) ? { typename, id } : null;
}

/**
 * The key of the object of a type that an argument names, in lower case: by its global id, or by the UUID that fields, REST,
 * webhooks and the command show. No global id has the form of a UUID. Null when it is neither: no such object exists.
 */
export function internalIdOf(typename: string, given: string | number): string | null {
  const text = String(given);
  if (isUuid(text)) return text.toLowerCase();
  const read = readGlobalId(text);
  return read?.typename === typename ? read.id.toLowerCase() : null;
}

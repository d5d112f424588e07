/*
 * A file's key is `project/shard/object`: the shard, the last two digits of the object's id, keeps folders small. It is
 * the same for every version of an object, since a file is replaced whole.
 */

export function mediaKey(projectId: string, objectId: string): string {
  return `${projectId}/${objectId.slice(-2)}/${objectId}`;
}

const OURS = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\.[0-9a-f]+\.unfinished)?$/;

/** Whose file a key is; `isUnfinished` when it was not written to its end. Null when the file is none of ours. */
export function objectOfKey(key: string): { objectId: string; isUnfinished: boolean } | null {
  const match = OURS.exec(key);
  return match && { objectId: match[1]!, isUnfinished: match[2] !== undefined };
}

/*
 * A file's key is `project/shard/object.version`: the shard, the last two digits of the object's id, keeps folders
 * small. Each upload writes a version of its own, so that what an object shows changes with its row and never before.
 */

/** One version of an object. */
export type MediaFile = { readonly objectId: string; readonly version: string };

export function mediaKey(projectId: string, { objectId, version }: MediaFile): string {
  return `${projectId}/${objectId.slice(-2)}/${objectId}.${version}`;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const OURS = new RegExp(`/(${UUID})\\.(${UUID})(\\.[0-9a-f]+\\.unfinished)?$`);

/** Whose file a key is; `isUnfinished` when it was not written to its end. Null when the file is none of ours. */
export function fileOfKey(key: string): (MediaFile & { isUnfinished: boolean }) | null {
  const match = OURS.exec(key);
  return match && { objectId: match[1]!, version: match[2]!, isUnfinished: match[3] !== undefined };
}

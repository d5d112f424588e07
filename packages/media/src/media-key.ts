/*
 * The key of a file is `project/shard/object.version`. The shard, the last two digits of the object's id, keeps folders small.
 * Each upload writes a new version, so that the content of an object changes only with its row.
 */

/** One version of an object. */
export type MediaFile = { readonly objectId: string; readonly version: string };

/** Key of a file in the storage: the project, then 256 folders by the last digits of the object, as they are random. */
export function mediaKey(projectId: string, { objectId, version }: MediaFile): string {
  return `${projectId}/${objectId.slice(-2)}/${objectId}.${version}`;
}

/** Pattern of an id in keys and URLs of media. */
export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const FILE_KEY = new RegExp(`/(${UUID})\\.(${UUID})(\\.[0-9a-f]+\\.unfinished)?$`);

/** Parses a key. `isUnfinished`: the file was not written completely. Null for files not written by the service. */
export function fileOfKey(key: string): (MediaFile & { isUnfinished: boolean }) | null {
  const match = FILE_KEY.exec(key);
  return match && { objectId: match[1]!, version: match[2]!, isUnfinished: match[3] !== undefined };
}

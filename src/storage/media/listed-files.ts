import type { DriveDirectory, DriveFile } from 'flydrive';
import type { StoredFile } from './media-storage.ts';

/** The files of a listing, without its folders. */
export function toStoredFiles(entries: Iterable<DriveFile | DriveDirectory>): StoredFile[] {
  return [...entries].filter((entry) => entry.isFile).map(toStoredFile);
}

function toStoredFile(file: DriveFile): StoredFile {
  return {
    key: file.key,
    async modifiedAt() {
      try {
        return (await file.getMetaData()).lastModified;
      } catch {
        // Removed since it was listed, or not readable now. The next listing decides.
        return null;
      }
    },
  };
}

/** A file that is open: its parts are all of the same version, whatever happens to its name meanwhile. */
export type OpenFile = {
  readonly size: number;
  /** Requested number of its first bytes. */
  readonly head: Buffer;
  /** The bytes from `start` to before `end`. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
};

export type StoredFile = {
  readonly key: string;
  /** Time of the write; null if the file was deleted meanwhile. */
  modifiedAt(): Promise<Date | null>;
};

/** Storage of files under keys (`folder/folder/name`). The contents are already encrypted. */
export type MediaStorage = {
  /**
   * Writes a file, in place of an earlier one: readers find either of them whole, also after a crash, and the new one
   * once this resolves.
   */
  put(key: string, parts: Iterable<Uint8Array>, length: number): Promise<void>;
  /** Opens a file and reads its first bytes; null if it does not exist. */
  open(key: string, headBytes: number): Promise<OpenFile | null>;
  /** Removes a file. A missing file is not an error. */
  delete(key: string): Promise<void>;
  /** All files below a folder, in portions. */
  list(folder: string): AsyncIterable<StoredFile[]>;
  close(): void;
};

import type { Readable } from 'node:stream';
import type { ImportProblem, presentImport } from '../../../domain/email-checks/import/import-record.ts';
import type { ImportOptions } from '../../../domain/email-checks/import/import-service.ts';

/** An import as REST returns it. */
export type ShownImport = ReturnType<typeof presentImport>;

/** The imports of a project, of the local database or of a gateway. */
export type ImportAccess = {
  projectId(): Promise<string>;
  /** The newest 100. */
  list(): Promise<ShownImport[]>;
  /** Throws an error if it does not exist. */
  find(importId: string): Promise<ShownImport>;
  findOrNull(importId: string): Promise<ShownImport | null>;
  /** The first bad rows. */
  problems(importId: string, limit: number): Promise<ImportProblem[]>;
  result(importId: string, bom: boolean): Promise<AsyncIterable<string | Uint8Array>>;
  erase(importId: string): Promise<void>;
  /** Stores the rows of a file as a new import; returns its id, which a gateway assigns itself. */
  start(importId: string, source: ImportSource, options: ImportOptions): Promise<string>;
  /** Stores the rest of the file of an import. */
  resume(importId: string, source: ImportSource): Promise<void>;
  /** Completes pending checks until this process can claim no more; a gateway does it by itself. */
  work(): Promise<void>;
  /** Stops working. The remaining rows are processed later or by another process. */
  stop(): Promise<void>;
  /** Milliseconds between two looks at the progress. */
  readonly pollMs: number;
};

export type ImportSource = {
  /** Opens the file. */
  open(): Readable;
  readonly size: number;
  readonly signal: AbortSignal;
  onProgress(bytes: number): void;
};

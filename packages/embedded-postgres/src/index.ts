export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
export { EmbeddedPostgresError } from './embedded-postgres-error.ts';
export { acquireFolderLock, type FolderLock } from './folder-lock.ts';
export { findRunningPostgres, hasDatabase } from './running-postgres.ts';

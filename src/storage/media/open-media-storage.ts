import type { MediaStorage } from './media-storage.ts';
import type { S3Settings } from './s3-storage.ts';

export type MediaSettings =
  | { readonly driver: 'disk'; readonly folder: string }
  | ({ readonly driver: 's3' } & S3Settings);

/** The storage that the settings name. The client of S3 is large: it is loaded where it is used only. */
export async function openMediaStorage(settings: MediaSettings): Promise<MediaStorage> {
  if (settings.driver === 's3') return (await import('./s3-storage.ts')).createS3Storage(settings);
  return (await import('./disk-storage.ts')).createDiskStorage(settings.folder);
}

import { systemClock } from '@vouchgraph/platform/clock';
import type { Config } from '../../config.ts';
import { createMediaService, type MediaService } from '../../domain/media/media-service.ts';
import { createUploadPermission } from '../../domain/verification/capture/upload-permission-service.ts';
import { openMediaStorage } from '../../storage/media/open-media-storage.ts';
import type { CommandStorage } from './open-project.ts';

/* Loaded when a command needs it. */

/** URL of a gateway with the same settings. */
export const gatewayUrlOf = ({ publicUrl, host, port }: Config): string =>
  publicUrl ?? `http://${host}:${port}`;

/** Opens images and videos for a command. Their URLs are those of a gateway with the same settings. */
export async function openMedia({ config, opened }: CommandStorage): Promise<MediaService> {
  const storage = await openMediaStorage(config.media);
  opened.defer(() => storage.close());
  return createMediaService({
    storage,
    clock: systemClock,
    retentionDays: config.mediaRetentionDays,
    baseUrl: () => gatewayUrlOf(config),
    checkImage: async (bytes) => (await import('@vouchgraph/vision/image-check')).checkImage(bytes),
    mayUpload: createUploadPermission(systemClock),
    onError: () => {},
  });
}

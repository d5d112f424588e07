import { accountExports } from '../../app/account-exports.ts';
import {
  createExportService,
  type ExportService,
} from '../../domain/accounts/export/export-account-service.ts';
import { createMediaService } from '../../domain/media/media-service.ts';
import { createUploadPermission } from '../../domain/verification/capture/upload-permission-service.ts';
import { systemClock } from '../../platform/clock.ts';
import { openMediaStorage } from '../../storage/media/open-media-storage.ts';
import type { CommandStorage } from '../support/open-project.ts';

/** Opens exports of accounts. URLs of images are those of a gateway with the same settings. */
export async function openExports({ config, opened }: CommandStorage): Promise<ExportService> {
  const clock = systemClock;
  const storage = await openMediaStorage(config.media);
  opened.defer(() => storage.close());
  const media = createMediaService({
    storage,
    clock,
    retentionDays: config.mediaRetentionDays,
    baseUrl: () => config.publicUrl ?? `http://${config.host}:${config.port}`,
    checkImage: async (bytes) => (await import('../../domain/vision/image-check.ts')).checkImage(bytes),
    mayUpload: createUploadPermission(clock),
    onError: () => {},
  });
  return createExportService({ clock, exports: accountExports({ media }) });
}

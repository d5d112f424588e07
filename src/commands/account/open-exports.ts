import { systemClock } from '@vouchgraph/platform/clock';
import { accountExports } from '../../app/account-exports.ts';
import {
  createExportService,
  type ExportService,
} from '../../domain/accounts/export/export-account-service.ts';
import { openMedia } from '../support/open-media.ts';
import type { CommandStorage } from '../support/open-project.ts';

/** Opens exports of accounts. */
export async function openExports(storage: CommandStorage): Promise<ExportService> {
  const media = await openMedia(storage);
  return createExportService({ clock: systemClock, exports: accountExports({ media }) });
}

import { systemClock } from '@vouchgraph/platform/clock';
import { createKeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import { createVisionPool, isVisionInstalled } from '@vouchgraph/vision';
import { createFaceRecompute } from '../../domain/verification/faces/face-recompute-service.ts';
import { createVerificationViews } from '../../domain/verification/result/view-service.ts';
import {
  createVerificationService,
  type VerificationService,
} from '../../domain/verification/verification-service.ts';
import { openAccounts } from '../support/open-accounts.ts';
import { gatewayUrlOf, openMedia } from '../support/open-media.ts';
import type { CommandStorage } from '../support/open-project.ts';

/** Opens verifications for a command. The threads that read images start when a document needs them. */
export async function openVerifications(storage: CommandStorage): Promise<VerificationService> {
  const { config, opened } = storage;
  const media = await openMedia(storage);
  const vision = createVisionPool({ size: config.visionWorkers, onError: () => {} });
  opened.defer(() => vision.close(0));
  const mutex = createKeyedMutex();
  return createVerificationService({
    accounts: openAccounts(),
    views: createVerificationViews({ media }),
    clock: systemClock,
    mutex,
    recompute: createFaceRecompute({ vision, media, mutex }),
    baseUrl: () => gatewayUrlOf(config),
    hasVision: isVisionInstalled(),
  });
}

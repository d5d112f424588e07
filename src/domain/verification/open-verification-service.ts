import type { Clock } from '@vouchgraph/platform/clock';
import { createKeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import { createVisionPool, isVisionInstalled } from '@vouchgraph/vision';
import type { Database } from '../../storage/database.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type { MediaService } from '../media/media-service.ts';
import type { Project } from '../projects/project.ts';
import type { Recomputation } from '../recompute/recompute-worker.ts';
import type { SessionService } from '../sessions/session-service.ts';
import { type CaptureService, createCaptureService } from './capture/capture-service.ts';
import { createCheckService } from './check/check-service.ts';
import { startCheckRunner } from './check/check-worker.ts';
import { createCompleteService } from './check/complete-service.ts';
import type { FaceSearch } from './faces/face-index-service.ts';
import { createFaceRecompute } from './faces/face-recompute-service.ts';
import { createVerificationViews } from './result/view-service.ts';
import { createVerificationService, type VerificationService } from './verification-service.ts';

export type VerificationParts = {
  readonly verifications: VerificationService;
  readonly captures: CaptureService;
  /** Completes all submitted verifications of a project, simulated ones without their delay, and waits for it. */
  settle(projectId: string): Promise<void>;
  /** Recomputation of face templates; null if images cannot be read. */
  readonly recomputation: Recomputation | null;
  /** Finishes running checks within seconds, and stops the threads. A template that is being recomputed fails. */
  close(): Promise<void>;
};

/** Simulated checks wait for no worker. */
const SIMULATED_AT_ONCE = 8;

/** Puts the parts of verification together: sessions, captures, and the workers that check them. */
export function openVerification(deps: {
  system: Database['system'];
  accounts: AccountService;
  sessions: SessionService;
  media: MediaService;
  faces: FaceSearch;
  clock: Clock;
  /** Number of concurrently read images. */
  workers: number;
  baseUrl: () => string;
  getProject: (projectId: string) => Promise<Project | null>;
  /** Whether images can be read: false in tests. By default, whether the packages for it are installed. */
  hasVision?: boolean;
  onError: (error: unknown, message: string) => void;
}): VerificationParts {
  const { system, accounts, sessions, media, faces, clock, workers, baseUrl, getProject, onError } = deps;
  const { hasVision = isVisionInstalled() } = deps;
  const reportAs = (message: string) => (error: unknown) => onError(error, message);
  const vision = createVisionPool({ size: workers, onError: reportAs('reading images failed') });
  const views = createVerificationViews({ media });
  const mutex = createKeyedMutex();
  const recompute = createFaceRecompute({ vision, media, mutex });
  const completing = createCompleteService({ accounts, faces, views, clock, mutex, recompute });
  const onExhausted = reportAs('a verification failed for technical reasons');
  const checks = createCheckService({ vision, media, completing, clock, onExhausted });
  const runner = startCheckRunner({
    system,
    checks,
    // Checks that need images stay in the queue for a gateway that can read them.
    atOnce: { real: hasVision ? workers : 0, simulated: SIMULATED_AT_ONCE },
    getProject,
    stopReading: () => vision.close(0),
    onError: reportAs('checking a verification failed'),
  });
  return {
    verifications: createVerificationService({
      accounts,
      views,
      clock,
      mutex,
      recompute,
      baseUrl,
      hasVision,
    }),
    captures: createCaptureService({ system, getProject, sessions, media, runner, clock }),
    settle: (projectId) => runner.settle(projectId),
    recomputation: hasVision ? recompute.recomputation : null,
    async close() {
      await runner.close();
      await vision.close(0);
    },
  };
}

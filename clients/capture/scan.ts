import type { ScanPlan, Step } from './challenge-plan.ts';
import { recordClip } from './clip.ts';
import { grabFace } from './images.ts';

/** Image of the scan. */
export type Shot = { step: Step; sequence: number; image: Blob };

export type Scan = { shots: Shot[]; clip: Blob | null };

/**
 * Runs the plan and takes its images. null if it was interrupted: a background page receives no frames from its camera, and
 * its timers are suspended.
 */
export async function runScan(options: {
  plan: ScanPlan;
  video: HTMLVideoElement;
  stream: MediaStream;
  /** Receives the current step and the progress of the scan, 0 to 1. */
  onMoment: (step: Step, share: number) => void;
  signal: AbortSignal;
}): Promise<Scan | null> {
  const { plan, video, stream, onMoment, signal } = options;
  const recording = recordClip(stream);
  const shots: Shot[] = [];
  let step: Step = 'center';
  const startMs = performance.now();
  for (const moment of plan.moments) {
    await until(startMs + moment.atMs, signal);
    if (signal.aborted) break;
    if (moment.kind === 'prompt') step = moment.step;
    onMoment(step, moment.atMs / plan.durationMs);
    if (moment.kind === 'prompt') continue;
    const image = await grabFace(video);
    if (!image) break;
    shots.push({ step: moment.step, sequence: moment.sequence, image });
  }
  const clip = (await recording?.stop()) ?? null;
  const wanted = plan.moments.filter(({ kind }) => kind === 'image').length;
  return !signal.aborted && shots.length === wanted ? { shots, clip } : null;
}

function until(timeMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, Math.max(0, timeMs - performance.now()));
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}

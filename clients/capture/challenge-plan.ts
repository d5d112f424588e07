/*
 * Schedule of the prompts and images of a face scan. The page does not measure the head pose: it leaves time to follow,
 * then takes several images of each step.
 */

export type Step = 'center' | 'left' | 'right';

/** Event at a time of the scan. */
export type Moment =
  | { atMs: number; kind: 'prompt'; step: Step }
  | { atMs: number; kind: 'image'; step: Step; sequence: number };

export type ScanPlan = { moments: readonly Moment[]; durationMs: number };

/** Images of each step, by sequence number, as sent to the server. */
export type StepFrames = { step: Step; frames: number[] };

const PICTURES_PER_STEP = 4;
const PICTURE_INTERVAL_MS = 280;
/** Time to read a prompt and to follow it: a turn takes longer than looking up. */
const CENTER_LEAD_MS = 1000;
const TURN_LEAD_MS = 1500;
/** Between two turns the head returns, without images. */
const RETURN_MS = 1100;

export function planScan(challenge: readonly Step[]): ScanPlan {
  const moments: Moment[] = [];
  let atMs = 0;
  let sequence = 0;
  const addStep = (step: Step) => {
    moments.push({ atMs, kind: 'prompt', step });
    atMs += step === 'center' ? CENTER_LEAD_MS : TURN_LEAD_MS;
    for (let count = 0; count < PICTURES_PER_STEP; count += 1) {
      moments.push({ atMs, kind: 'image', step, sequence });
      sequence += 1;
      atMs += PICTURE_INTERVAL_MS;
    }
  };
  addStep('center');
  challenge.forEach((step, index) => {
    if (index > 0) {
      moments.push({ atMs, kind: 'prompt', step: 'center' });
      atMs += RETURN_MS;
    }
    addStep(step);
  });
  return { moments, durationMs: atMs };
}

/** Images of each step, in the order of the scan. */
export function framesOf(plan: ScanPlan): StepFrames[] {
  const steps: StepFrames[] = [];
  for (const moment of plan.moments) {
    if (moment.kind !== 'image') continue;
    const last = steps[steps.length - 1];
    if (last?.step === moment.step) last.frames.push(moment.sequence);
    else steps.push({ step: moment.step, frames: [moment.sequence] });
  }
  return steps;
}

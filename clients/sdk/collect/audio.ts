import { within } from '../attempt.ts';

/** Two sums over one rendering; undefined where the browser has no audio, or gives it no time. */
export type AudioSums = { first: number; second: number } | undefined;

const SAMPLES = 4096;
const SUMMED_FROM = 3072;
const RATE_HZ = 44_100;
/** Time limit: a background page on a phone may never render. */
const MAX_WAIT_MS = 1000;

/**
 * Renders a tone without playing it, and sums it up twice, by the two ways in which a buffer can be read: noise that is
 * laid over one of them shows. The last digits differ between the mathematics of systems, not between visits.
 */
export async function sumAudio(): Promise<AudioSums> {
  if (typeof OfflineAudioContext !== 'function') return undefined;
  const rendered = await within<AudioBuffer | undefined>(renderTone(), MAX_WAIT_MS, undefined);
  if (!rendered) return undefined;
  const copy = new Float32Array(SAMPLES);
  rendered.copyFromChannel(copy, 0);
  return { first: sum(rendered.getChannelData(0)), second: sum(copy) };
}

function renderTone(): Promise<AudioBuffer> {
  const context = new OfflineAudioContext(1, SAMPLES, RATE_HZ);
  const tone = context.createOscillator();
  tone.type = 'sawtooth';
  tone.frequency.value = 1187;
  const filter = context.createBiquadFilter();
  filter.type = 'bandpass';
  filter.Q.value = 3;
  const press = context.createDynamicsCompressor();
  press.threshold.value = -42;
  press.ratio.value = 9;
  press.release.value = 0.2;
  tone.connect(filter).connect(press).connect(context.destination);
  tone.start();
  return context.startRendering();
}

function sum(samples: Float32Array): number {
  let total = 0;
  for (let index = SUMMED_FROM; index < SAMPLES; index += 1) total += Math.abs(samples[index]!);
  return total;
}

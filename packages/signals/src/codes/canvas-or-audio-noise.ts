import type { Finding } from '../automation/finding.ts';
import type { Checks } from '../device/checks.ts';
import { deviceEvidence, pageFinding } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.25 } as const;

/** Minimum relative difference of two sums of one sound: smaller ones are rounding by the client. */
const MIN_AUDIO_NOISE = 1e-7;

export const canvasOrAudioNoise = {
  code: 'canvas_or_audio_noise',
  family: 'device',
  describes: 'Different results of rendering the same image or sound twice, or an empty image.',
  needs: 'two renders of one image and of one sound',
  limits: 'Fraud by itself: browsers with fingerprinting protection add the same noise.',
  weights: WEIGHTS,
  evaluate({ checks }) {
    if (!checks) return null;
    return deviceEvidence({ code: 'canvas_or_audio_noise', group: 'environment', weights: WEIGHTS }, [
      ...canvasFindings(checks),
      ...audioFindings(checks),
    ]);
  },
} satisfies SignalCode;

function canvasFindings({ canvasFirst, canvasSecond, canvasBlank }: Checks): Finding[] {
  const found: Finding[] = [];
  if (canvasFirst !== '' && canvasSecond !== '' && canvasFirst !== canvasSecond) {
    found.push(pageFinding('canvas', 1, 'two renders of one image differ'));
  }
  if (canvasBlank === true) found.push(pageFinding('blank', 1, 'the image is empty'));
  return found;
}

/** Sums of the same samples are equal to the last digit; smaller differences are rounding by the client. */
function audioFindings({ audioFirst, audioSecond }: Checks): Finding[] {
  if (audioFirst === null || audioSecond === null) return [];
  const size = Math.max(Math.abs(audioFirst), Math.abs(audioSecond));
  if (Math.abs(audioFirst - audioSecond) <= size * MIN_AUDIO_NOISE) return [];
  return [pageFinding('audio', 1, 'two renders of one sound differ')];
}

import type { Finding } from '../automation/finding.ts';
import type { Checks } from '../device/checks.ts';
import { deviceEvidence, pageFinding } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS, MIN_AUDIO_NOISE } from '../evidence/weights.ts';

export const canvasOrAudioNoise = {
  code: 'canvas_or_audio_noise',
  family: 'device',
  describes: 'Noise in pictures and sounds hides a device: private browsers do it honestly, disguises too.',
  needs: 'two renders of one image and of one sound',
  evaluate({ checks }) {
    if (!checks) return null;
    return deviceEvidence(
      { code: 'canvas_or_audio_noise', group: 'environment', weight: DEVICE_WEIGHTS.canvasOrAudioNoise },
      [...canvasFindings(checks), ...audioFindings(checks)],
    );
  },
} satisfies SignalCode;

function canvasFindings({ canvasFirst, canvasSecond, canvasBlank }: Checks): Finding[] {
  const found: Finding[] = [];
  if (canvasFirst !== '' && canvasSecond !== '' && canvasFirst !== canvasSecond) {
    found.push(pageFinding('canvas', 1, 'one picture drawn twice differs'));
  }
  if (canvasBlank === true) found.push(pageFinding('blank', 1, 'the picture is empty'));
  return found;
}

/** Sums of the same samples are equal to the last digit; smaller differences are rounding by the client. */
function audioFindings({ audioFirst, audioSecond }: Checks): Finding[] {
  if (audioFirst === null || audioSecond === null) return [];
  const size = Math.max(Math.abs(audioFirst), Math.abs(audioSecond));
  if (Math.abs(audioFirst - audioSecond) <= size * MIN_AUDIO_NOISE) return [];
  return [pageFinding('audio', 1, 'one sound read twice differs')];
}

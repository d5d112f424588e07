import type { Checks } from '../checks.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence.ts';
import { DEVICE_WEIGHTS } from '../weights.ts';

export const canvasOrAudioNoise = {
  code: 'canvas_or_audio_noise',
  family: 'device',
  describes: 'Noise in pictures and sounds hides a device: private browsers do it honestly, disguises too.',
  needs: 'two renders of one picture and of one sound',
  evaluate({ checks }) {
    const noise = checks ? noiseOf(checks) : [];
    if (noise.length === 0) return null;
    return deviceEvidence({
      code: 'canvas_or_audio_noise',
      group: 'environment',
      weight: DEVICE_WEIGHTS.canvasOrAudioNoise,
      confidence: 1,
      observed: noise.join(', '),
    });
  },
} satisfies SignalCode;

function noiseOf({ canvasFirst, canvasSecond, canvasBlank, audioFirst, audioSecond }: Checks): string[] {
  const found: [what: string, holds: boolean][] = [
    [
      'two renders of a canvas differ',
      canvasFirst !== '' && canvasSecond !== '' && canvasFirst !== canvasSecond,
    ],
    ['a blank canvas', canvasBlank === true],
    ['two sums of a sound differ', audioFirst !== null && audioSecond !== null && audioFirst !== audioSecond],
  ];
  return found.filter(([, holds]) => holds).map(([what]) => what);
}

import { cameraKind } from '../automation/camera-labels.ts';
import { type Finding, mergeFindings } from '../automation/finding.ts';
import type { Checks } from '../device/checks.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.8 } as const;

/**
 * Virtual cameras. Which camera is used is unknown: beside a real one, a virtual one may serve another purpose.
 * Frames of a camera never come as evenly as `evenFramesMs`, but clocks that a browser rounds hide that.
 */
const VIRTUAL_CAMERA_CONFIDENCE = {
  only: 0.95,
  besideOthers: 0.5,
  /** Called virtual, by an unknown maker. */
  unknownVirtual: 0.4,
  /** A phone as a webcam shows what its camera sees, but could show anything. */
  phone: 0.15,
  evenFrames: 0.3,
  evenFramesMs: 0.05,
} as const;

export const virtualCameraDetected = {
  code: 'virtual_camera_detected',
  family: 'device',
  describes: 'Virtual camera, or camera with perfectly even intervals between frames.',
  needs: 'labels of the cameras, and time between frames (ms), after the user allowed the camera',
  limits:
    'That the virtual camera was used. Beside a real camera it counts 0.5 times, a phone used as a webcam 0.15 times.',
  weights: WEIGHTS,
  evaluate({ checks }) {
    const found = checks && mergeFindings([...labelFindings(checks.cameraLabels), ...timingFindings(checks)]);
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'virtual_camera_detected',
      family: 'device',
      group: 'environment',
      ...weigh(WEIGHTS, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;

function labelFindings(labels: readonly string[]): Finding[] {
  const kinds = labels.map(cameraKind);
  const { only, besideOthers, unknownVirtual, phone } = VIRTUAL_CAMERA_CONFIDENCE;
  if (kinds.includes('virtual')) {
    const alone = kinds.every((kind) => kind === 'virtual');
    return [
      labelFinding(
        alone ? only : besideOthers,
        alone ? 'only virtual cameras' : 'a virtual camera among others',
      ),
    ];
  }
  if (kinds.includes('unknown_virtual'))
    return [labelFinding(unknownVirtual, 'a camera with virtual in its name')];
  return kinds.includes('phone') ? [labelFinding(phone, 'a phone used as a camera')] : [];
}

function timingFindings({ cameraFrameJitterMs: jitterMs }: Checks): Finding[] {
  if (jitterMs === null || jitterMs < 0 || jitterMs > VIRTUAL_CAMERA_CONFIDENCE.evenFramesMs) return [];
  const observed = 'camera frames without jitter';
  return [
    { sign: 'timing', confidence: VIRTUAL_CAMERA_CONFIDENCE.evenFrames, source: 'camera_frames', observed },
  ];
}

function labelFinding(confidence: number, observed: string): Finding {
  return { sign: 'label', confidence, source: 'camera_labels', observed };
}

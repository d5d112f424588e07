import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { virtualCameraDetected } from './virtual-camera-detected.ts';

const evaluate = (camera_labels: string[], camera_frame_jitter_ms?: number) =>
  virtualCameraDetected.evaluate(
    factsWith({ checks: checksWith({ camera_labels, camera_frame_jitter_ms }) }),
  );

test.each([
  'OBS Virtual Camera',
  'OBS-Camera',
  'ManyCam Virtual Webcam',
  'Snap Camera',
  'XSplit VCam',
  'mmhmm Camera',
  'Dummy video device (0x0000)',
  'v4l2loopback',
  'fake_device_0',
])('%s as the only camera can show any content', (label) => {
  expect(evaluate([label])?.contributions.deviceRisk).toBeGreaterThan(0.7);
});

test('a virtual camera beside a real one may not be in use', () => {
  const evidence = evaluate(['HD Pro Webcam C920 (046d:082d)', 'OBS Virtual Camera']);
  expect(evidence?.contributions.deviceRisk).toBeLessThan(0.5);
});

test('frames without jitter increase the confidence of a virtual camera, and are a weak sign alone', () => {
  expect(evaluate(['OBS Virtual Camera', 'FaceTime HD Camera'], 0)?.confidence).toBeCloseTo(0.65);
  expect(evaluate([], 0)?.contributions.deviceRisk).toBeLessThan(0.3);
});

test.each([
  'FaceTime HD Camera (Built-in)',
  'Integrated Camera (13d3:5419)',
  'camera2 1, facing front',
  'Observer 4K',
  'Camera (NVIDIA Broadcast)',
  'iPhone von Ada Camera',
  'MacBook Air Desk View Camera',
])('%s is a camera', (label) => {
  expect(evaluate([label], 4.2)).toBeNull();
});

test('a phone as a webcam, and a name that only contains "virtual", stay low and are not quoted', () => {
  expect(evaluate(['DroidCam Source 3'])?.contributions.deviceRisk).toBeLessThan(0.2);
  const unknown = evaluate(['Ada Virtual Cam']);
  expect(unknown?.contributions.deviceRisk).toBeLessThan(0.5);
  expect(unknown?.observed).not.toContain('Ada');
});

test('missing labels and timing produce no evidence', () => {
  expect(evaluate([])).toBeNull();
  expect(evaluate([], -1)).toBeNull();
  expect(virtualCameraDetected.evaluate(factsWith())).toBeNull();
});

import { deviceEvidence } from '../device/device-evidence.ts';
import { rendererContradiction } from '../device/gpu-rules.ts';
import type { SignalCode } from '../evidence.ts';
import { DEVICE_WEIGHTS } from '../weights.ts';

export const gpuOsMismatch = {
  code: 'gpu_os_mismatch',
  family: 'device',
  describes: 'Graphics that the named system cannot have show that the system is another one.',
  needs: 'the graphics renderer and the user agent',
  evaluate({ device, checks, ua }) {
    const contradiction = rendererContradiction(checks?.gpuRenderer || device.gpu, ua.os, ua.deviceCategory);
    if (contradiction === null) return null;
    return deviceEvidence({
      code: 'gpu_os_mismatch',
      group: 'tamper',
      weight: DEVICE_WEIGHTS.gpuOsMismatch,
      confidence: 1,
      source: 'graphics_renderer',
      observed: contradiction,
    });
  },
} satisfies SignalCode;

import { deviceEvidence, pageFinding } from '../device/device-evidence.ts';
import { rendererContradiction, rendererOf } from '../device/gpu-rules.ts';
import { isUniformFirefoxHeader } from '../device/header-user-agent.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const gpuOsMismatch = {
  code: 'gpu_os_mismatch',
  family: 'device',
  describes: 'Graphics that the named system cannot have show that the system is another one.',
  needs: 'the graphics renderer and the user agent',
  evaluate(facts) {
    const contradiction = rendererContradiction(rendererOf(facts), facts.ua.os);
    if (contradiction === null || isUniformFirefoxHeader(facts)) return null;
    return deviceEvidence(
      { code: 'gpu_os_mismatch', group: 'tamper', weight: DEVICE_WEIGHTS.gpuOsMismatch },
      [pageFinding('renderer', 1, contradiction, 'graphics_renderer')],
    );
  },
} satisfies SignalCode;

import { deviceEvidence, pageFinding } from '../device/device-evidence.ts';
import { rendererContradiction, rendererOf } from '../device/gpu-rules.ts';
import { isUniformFirefoxHeader } from '../device/header-user-agent.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const gpuOsMismatch = {
  code: 'gpu_os_mismatch',
  family: 'device',
  describes: 'Graphics renderer that does not exist on the operating system of the user agent.',
  needs: 'name of the graphics renderer; user agent',
  limits: 'Which of the two is forged.',
  evaluate(facts) {
    const contradiction = rendererContradiction(rendererOf(facts), facts.ua.os);
    if (contradiction === null || isUniformFirefoxHeader(facts)) return null;
    return deviceEvidence(
      { code: 'gpu_os_mismatch', group: 'tamper', weight: DEVICE_WEIGHTS.gpuOsMismatch },
      [pageFinding('renderer', 1, contradiction, 'graphics_renderer')],
    );
  },
} satisfies SignalCode;

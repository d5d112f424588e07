import { deviceEvidence, pageFinding } from '../device/device-evidence.ts';
import { rendererContradiction, rendererOf } from '../device/gpu-rules.ts';
import { isUniformFirefoxHeader } from '../device/header-user-agent.ts';
import type { SignalCode } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.65 } as const;

export const gpuOsMismatch = {
  code: 'gpu_os_mismatch',
  family: 'device',
  describes: 'Graphics renderer that does not exist on the operating system of the user agent.',
  needs: 'name of the graphics renderer; user agent',
  limits: 'Which of the two is forged.',
  weights: WEIGHTS,
  evaluate(facts) {
    const contradiction = rendererContradiction(rendererOf(facts), facts.ua.os);
    if (contradiction === null || isUniformFirefoxHeader(facts)) return null;
    return deviceEvidence({ code: 'gpu_os_mismatch', group: 'tamper', weights: WEIGHTS }, [
      pageFinding('renderer', 1, contradiction, 'graphics_renderer'),
    ]);
  },
} satisfies SignalCode;

import { artificialRenderer, rendererOf } from '../device/gpu-rules.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.45, bot: 0.15 } as const;

export const virtualMachineOrSoftwareGpu = {
  code: 'virtual_machine_or_software_gpu',
  family: 'device',
  describes: 'Graphics renderer in software, or graphics driver of a virtual machine.',
  needs: 'name of the graphics renderer',
  limits: 'Automation by itself: remote desktops and virtual machines are also used by people.',
  weights: WEIGHTS,
  evaluate(facts) {
    const found = artificialRenderer(rendererOf(facts));
    if (!found) return null;
    return {
      code: 'virtual_machine_or_software_gpu',
      family: 'device',
      group: 'environment',
      // People work in virtual machines; without any graphics card they seldom do.
      ...weigh(found.kind === 'software renderer' ? WEIGHTS : { deviceRisk: WEIGHTS.deviceRisk }, 1),
      confidence: 1,
      source: 'graphics_renderer',
      sourceAsOf: null,
      observed: `${found.kind}: ${found.name}`,
    };
  },
} satisfies SignalCode;

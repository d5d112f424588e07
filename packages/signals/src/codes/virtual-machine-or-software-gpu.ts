import { artificialRenderer, rendererOf } from '../device/gpu-rules.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { BOT_WEIGHTS, DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const virtualMachineOrSoftwareGpu = {
  code: 'virtual_machine_or_software_gpu',
  family: 'device',
  describes: 'Graphics renderer in software, or graphics driver of a virtual machine.',
  needs: 'name of the graphics renderer',
  limits: 'Automation by itself: remote desktops and virtual machines are also used by people.',
  evaluate(facts) {
    const found = artificialRenderer(rendererOf(facts));
    if (!found) return null;
    return {
      code: 'virtual_machine_or_software_gpu',
      family: 'device',
      group: 'environment',
      contributions: weigh({ deviceRisk: DEVICE_WEIGHTS.virtualMachineOrSoftwareGpu }, 1),
      // People work in virtual machines; without any graphics card they seldom do.
      bot: found.kind === 'software renderer' ? BOT_WEIGHTS.softwareGpu : undefined,
      confidence: 1,
      source: 'graphics_renderer',
      sourceAsOf: null,
      observed: `${found.kind}: ${found.name}`,
    };
  },
} satisfies SignalCode;

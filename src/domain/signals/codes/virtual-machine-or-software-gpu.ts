import { deviceEvidence } from '../device/device-evidence.ts';
import { artificialRenderer } from '../device/gpu-rules.ts';
import type { SignalCode } from '../evidence.ts';
import { BOT_WEIGHTS, DEVICE_WEIGHTS } from '../weights.ts';

export const virtualMachineOrSoftwareGpu = {
  code: 'virtual_machine_or_software_gpu',
  family: 'device',
  describes:
    'Farms of browsers run on servers and in virtual machines, whose graphics are computed or shared.',
  needs: 'the graphics renderer',
  evaluate({ device, checks }) {
    const kind = artificialRenderer(checks?.gpuRenderer || device.gpu);
    if (kind === null) return null;
    return {
      ...deviceEvidence({
        code: 'virtual_machine_or_software_gpu',
        group: 'environment',
        weight: DEVICE_WEIGHTS.virtualMachineOrSoftwareGpu,
        confidence: 1,
        source: 'graphics_renderer',
        observed: `renderer of a ${kind === 'software' ? 'machine without a graphics card' : kind}`,
      }),
      bot: BOT_WEIGHTS.softwareGpu,
    };
  },
} satisfies SignalCode;

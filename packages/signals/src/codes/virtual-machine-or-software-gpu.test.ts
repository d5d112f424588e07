import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { virtualMachineOrSoftwareGpu } from './virtual-machine-or-software-gpu.ts';

const evaluate = (gpu: string) => virtualMachineOrSoftwareGpu.evaluate(factsWith({ device: { gpu } }));

test.each([
  [
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
    'software renderer: SwiftShader',
  ],
  ['llvmpipe (LLVM 15.0.7, 256 bits)', 'software renderer: llvmpipe'],
  ['llvmpipe, or similar', 'software renderer: llvmpipe'],
  [
    'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0, D3D11)',
    'software renderer: Microsoft Basic Render Driver',
  ],
])('%s is a software renderer, as on servers', (gpu, observed) => {
  expect(evaluate(gpu)).toMatchObject({
    group: 'environment',
    contributions: { deviceRisk: 0.45 },
    bot: 0.15,
    observed,
  });
});

test.each([
  ['VMware SVGA3D; build: RELEASE', 'virtual machine: VMware'],
  ['ANGLE (VMware, Inc., SVGA3D; build: RELEASE; LLVM;, OpenGL 4.3)', 'virtual machine: VMware'],
  ['Parallels using AMD Radeon Pro 580 OpenGL Engine', 'virtual machine: Parallels'],
  ['ANGLE (VirtualBox Graphics Adapter Direct3D11 vs_5_0 ps_5_0)', 'virtual machine: VirtualBox'],
  ['virgl (AMD Radeon)', 'virtual machine: virtio'],
  ['Apple Paravirtual device', 'virtual machine: Apple Paravirtual device'],
  ['Android Emulator OpenGL ES Translator (Google SwiftShader)', 'virtual machine: Android Emulator'],
])('%s is shared and does not indicate automation', (gpu, observed) => {
  const evidence = evaluate(gpu);
  expect(evidence).toMatchObject({ contributions: { deviceRisk: 0.45 }, observed });
  expect(evidence?.bot).toBeUndefined();
});

test.each([
  'ANGLE (NVIDIA, NVIDIA GeForce RTX 4060 Direct3D11 vs_5_0 ps_5_0, D3D11)',
  'ANGLE (Apple, ANGLE Metal Renderer: Apple M3, Unspecified Version)',
  'Apple GPU',
  'Adreno (TM) 740',
  'Mesa Intel(R) UHD Graphics 620 (KBL GT2)',
])('%s is a graphics card', (gpu) => {
  expect(evaluate(gpu)).toBeNull();
});

test('the renderer that the page read takes precedence over the one sent with the device; without either there is no evidence', () => {
  const checks = checksWith({ gpu_renderer: 'llvmpipe (LLVM 15.0.7, 256 bits)' });
  expect(
    virtualMachineOrSoftwareGpu.evaluate(factsWith({ checks, device: { gpu: 'Apple GPU' } })),
  ).not.toBeNull();
  expect(evaluate('')).toBeNull();
});

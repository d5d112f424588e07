import { expect, test } from 'vitest';
import { checksWith, factsWith } from './facts-for-tests.ts';
import { virtualMachineOrSoftwareGpu } from './virtual-machine-or-software-gpu.ts';

const evaluate = (gpu: string) => virtualMachineOrSoftwareGpu.evaluate(factsWith({ device: { gpu } }));

test.each([
  [
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
    'graphics card',
  ],
  ['llvmpipe (LLVM 15.0.7, 256 bits)', 'graphics card'],
  ['ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0, D3D11)', 'graphics card'],
  ['VMware SVGA3D; build: RELEASE', 'virtual machine'],
  ['Parallels using AMD Radeon Pro 580 OpenGL Engine', 'virtual machine'],
  ['virgl (AMD Radeon)', 'virtual machine'],
  ['Android Emulator OpenGL ES Translator', 'virtual machine'],
])('%s is computed or shared', (gpu, kind) => {
  const evidence = evaluate(gpu);
  expect(evidence).toMatchObject({ group: 'environment', contributions: { deviceRisk: 0.45 }, bot: 0.15 });
  expect(evidence?.observed).toContain(kind);
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

test('the page’s own look at the renderer counts before the told one; without either nothing is said', () => {
  const checks = checksWith({ gpu_renderer: 'llvmpipe (LLVM 15.0.7, 256 bits)' });
  expect(
    virtualMachineOrSoftwareGpu.evaluate(factsWith({ checks, device: { gpu: 'Apple GPU' } })),
  ).not.toBeNull();
  expect(evaluate('')).toBeNull();
});

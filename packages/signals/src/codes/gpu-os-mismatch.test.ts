import { expect, test } from 'vitest';
import { factsWith } from '../../../../test/support/signals/facts.ts';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import { gpuOsMismatch } from './gpu-os-mismatch.ts';

const evaluate = (userAgent: string, gpu: string) =>
  gpuOsMismatch.evaluate(factsWith({ userAgent, device: { gpu } }));

test.each([
  [USER_AGENTS.chromeMac, 'ANGLE (NVIDIA, NVIDIA GeForce GTX 1650 Direct3D11 vs_5_0 ps_5_0, D3D11)'],
  [USER_AGENTS.chromeLinux, 'ANGLE (Intel, Intel(R) UHD Graphics Direct3D11 vs_5_0 ps_5_0)'],
  [USER_AGENTS.chromeAndroid, 'ANGLE (AMD, AMD Radeon RX 580 Direct3D11 vs_5_0 ps_5_0, D3D11)'],
  [USER_AGENTS.chromeWindows, 'ANGLE (Apple, ANGLE Metal Renderer: Apple M2, Unspecified Version)'],
  [USER_AGENTS.chromeLinux, 'Apple GPU'],
  [USER_AGENTS.safariIphone, 'Mesa Intel(R) UHD Graphics 620 (KBL GT2)'],
  [USER_AGENTS.safariIphone, 'Adreno (TM) 740'],
  [USER_AGENTS.safariIphone, 'llvmpipe (LLVM 15.0.7, 256 bits)'],
  [USER_AGENTS.chromeWindows, 'Adreno (TM) 650'],
  [USER_AGENTS.chromeMac, 'Mali-G78'],
  [
    USER_AGENTS.safariIphone,
    'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)',
  ],
  [USER_AGENTS.chromeAndroid, 'Apple M2'],
  [USER_AGENTS.chromeWindows, 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL ES 3.2)'],
  [USER_AGENTS.chromeMac, 'AMD Radeon RX 580 (polaris10, LLVM 15.0.7, DRM 3.49, 6.1.0-18-amd64)'],
])('%s cannot have %s', (userAgent, gpu) => {
  expect(evaluate(userAgent, gpu)).toMatchObject({ group: 'tamper', contributions: { deviceRisk: 0.65 } });
});

test.each([
  [USER_AGENTS.chromeWindows, 'ANGLE (NVIDIA, NVIDIA GeForce RTX 4060 Direct3D11 vs_5_0 ps_5_0, D3D11)'],
  [USER_AGENTS.chromeWindows, 'ANGLE (Qualcomm, Adreno X1-85 Direct3D11 vs_5_0 ps_5_0, D3D11)'],
  [USER_AGENTS.chromeWindows, 'ANGLE (Intel, Intel(R) Iris(R) Xe Graphics (0x000046A6) OpenGL 4.6)'],
  [USER_AGENTS.chromeMac, 'ANGLE (Apple, ANGLE Metal Renderer: Apple M3, Unspecified Version)'],
  [USER_AGENTS.chromeMac, 'ANGLE (AMD, AMD Radeon Pro 5300M OpenGL Engine, OpenGL 4.1)'],
  [USER_AGENTS.safariMac, 'Apple GPU'],
  [USER_AGENTS.safariIphone, 'Apple GPU'],
  [USER_AGENTS.chromeIphone, 'Apple GPU'],
  [USER_AGENTS.chromeAndroid, 'Adreno (TM) 740'],
  [USER_AGENTS.chromeAndroid, 'Mali-G715-Immortalis MC11'],
  [USER_AGENTS.chromeOs, 'ANGLE (ARM, Mali-G57 MC2, OpenGL ES 3.2)'],
  [USER_AGENTS.chromeLinux, 'Mesa Intel(R) UHD Graphics 620 (KBL GT2)'],
  [USER_AGENTS.chromeLinux, 'V3D 4.2 (VideoCore VI)'],
  [USER_AGENTS.firefoxWindows, 'ANGLE (Intel, Intel(R) HD Graphics Direct3D11 vs_5_0 ps_5_0), or similar'],
  [USER_AGENTS.firefoxLinux, 'Mozilla'],
  [USER_AGENTS.firefoxLinux, 'Apple M1 (G13G B1)'],
  [USER_AGENTS.chromeLinux, 'D3D12 (NVIDIA GeForce RTX 3070)'],
  [USER_AGENTS.chromeLinux, 'ANGLE (Qualcomm, Adreno (TM) 740, OpenGL ES 3.2)'],
  [USER_AGENTS.safariIphone.replace('18_5', '12_5'), 'PowerVR SGX 554'],
  [USER_AGENTS.safariIphone, 'Apple Software Renderer'],
  [USER_AGENTS.headless, 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)'],
])('%s may have %s', (userAgent, gpu) => {
  expect(evaluate(userAgent, gpu)).toBeNull();
});

test('a missing renderer and an unknown operating system produce no evidence', () => {
  expect(evaluate(USER_AGENTS.chromeWindows, '')).toBeNull();
  expect(evaluate('', 'Apple GPU')).toBeNull();
});

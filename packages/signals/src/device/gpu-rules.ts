import type { SessionFacts } from '../evidence/evidence.ts';
import { type Kernel, kernelOfSystem } from './system-kernel.ts';

/** The renderer of WebGL: as the page's own check read it, else as it was sent with the device. */
export function rendererOf({ checks, device }: SessionFacts): string {
  return checks?.gpuRenderer || device.gpu;
}

/** A renderer that is no graphics card. */
export type ArtificialRenderer = { kind: 'software renderer' | 'virtual machine'; name: string };

/** Renderers that compute on the processor: servers, machines without a graphics card, cards that are blocked. */
const SOFTWARE: readonly [RegExp, string][] = [
  [/swiftshader/i, 'SwiftShader'],
  [/llvmpipe/i, 'llvmpipe'],
  [/softpipe|lavapipe|software rasterizer|mesa offscreen/i, "Mesa's software renderer"],
  [/basic render/i, 'Microsoft Basic Render Driver'],
  [/apple software renderer/i, 'Apple Software Renderer'],
];

/** Graphics cards of virtual machines and emulators. */
const VIRTUAL: readonly [RegExp, string][] = [
  [/virtualbox/i, 'VirtualBox'],
  [/vmware|svga3d/i, 'VMware'],
  [/parallels/i, 'Parallels'],
  [/virgl|virtio|venus/i, 'virtio'],
  [/android emulator|gfxstream/i, 'Android Emulator'],
  [/apple paravirtual/i, 'Apple Paravirtual device'],
  [/hyper-v/i, 'Hyper-V'],
  [/\bqxl\b|\bbochs\b/i, 'QEMU'],
];

/** Kind of the substitute for a graphics card; null for a card. An emulator on a software renderer is an emulator. */
export function artificialRenderer(renderer: string): ArtificialRenderer | null {
  const virtual = VIRTUAL.find(([pattern]) => pattern.test(renderer));
  if (virtual) return { kind: 'virtual machine', name: virtual[1] };
  const software = SOFTWARE.find(([pattern]) => pattern.test(renderer));
  return software ? { kind: 'software renderer', name: software[1] } : null;
}

/**
 * Why a renderer cannot be that of the system that the user agent names; null when it can, or when either is not
 * known. Linux machines contain graphics of computers and of phones, as do phones that request the desktop page as
 * Linux; Windows also runs on phone chips, through Direct3D.
 */
export function rendererContradiction(renderer: string, os: string): string | null {
  const kernel = kernelOfSystem(os);
  if (kernel === null || renderer === '' || isHidden(renderer)) return null;
  // `D3D12 (…)` is Mesa's under Windows' own Linux, and none of these.
  if (/direct3d|\bd3d(9|11)\b/i.test(renderer)) return kernel === 'Windows' ? null : `Direct3D on ${kernel}`;
  if (isApples(renderer)) return runsApples(renderer, kernel, os) ? null : `Apple's graphics on ${os}`;
  if (/^(ios|ipados)/i.test(os))
    return isOldIphone(renderer, os) ? null : "graphics that are not Apple's on iOS";
  if (kernel !== 'Linux' && PHONE_CHIP.test(renderer)) return `graphics of a phone on ${kernel}`;
  if (kernel !== 'Linux' && LINUX_DRIVER.test(renderer)) return `a driver of Linux on ${kernel}`;
  return null;
}

const PHONE_CHIP = /\b(adreno|mali|powervr|xclipse|immortalis|videocore|maleoon)\b/i;
const LINUX_DRIVER = /\bmesa (intel|dri)\b|\bradeonsi\b|\bradv\b|\bnouveau\b|, drm \d/i;

/** Browsers that hide the card report so: Firefox that resists fingerprinting, old WebKit, Brave. */
function isHidden(renderer: string): boolean {
  return /^(mozilla|webkit webgl|brave|generic renderer)\b/i.test(renderer.trim());
}

function isApples(renderer: string): boolean {
  return /\bapple (gpu|m\d|a\d|paravirtual|software)|\bangle metal\b/i.test(renderer);
}

/** On a Mac that runs Linux, Mesa names the chip and its generation: `Apple M1 (G13G B1)`. */
function runsApples(renderer: string, kernel: Kernel, os: string): boolean {
  if (kernel === 'Apple') return true;
  return /^android/i.test(os) || /\bmetal\b|apple gpu/i.test(renderer) ? false : kernel === 'Linux';
}

/** Until the A10, Apple's chips contained PowerVR graphics, and iOS reported them until version 12. */
function isOldIphone(renderer: string, os: string): boolean {
  return /powervr/i.test(renderer) && Number(/^i\w+ (\d+)/i.exec(os)?.[1]) <= 12;
}

import { type Kernel, kernelOfSystem } from './system-kernel.ts';

/** Renderers that compute on the processor: servers and machines without a graphics card. */
const SOFTWARE =
  /swiftshader|llvmpipe|softpipe|lavapipe|basic render|software (rasterizer|renderer)|mesa offscreen/i;
/** Graphics cards of virtual machines and emulators. */
const VIRTUAL =
  /virtualbox|vmware|svga3d|parallels|virgl|virtio|qxl|hyper-v video|android emulator|bochs|red hat/i;

/** What kind of machine a renderer stands for; null for a graphics card. */
export function artificialRenderer(renderer: string): 'software' | 'virtual machine' | null {
  if (SOFTWARE.test(renderer)) return 'software';
  return VIRTUAL.test(renderer) ? 'virtual machine' : null;
}

const MOBILE_CHIP = /\b(adreno|mali|powervr|xclipse|immortalis|videocore|maleoon)\b/i;

/**
 * Why a renderer cannot be that of the system, or null. Direct3D is Windows' alone and Metal is Apple's; an iPhone has
 * Apple's graphics; chips of telephones stand in computers only behind Direct3D (Windows on ARM), on ChromeOS and on
 * single-board Linux machines. Software renderers run anywhere but on iOS, and say nothing of other systems.
 */
export function rendererContradiction(renderer: string, os: string, category: string): string | null {
  const kernel = kernelOfSystem(os);
  if (kernel === null || renderer === '') return null;
  if (/^(ios|ipados)/i.test(os) && !isApple(renderer) && !isMasked(renderer))
    return 'no Apple graphics on iOS';
  if (artificialRenderer(renderer) === 'software') return null;
  if (/direct3d|d3d1[12]|d3d9/i.test(renderer) && kernel !== 'Windows') return `Direct3D on ${kernel}`;
  if (isApple(renderer) && kernel !== 'Apple') return `Apple's graphics on ${kernel}`;
  if (/^(ios|ipados)/i.test(os) && !isApple(renderer) && !isMasked(renderer))
    return 'no Apple graphics on iOS';
  return mobileChipContradiction(renderer, kernel, os, category);
}

function isApple(renderer: string): boolean {
  return /\bapple (gpu|m\d|a\d+)|\bmetal\b|^apple\b/i.test(renderer);
}

/** Browsers that hide the card say a class of it, or nothing that names a maker. */
function isMasked(renderer: string): boolean {
  return /^(webkit webgl|mozilla|generic renderer|.*or similar)$/i.test(renderer);
}

function mobileChipContradiction(
  renderer: string,
  kernel: Kernel,
  os: string,
  category: string,
): string | null {
  const isDirect3d = /direct3d|d3d1[12]/i.test(renderer);
  if (!MOBILE_CHIP.test(renderer) || isDirect3d || category !== 'desktop') return null;
  if (kernel === 'Windows' || /^macos/i.test(os)) return `a telephone's graphics on ${kernel}`;
  return null;
}

import { deviceEvidence } from '../device/device-evidence.ts';
import type { SessionFacts, SignalCode } from '../evidence.ts';
import { DEVICE_WEIGHTS, IMPOSSIBLE_HARDWARE_CONFIDENCE, MOST_CPU_CORES } from '../weights.ts';

export const impossibleHardwareValues = {
  code: 'impossible_hardware_values',
  family: 'device',
  describes: 'Values that no device has were made up by whoever forged the others too.',
  needs: 'memory, processors, screen and pixel ratio',
  evaluate(facts) {
    const impossible = impossibleValues(facts);
    if (impossible.length === 0) return null;
    return deviceEvidence({
      code: 'impossible_hardware_values',
      group: 'tamper',
      weight: DEVICE_WEIGHTS.impossibleHardwareValues,
      confidence: IMPOSSIBLE_HARDWARE_CONFIDENCE,
      source: 'device_values',
      observed: impossible.join(', '),
    });
  },
} satisfies SignalCode;

/** The steps that navigator.deviceMemory rounds to (W3C Device Memory; browsers cap it at 8, or 32 today). */
const MEMORY_STEPS: ReadonlySet<number> = new Set([0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]);
/** Bits a pixel: 15 and 16 of old screens, 24 and 32 of most, 30 and 48 of wide-gamut ones. */
const COLOR_DEPTHS: ReadonlySet<number> = new Set([1, 4, 8, 15, 16, 18, 24, 30, 32, 36, 48]);
/** Zoom and rounding move a screen's available size past its size by a pixel or two. */
const ROUNDING_PIXELS = 2;

function impossibleValues({ device, checks, source }: SessionFacts): string[] {
  const { memory, cpuCores, screenWidth, screenHeight, pixelRatio } = device;
  const found: [what: string, holds: boolean][] = [
    // Apps tell memory as it is, not in the steps of browsers.
    [`${memory} GB of memory`, source === 'web' && memory !== null && !MEMORY_STEPS.has(memory)],
    [`${cpuCores} processors`, cpuCores !== null && (cpuCores < 1 || cpuCores > MOST_CPU_CORES)],
    ['a screen without size', screenWidth === 0 || screenHeight === 0],
    ['a pixel ratio of 0', pixelRatio === 0],
    [
      'more screen available than there is',
      exceeds(checks?.screenAvailWidth, checks?.screenAvailHeight, device),
    ],
    [
      `${checks?.colorDepth} bits of colour`,
      checks?.colorDepth != null && !COLOR_DEPTHS.has(checks.colorDepth),
    ],
  ];
  return found.filter(([, holds]) => holds).map(([what]) => what);
}

/** A turned screen has its sides the other way round, so the longer side is compared with the longer. */
function exceeds(
  availWidth: number | null | undefined,
  availHeight: number | null | undefined,
  { screenWidth, screenHeight }: SessionFacts['device'],
): boolean {
  if (availWidth == null || availHeight == null || screenWidth === null || screenHeight === null)
    return false;
  const [availLong, availShort] = sides(availWidth, availHeight);
  const [long, short] = sides(screenWidth, screenHeight);
  return availLong > long + ROUNDING_PIXELS || availShort > short + ROUNDING_PIXELS;
}

function sides(one: number, other: number): [long: number, short: number] {
  return one > other ? [one, other] : [other, one];
}

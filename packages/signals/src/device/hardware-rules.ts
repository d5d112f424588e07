import type { Finding } from '../automation/finding.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { HARDWARE_CONFIDENCE, HARDWARE_LIMITS } from '../evidence/weights.ts';
import { pageFinding } from './device-evidence.ts';

/** Hardware values that no browser reports. Apps on phones measure on their own, and are not examined. */
export function hardwareFindings(facts: SessionFacts): Finding[] {
  if (facts.source !== 'web') return [];
  return [
    ...memoryFindings(facts),
    ...coreFindings(facts),
    ...screenFindings(facts),
    ...availableFindings(facts),
    ...colorFindings(facts),
    ...touchFindings(facts),
  ];
}

/** Powers of two; the bounds are Chromium's of all versions (W3C Device Memory; MDN browser-compat-data). */
const MEMORY_GB: readonly number[] = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

function memoryFindings({ device: { memory } }: SessionFacts): Finding[] {
  if (memory === null || MEMORY_GB.includes(memory)) return [];
  return [finding('memory', 'impossible', `memory of ${shown(memory)} GB`)];
}

function coreFindings({ device: { cpuCores } }: SessionFacts): Finding[] {
  if (cpuCores === null) return [];
  if (cpuCores < 1 || !Number.isInteger(cpuCores))
    return [finding('processors', 'impossible', `${shown(cpuCores)} processors`)];
  return cpuCores > HARDWARE_LIMITS.maxCores
    ? [finding('processors', 'impossible', `${shown(cpuCores)} processors`)]
    : [];
}

function screenFindings({ device: { screenWidth, screenHeight, pixelRatio } }: SessionFacts): Finding[] {
  const found: Finding[] = [];
  const sides = [screenWidth, screenHeight].filter((side) => side !== null);
  if (sides.some((side) => side <= 0)) found.push(finding('screen', 'impossible', 'screen without a size'));
  const { minPixelRatio, maxPixelRatio } = HARDWARE_LIMITS;
  if (pixelRatio !== null && (pixelRatio < minPixelRatio || pixelRatio > maxPixelRatio)) {
    found.push(finding('pixel ratio', 'impossible', `pixel ratio of ${shown(pixelRatio)}`));
  }
  return found;
}

/** Bits a pixel: 1 to 8 of electronic paper, 15 to 18 of old screens, 24 and 32 of most, 30 and more of wide ones. */
const COLOR_DEPTHS: readonly number[] = [1, 2, 4, 8, 15, 16, 18, 24, 30, 32, 36, 48];

/** Sides are compared by length: a phone may be turned between two readings. */
function availableFindings({ device: { screenWidth, screenHeight }, checks }: SessionFacts): Finding[] {
  const available = sides(checks?.screenAvailWidth ?? null, checks?.screenAvailHeight ?? null);
  const screen = sides(screenWidth, screenHeight);
  if (!available || !screen || screen[0] <= 0) return [];
  const most = 1 + HARDWARE_LIMITS.availableSlack;
  if (available.every((side, index) => side <= screen[index]! * most)) return [];
  return [finding('available', 'available', 'more room for windows than the screen has')];
}

function sides(width: number | null, height: number | null): readonly [number, number] | null {
  return width === null || height === null ? null : [Math.min(width, height), Math.max(width, height)];
}

function colorFindings({ checks }: SessionFacts): Finding[] {
  const depth = checks?.colorDepth ?? null;
  if (depth === null || COLOR_DEPTHS.includes(depth)) return [];
  return [finding('color depth', 'colorDepth', `color depth of ${shown(depth)}`)];
}

function touchFindings({ device: { touchPoints } }: SessionFacts): Finding[] {
  if (touchPoints === null || (touchPoints >= 0 && touchPoints <= HARDWARE_LIMITS.maxTouchPoints)) return [];
  return [finding('touch points', 'impossible', `${shown(touchPoints)} touch points`)];
}

function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function finding(value: string, sign: keyof typeof HARDWARE_CONFIDENCE, observed: string): Finding {
  return pageFinding(value, HARDWARE_CONFIDENCE[sign], observed, 'device_values');
}

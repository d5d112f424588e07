/** Temporary; see the real one. */
export type Calibration = { version: number; weightsVersion: string; labels: unknown };
export type CalibrationFit = { calibration: Calibration; report: unknown };
export type CalibrationSample = {
  scores: Record<string, number>;
  bot: number;
  riskSignals: number;
  label: 0 | 1;
};
export const MOST_CALIBRATION_SAMPLES = 100_000;
export function fitCalibration(
  _samples: CalibrationSample[],
  _options: unknown,
): CalibrationFit | { problem: string } {
  return { problem: 'not yet' };
}
export function parseCalibration(_stored: unknown): Calibration | null {
  return null;
}

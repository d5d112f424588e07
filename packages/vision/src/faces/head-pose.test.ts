import { describe, expect, it } from 'vitest';
import { headPose, isWholeFace, type MeshPoint, planarResidual } from './head-pose.ts';

/**
 * Points of a head as a sphere of 100 pixels with a nose, at the indices that the pose uses; the others are on
 * the sphere too. `yaw` in degrees, positive to the person's own left; `isFlat` for a print of it.
 */
function head(yaw: number, { isFlat = false, roll = 0 } = {}): MeshPoint[] {
  const named: Record<number, [number, number, number]> = {
    1: [0, 10, 125],
    234: [-98, 0, 0],
    454: [98, 0, 0],
    10: [0, -98, 20],
    152: [0, 98, 20],
    33: [-60, -30, 70],
    133: [-25, -30, 85],
    362: [25, -30, 85],
    263: [60, -30, 70],
  };
  const angle = (yaw * Math.PI) / 180;
  const tilt = (roll * Math.PI) / 180;
  return Array.from({ length: 468 }, (_, index): MeshPoint => {
    const [u, v] = [(index * 0.618) % 1, (index + 0.5) / 468];
    const ring = Math.sqrt(1 - (2 * v - 1) ** 2);
    const ball = [
      100 * ring * Math.cos(Math.PI * (1 + u)),
      100 * (2 * v - 1),
      -100 * ring * Math.sin(Math.PI * (1 + u)),
    ];
    const [x, y, near] = named[index] ?? ball;
    const depth = isFlat ? 0 : near!;
    const across = x! * Math.cos(angle) + depth * Math.sin(angle);
    const forward = -x! * Math.sin(angle) + depth * Math.cos(angle);
    const scale = 1000 / (1000 - forward);
    const [px, py] = [across * scale, y! * scale];
    return [
      300 + px * Math.cos(tilt) - py * Math.sin(tilt),
      300 + px * Math.sin(tilt) + py * Math.cos(tilt),
      -forward,
    ];
  });
}

describe('headPose', () => {
  it('is zero for a face that looks into the camera', () => {
    const pose = headPose(head(0));
    expect(pose.asymmetry).toBeCloseTo(0, 5);
    expect(pose.roll).toBeCloseTo(0, 5);
  });

  it('has the sign of the direction at any tilt', () => {
    for (const roll of [-40, 0, 25]) {
      expect(headPose(head(25, { roll })).asymmetry).toBeGreaterThan(0.25);
      expect(headPose(head(-25, { roll })).asymmetry).toBeLessThan(-0.25);
      expect(headPose(head(0, { roll })).roll).toBeCloseTo(roll, 5);
    }
  });
});

describe('planarResidual', () => {
  it('is zero for a print at any angle', () => {
    for (const yaw of [-45, -20, 20, 45])
      expect(planarResidual(head(0, { isFlat: true }), head(yaw, { isFlat: true }))).toBeLessThan(0.01);
  });

  it('is large for a head, and increases with its turn', () => {
    const [little, more] = [12, 25].map((yaw) => planarResidual(head(0), head(yaw))!);
    expect(little).toBeGreaterThan(1);
    expect(more).toBeGreaterThan(little!);
  });

  it('is null when all points coincide', () => {
    const none = head(0).map((): MeshPoint => [5, 5, 0]);
    expect(planarResidual(none, none)).toBeNull();
  });
});

describe('isWholeFace', () => {
  it('requires every point inside the frame with a margin', () => {
    const points = head(0);
    expect(isWholeFace(points, { width: 600, height: 600 })).toBe(true);
    expect(isWholeFace(points, { width: 405, height: 600 })).toBe(false);
    expect(isWholeFace(points, { width: 600, height: 380 })).toBe(false);
  });
});

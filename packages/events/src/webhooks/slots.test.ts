import { describe, expect, it } from 'vitest';
import { PER_ENDPOINT, type Slot, Slots } from './slots.ts';

const take = (slots: Slots, project: string, endpoint: string): Slot => slots.take(project, endpoint)!;
/** Attempts of this number of endpoints of a project, one each; null for one that has to wait. */
const takeMany = (slots: Slots, project: string, count: number) =>
  Array.from({ length: count }, (_, index) => slots.take(project, `${project}-${index}`));
const given = (slots: readonly (Slot | null)[]): Slot[] => slots.filter((slot) => slot !== null);

/** Number of attempts that can start for each of these endpoints. */
const allotted = (slots: Slots, projectId: string, endpoints: readonly string[]) =>
  Object.fromEntries(
    slots
      .allot(endpoints.map((endpointId) => ({ projectId, endpointId })))
      .map(({ endpointId, count }) => [endpointId, count]),
  );

describe('slots', () => {
  it('are assigned in the order of the endpoints, as many as can start together, with a limit for each endpoint', () => {
    const slots = new Slots();
    const many = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    const grants = allotted(slots, 'p', many);
    expect(grants).toEqual(Object.fromEntries(many.slice(0, 12).map((endpoint) => [endpoint, PER_ENDPOINT])));
    const taken = given(takeMany(slots, 'p', 48));
    for (const slot of taken.slice(0, 15)) slot.free();
    expect(allotted(slots, 'p', many)).toEqual({});
    taken[15]!.free();
    expect(Object.values(allotted(slots, 'p', many))).toEqual([4, 4, 4, 4]);
    expect(Object.values(allotted(slots, 'q', many)).reduce((sum, count) => sum + count)).toBe(32);
  });

  it('limit concurrent deliveries of an endpoint', () => {
    const slots = new Slots();
    const taken = Array.from({ length: PER_ENDPOINT }, () => take(slots, 'p', 'a'));
    take(slots, 'p', 'b');
    expect(allotted(slots, 'p', ['a', 'b'])).toEqual({ b: 3 });
    expect(slots.take('p', 'a')).toBeNull();
    taken[0]!.free();
    expect(allotted(slots, 'p', ['a', 'b'])).toEqual({ a: 1, b: 3 });
  });

  it('are at most 48 of 64 for one project, and the rest is for others', () => {
    const slots = new Slots();
    expect(given(takeMany(slots, 'p', 64))).toHaveLength(48);
    expect(allotted(slots, 'p', ['another'])).toEqual({});
    expect(given(takeMany(slots, 'q', 64))).toHaveLength(16);
    expect(slots.room).toBe(0);
  });

  it('are at most a quarter for a project with hanging receivers; three quarters remain for others', () => {
    const slots = new Slots();
    const hanging = given(takeMany(slots, 'p', 60));
    for (const slot of hanging) slot.markSlow();
    // 32 went to the slow ones.
    expect(slots.room).toBe(48);
    expect(slots.busy).toBe(48);
    expect(slots.take('p', 'another')).toBeNull();
    expect(given(takeMany(slots, 'q', 60))).toHaveLength(48);
    for (const slot of hanging) slot.free();
    expect(slots.busy).toBe(48);
  });

  it('are one at a time, and none of the fast ones, for a slow endpoint', () => {
    const slots = new Slots();
    const first = take(slots, 'p', 'a');
    first.markSlow();
    first.free();
    const again = take(slots, 'p', 'a');
    expect(slots.room).toBe(64);
    expect(allotted(slots, 'p', ['a'])).toEqual({});
    expect(slots.take('p', 'a')).toBeNull();
    // It answers quickly.
    again.free();
    expect(given(Array.from({ length: 5 }, () => slots.take('p', 'a')))).toHaveLength(PER_ENDPOINT);
    expect(slots.room).toBe(60);
  });

  it('remain for endpoints that are not slow, for any number of hanging projects', () => {
    const slots = new Slots();
    for (let project = 0; project < 6; project += 1) {
      const taken = given(takeMany(slots, `p${project}`, 48));
      for (const slot of taken) slot.markSlow();
      for (const slot of taken) slot.free();
      expect(given(takeMany(slots, `p${project}`, 48))).toHaveLength(project < 4 ? 32 : 0);
    }
    expect(slots.busy).toBe(128);
    expect(slots.room).toBe(64);
    expect(given(takeMany(slots, 'healthy', 60))).toHaveLength(48);
  });
});

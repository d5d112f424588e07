import type { Random } from '../signals/random.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import type { World } from './world.ts';

const WEEK_MS = 7 * 86_400_000;

/** A browser profile on a device. Devices of one model, as an office's, have different ids. */
export type Device = {
  readonly id: string;
  readonly isCarried: boolean;
  readonly forgetsInWeek: boolean;
  browser: string;
  lastVisit: Date | null;
};

export function createDevice(world: World, isCarried: boolean): Device {
  return {
    id: world.newId('device'),
    isCarried,
    forgetsInWeek: world.random.chance(ASSUMPTIONS.browserForgetsInWeek),
    browser: world.newId('browser'),
    lastVisit: null,
  };
}

/** Another profile on the same device, or a private window. */
export function createProfile(world: World, device: Device): Device {
  return { ...device, browser: world.newId('browser'), lastVisit: null };
}

/** The id that the page reads. Visits of one device must be in the order of time. */
export function browserAt(world: World, device: Device, at: Date, clears: boolean): string {
  if (clears || isForgotten(device, at, world.random)) device.browser = world.newId('browser');
  device.lastVisit = at;
  return device.browser;
}

function isForgotten({ lastVisit, forgetsInWeek }: Device, at: Date, random: Random): boolean {
  if (lastVisit === null) return false;
  const isLongAgo = at.getTime() - lastVisit.getTime() > WEEK_MS;
  return (forgetsInWeek && isLongAgo) || random.chance(ASSUMPTIONS.visitAfterClearing);
}

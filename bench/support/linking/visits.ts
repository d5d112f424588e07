import type { AccountPlan } from './account-plans.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { browserAt, createProfile, type Device } from './devices.ts';
import { mobileAt } from './person.ts';
import { afterDays, drawWait, isInModel, type World } from './world.ts';

type Visit = { plan: AccountPlan; at: Date; isFirst: boolean };

const MEAN_FURTHER_VISITS = 3;
const MAX_VISITS = 15;
const MEAN_GAP_DAYS = 15;

/**
 * Adds the sessions of the accounts of one home, all in the order of time: the id in a browser depends on
 * earlier visitors.
 */
export function visit(world: World, plans: readonly AccountPlan[]): void {
  const visits = plans.flatMap((plan) => visitsOf(world, plan));
  visits.sort((a, b) => a.at.getTime() - b.at.getTime());
  const profiles = new Map<string, Device>();
  for (const each of visits) startVisit(world, each, profiles);
}

function visitsOf({ random }: World, plan: AccountPlan): Visit[] {
  let at = plan.account.registeredAt;
  const visits = [{ plan, at, isFirst: true }];
  const further = Math.min(MAX_VISITS, Math.floor(drawWait(random, MEAN_FURTHER_VISITS)));
  for (let count = 0; count < further; count++) {
    at = afterDays(at, drawWait(random, MEAN_GAP_DAYS));
    if (isInModel(at)) visits.push({ plan, at, isFirst: false });
  }
  return visits;
}

function startVisit(world: World, { plan, at, isFirst }: Visit, profiles: Map<string, Device>): void {
  const { random } = world;
  const { person, account } = plan;
  if (person.kiosk && (isFirst || random.chance(0.5))) {
    const { device, keepsBrowser, line } = person.kiosk;
    const browser = keepsBrowser ? device.browser : world.newId('browser');
    account.sessions.push({ at, device: device.id, browser, ip: line.addressAt(at) });
    return;
  }
  const chosen = chooseDevice(world, plan, at, isFirst);
  const key = `${account.id} ${chosen.id}`;
  // Half of the careful people clear the cookies, the others use another profile for the account.
  if (plan.clears && isFirst && random.chance(0.5)) profiles.set(key, createProfile(world, chosen));
  const profile = profiles.get(key) ?? chosen;
  const browser = browserAt(world, profile, at, plan.clears && isFirst && profile === chosen);
  account.sessions.push({ at, device: chosen.id, browser, ip: addressOf(world, plan, chosen, at) });
}

function chooseDevice(
  { random }: World,
  { person, device }: AccountPlan,
  at: Date,
  isFirst: boolean,
): Device {
  const { tablet, computer } = person;
  if (tablet && random.chance(ASSUMPTIONS.visitOnTablet)) return tablet;
  const mobile = mobileAt(person, at);
  if (isFirst || !random.chance(ASSUMPTIONS.visitOnOtherDevice)) return device ?? mobile;
  return device === null ? (computer ?? mobile) : mobile;
}

function addressOf({ random, networks }: World, plan: AccountPlan, device: Device, at: Date): string {
  const { person, usesVpn } = plan;
  if (usesVpn) return networks.vpn.addressAt(at);
  const isTablet = device.id === person.tablet?.id;
  if (!isTablet && person.work && random.chance(ASSUMPTIONS.visitFromWork))
    return person.work.line.addressAt(at);
  if (device.isCarried && random.chance(ASSUMPTIONS.visitOnMobile)) {
    return person.carrier.addressOf(person.mobileIpv4);
  }
  return person.home.line.addressAt(at);
}

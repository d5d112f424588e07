import { createRandom, type Random } from '../signals/random.ts';
import { type AccountPlan, givePhone } from './account-plans.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { createGatherings } from './gatherings.ts';
import { createHome } from './homes.ts';
import type { ModelAccount } from './model-account.ts';
import { createRing } from './rings.ts';
import { afterDays, createWorld, drawSize, type World } from './world.ts';

const MIN_RING = 10;
const MAX_RING = 200;
const RECYCLED_AFTER_DAYS = 90;
const MAX_DRAWS = 200;

/**
 * This number of accounts with their true owners, at least. Equal arguments generate equal accounts. With `keeps`, those of
 * them that it selects, each when it is made: a part of a large population needs the memory of the part.
 */
export function makeAccounts(
  count: number,
  seed: number,
  networkScale = 1,
  keeps: (account: ModelAccount) => boolean = () => true,
): ModelAccount[] {
  const world = createWorld(createRandom(seed), networkScale);
  const rings: ModelAccount[] = [];
  let made = makeRings(world, Math.round(count * ASSUMPTIONS.ringAccounts), (ring) =>
    rings.push(...ring.filter(keeps)),
  );
  const gatherings = createGatherings(world);
  const plans: AccountPlan[] = [];
  while (made < count) {
    const home = createHome(world, gatherings);
    made += home.length;
    plans.push(...home.filter(({ account }) => keeps(account)));
  }
  recyclePhones(plans, world.random);
  return [...rings, ...plans.map(({ account }) => account)];
}

/** Returns their number. */
function makeRings(world: World, accounts: number, onRing: (ring: ModelAccount[]) => void): number {
  let made = 0;
  while (accounts - made >= MIN_RING) {
    const size = drawSize(world.random, MIN_RING, MAX_RING);
    const ring = createRing(world, Math.min(size, accounts - made));
    made += ring.length;
    onRing(ring);
  }
  return made;
}

/** Assigns numbers to some people that strangers gave up months before. */
function recyclePhones(plans: readonly AccountPlan[], random: Random): void {
  const byPerson = Map.groupBy(plans, ({ person }) => person);
  const byPhone = Map.groupBy(plans, ({ account }) => account.phone);
  for (let left = Math.round(byPerson.size * ASSUMPTIONS.recycledPhone); left > 0; left--) {
    const [former, later] = drawHolders(plans, random) ?? [];
    if (!former || !later) continue;
    const { phone } = former.account;
    const holders = byPhone.get(phone)!;
    for (const plan of byPerson.get(later.person)!) {
      if (plan.account.phone !== later.person.phone) continue;
      givePhone(plan.account, phone, later.person, random);
      holders.push(plan);
    }
    for (const { account } of holders) {
      if (account.phone === phone) account.circumstances = [...account.circumstances, `recycled ${phone}`];
    }
    later.person.phone = phone;
  }
}

function drawHolders(plans: readonly AccountPlan[], random: Random): [AccountPlan, AccountPlan] | null {
  for (let attempt = 0; attempt < MAX_DRAWS; attempt++) {
    const [former, later] = [random.pick(plans), random.pick(plans)];
    const isPossible =
      former.account.phone !== '' &&
      former.account.phone === former.person.phone &&
      later.account.phone !== '' &&
      later.account.phone === later.person.phone &&
      former.person.country === later.person.country &&
      afterDays(former.account.registeredAt, RECYCLED_AFTER_DAYS) < later.account.registeredAt;
    if (isPossible && former.person !== later.person) return [former, later];
  }
  return null;
}

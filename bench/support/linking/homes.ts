import { type AccountPlan, giveEmail, givePhone, planAccounts } from './account-plans.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { createDevice, createProfile } from './devices.ts';
import { aliasOf } from './emails.ts';
import type { Gatherings } from './gatherings.ts';
import { createPerson, type Home, type Person } from './person.ts';
import { visit } from './visits.ts';
import { drawCountry, type World } from './world.ts';

const SIZES = [
  [2, 60],
  [3, 22],
  [4, 13],
  [5, 5],
] as const;
const MEAN_SIZE = SIZES.reduce((sum, [size, share]) => sum + (size * share) / 100, 0);

/** A home with all accounts of the customers who live there. */
export function createHome(world: World, gatherings: Gatherings): AccountPlan[] {
  const { random } = world;
  // The assumption counts people; there are fewer homes with several people than people in them.
  const several = ASSUMPTIONS.livesWithCustomer / MEAN_SIZE;
  const isShared = random.chance(several / (several + 1 - ASSUMPTIONS.livesWithCustomer));
  const country = drawCountry(random);
  const home: Home = {
    country,
    line: world.networks.home(country),
    name: world.newId('household'),
    isShared,
    tablet: isShared && random.chance(ASSUMPTIONS.homeSharesTablet) ? createDevice(world, false) : null,
  };
  const people = Array.from({ length: isShared ? random.weighted(SIZES) : 1 }, () =>
    createPerson(world, home, gatherings),
  );
  if (home.tablet && !random.chance(ASSUMPTIONS.tabletOneProfile)) {
    for (const person of people) person.tablet = createProfile(world, home.tablet);
  }
  const plans = people.flatMap((person) => planAccounts(world, person));
  if (isShared) lendContacts(world, people, plans);
  visit(world, plans);
  return plans;
}

/** One person enters the number or mailbox of another. */
function lendContacts({ random }: World, people: readonly Person[], plans: readonly AccountPlan[]): void {
  const [lender, borrower] = people;
  const account = plans.find(({ person }) => person === borrower)?.account;
  if (!lender || !account) return;
  if (random.chance(ASSUMPTIONS.homeSharesPhone)) givePhone(account, lender.phone, lender, random);
  if (random.chance(ASSUMPTIONS.homeSharesMailbox)) {
    giveEmail(account, lender.mailbox, aliasOf(lender.mailbox, random), random);
  }
}

import { ASSUMPTIONS } from './assumptions.ts';
import { createDevice, type Device } from './devices.ts';
import { aliasOf, mistypeEmail } from './emails.ts';
import type { Fields, ModelAccount } from './model-account.ts';
import { drawName, mistype, rewriteName, type WrittenName, writeName } from './names.ts';
import type { Person } from './person.ts';
import { drawPhone, writePhone } from './phones.ts';
import { afterDays, drawInstant, drawWait, isInModel, type World } from './world.ts';

/** An account and the habits of its owner. */
export type AccountPlan = {
  account: ModelAccount;
  person: Person;
  /** Device of the account; null: the owner's current phone. */
  device: Device | null;
  /** Tries not to be recognized when the account is opened. */
  clears: boolean;
  usesVpn: boolean;
};

type Contact = { mailbox: string; phone: string; name: WrittenName };

/** Differences between a person's further account and the first. */
type Motive = {
  sameMailbox: number;
  nearEmail: number;
  samePhone: number;
  otherName: number;
  otherDevice: number;
  clears: number;
  usesVpn: number;
};

const FORGETFUL: Motive = {
  sameMailbox: ASSUMPTIONS.forgetfulSameMailbox,
  nearEmail: ASSUMPTIONS.forgetfulNearEmail,
  samePhone: ASSUMPTIONS.forgetfulSamePhone,
  otherName: ASSUMPTIONS.forgetfulOtherName,
  otherDevice: ASSUMPTIONS.forgetfulOtherDevice,
  clears: ASSUMPTIONS.forgetfulClears,
  usesVpn: 0,
};
const EVADING: Motive = {
  sameMailbox: ASSUMPTIONS.evaderSameMailbox,
  nearEmail: ASSUMPTIONS.evaderNearEmail,
  samePhone: ASSUMPTIONS.evaderSamePhone,
  otherName: ASSUMPTIONS.evaderOtherName,
  otherDevice: ASSUMPTIONS.evaderOtherDevice,
  clears: ASSUMPTIONS.evaderClears,
  usesVpn: ASSUMPTIONS.evaderUsesVpn,
};
/** An evader returns within days, until it no longer pays. */
const EVADER_WAIT_DAYS = 10;

/** All accounts of a person. The first one is always legitimate. */
export function planAccounts(world: World, person: Person): AccountPlan[] {
  const { random } = world;
  const contact = { mailbox: person.mailbox, phone: person.phone, name: writeName(person.name) };
  const device = person.computer && random.chance(0.5) ? person.computer : null;
  const first: AccountPlan = {
    account: createAccount(world, person, contact, person.mailbox, drawInstant(random)),
    person,
    device,
    clears: false,
    usesVpn: person.usesVpn,
  };
  if (!random.chance(ASSUMPTIONS.severalAccounts)) return [first];
  const isEvader = random.chance(ASSUMPTIONS.evaders);
  const further = random.weighted([
    [1, 70],
    [2, 18],
    [3, 8],
    [4, 4],
  ]);
  const plans = [first];
  let at = first.account.registeredAt;
  for (let left = further; left > 0; left--) {
    at = isEvader ? afterDays(at, drawWait(random, EVADER_WAIT_DAYS)) : drawLater(at, random);
    if (isInModel(at)) plans.push(planFurther(world, first, isEvader ? EVADING : FORGETFUL, at));
  }
  return plans;
}

function planFurther(world: World, first: AccountPlan, motive: Motive, at: Date): AccountPlan {
  const { random } = world;
  const { person } = first;
  const { mailbox, email } = drawMailbox(world, person, motive);
  const phone = random.chance(motive.samePhone)
    ? person.phone
    : drawPhone(person.country, world.phones, random);
  const name = random.chance(motive.otherName)
    ? writeName(drawName(person.country, random))
    : random.chance(ASSUMPTIONS.nameRewritten)
      ? rewriteName(person.name, random)
      : writeName(person.name);
  return {
    account: createAccount(world, person, { mailbox, phone, name }, email, at),
    person,
    device: random.chance(motive.otherDevice) ? drawOtherDevice(world, first) : first.device,
    clears: random.chance(motive.clears),
    usesVpn: person.usesVpn || random.chance(motive.usesVpn),
  };
}

function drawMailbox(world: World, person: Person, motive: Motive): { mailbox: string; email: string } {
  const { random, mailboxes } = world;
  const { mailbox } = person;
  if (random.chance(motive.sameMailbox)) return { mailbox, email: aliasOf(mailbox, random) };
  const own = random.chance(motive.nearEmail / (1 - motive.sameMailbox))
    ? mailboxes.openNear(mailbox, random)
    : mailboxes.open(person.name, person.country, random);
  return { mailbox: own, email: own };
}

/** Another device of the same person, if there is one; otherwise a borrowed or an old one. */
function drawOtherDevice(world: World, { device, person }: AccountPlan): Device | null {
  if (device !== null) return null;
  return person.computer ?? createDevice(world, world.random.chance(0.5));
}

function drawLater(at: Date, random: World['random']): Date {
  for (;;) {
    const later = drawInstant(random);
    if (later > at || !isInModel(afterDays(at, 1))) return later > at ? later : afterDays(at, 1);
  }
}

function createAccount(
  world: World,
  person: Person,
  contact: Contact,
  email: string,
  registeredAt: Date,
): ModelAccount {
  const { random } = world;
  const expectedCountries = random.chance(ASSUMPTIONS.countryExpected) ? [person.country.code] : [];
  const account: ModelAccount = {
    id: world.newId('account'),
    personId: person.id,
    origin: 'person',
    country: person.country.code,
    registeredAt,
    fields: { email: '', phone: '', firstName: '', lastName: '', username: '' },
    expectedCountries,
    sessions: [],
    mailbox: '',
    phone: '',
    circumstances: person.circumstances,
  };
  if (random.chance(ASSUMPTIONS.emailGiven)) giveEmail(account, contact.mailbox, email, random);
  if (random.chance(ASSUMPTIONS.phoneGiven)) givePhone(account, contact.phone, person, random);
  if (random.chance(ASSUMPTIONS.nameGiven)) Object.assign(account.fields, typedName(contact.name, random));
  return account;
}

/** A mistyped address does not exist or belongs to a stranger. */
export function giveEmail(
  account: ModelAccount,
  mailbox: string,
  email: string,
  random: World['random'],
): void {
  const isMistyped = random.chance(ASSUMPTIONS.emailTypo);
  account.fields.email = isMistyped ? mistypeEmail(email, random) : email;
  account.mailbox = isMistyped ? account.fields.email : mailbox;
}

export function givePhone(
  account: ModelAccount,
  phone: string,
  { country }: Pick<Person, 'country'>,
  random: World['random'],
): void {
  account.phone = phone;
  account.fields.phone = writePhone(phone, country, account.expectedCountries.length > 0, random);
}

function typedName(
  { firstName, lastName }: WrittenName,
  random: World['random'],
): Pick<Fields, 'firstName' | 'lastName'> {
  if (!random.chance(ASSUMPTIONS.nameTypo)) return { firstName, lastName };
  return random.chance(0.4)
    ? { firstName: mistype(firstName, random), lastName }
    : { firstName, lastName: mistype(lastName, random) };
}

import type { PLACES } from './places.ts';

/** A fictitious person. */
export type Person = {
  readonly place: keyof typeof PLACES;
  readonly firstName: string;
  readonly lastName: string;
  /**
   * In a range reserved for fiction: NXX-555-01xx (North America), +44 7700 900 (Ofcom), +33 6 39 98 (Arcep), +49 30 23125
   * (Bundesnetzagentur), +46 70 174 06 (PTS). Absent in countries without such a range.
   */
  readonly phone?: string;
};

const person = (place: Person['place'], firstName: string, lastName: string, phone?: string): Person => ({
  place,
  firstName,
  lastName,
  ...(phone === undefined ? {} : { phone }),
});

/** People with one account each, which share nothing. */
export const ORDINARY_PEOPLE: readonly Person[] = [
  person('de', 'Greta', 'Hartwig', '+493023125101'),
  person('de', 'Jonas', 'Reinecke', '+493023125117'),
  person('de', 'Mareike', 'Stolle', '+493023125133'),
  person('de', 'Torben', 'Ahlers', '+493023125159'),
  person('fr', 'Camille', 'Vasseur', '+33639980102'),
  person('fr', 'Lucien', 'Perrot', '+33639980216'),
  person('fr', 'Maelys', 'Guyon', '+33639980335'),
  person('fr', 'Bastien', 'Colas', '+33639980471'),
  person('gb', 'Imogen', 'Thackeray', '+447700900103'),
  person('gb', 'Callum', 'Prentice', '+447700900218'),
  person('gb', 'Niamh', 'Gallacher', '+447700900337'),
  person('gb', 'Rupert', 'Ashdown', '+447700900459'),
  person('us', 'Marisol', 'Delgado', '+14155550104'),
  person('us', 'Trevor', 'Lindqvist', '+14155550119'),
  person('us', 'Aaliyah', 'Brooks', '+14155550131'),
  person('us', 'Wesley', 'Okafor', '+14155550148'),
  person('ca', 'Chantal', 'Bouchard', '+14165550105'),
  person('ca', 'Desmond', 'Fraser', '+14165550122'),
  person('ca', 'Priya', 'Ramanathan', '+14165550137'),
  person('ca', 'Elliot', 'Macleod', '+14165550153'),
  person('se', 'Linnea', 'Sandell', '+46701740606'),
  person('se', 'Oskar', 'Brandt', '+46701740621'),
  person('se', 'Tuva', 'Hedlund', '+46701740638'),
  person('se', 'Viktor', 'Nyberg', '+46701740655'),
  person('es', 'Rocio', 'Zamora'),
  person('es', 'Alvaro', 'Carmona'),
  person('es', 'Nerea', 'Ibarra'),
  person('es', 'Gonzalo', 'Prieto'),
  person('it', 'Ginevra', 'Marchetti'),
  person('it', 'Davide', 'Fontanella'),
  person('it', 'Elisa', 'Bernardi'),
  person('it', 'Tommaso', 'Gallo'),
  person('pl', 'Zuzanna', 'Wrobel'),
  person('pl', 'Kacper', 'Maciejewski'),
  person('pl', 'Hanna', 'Sikora'),
  person('pl', 'Wojciech', 'Duda'),
  person('br', 'Thais', 'Monteiro'),
  person('br', 'Caio', 'Figueiredo'),
  person('br', 'Luiza', 'Barreto'),
  person('br', 'Murilo', 'Teixeira'),
  person('in', 'Ananya', 'Kulkarni'),
  person('in', 'Rohan', 'Bhandari'),
  person('in', 'Meera', 'Chaudhary'),
  person('in', 'Vikram', 'Sethi'),
  person('jp', 'Haruka', 'Nishimura'),
  person('jp', 'Daichi', 'Okamoto'),
  person('jp', 'Misaki', 'Fujiwara'),
  person('jp', 'Ren', 'Takeda'),
];

/** People who live together and share a tablet. */
export const FAMILY: readonly Person[] = [
  person('gb', 'Harriet', 'Pemberton', '+447700900512'),
  person('gb', 'Edmund', 'Pemberton', '+447700900537'),
  person('gb', 'Beatrix', 'Pemberton', '+447700900561'),
  person('gb', 'Alfie', 'Pemberton', '+447700900584'),
];

/** Names under which one person opens accounts with the same phone numbers. */
export const PHONE_RING = [
  ['Alex', 'Rivers'],
  ['Sam', 'Stone'],
  ['Robin', 'Fields'],
  ['Casey', 'Waters'],
  ['Jamie', 'Woods'],
  ['Taylor', 'Hills'],
  ['Morgan', 'Banks'],
  ['Jordan', 'Brooksby'],
] as const;

/** Mailboxes that a script generates. */
export const DEVICE_RING = [
  'quick.sale',
  'best.deals',
  'top.offer',
  'mega.shop',
  'gold.store',
  'fast.trade',
  'super.market',
  'prime.cart',
  'easy.order',
  'bulk.buyer',
] as const;

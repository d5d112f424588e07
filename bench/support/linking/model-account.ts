import type { PersonalFields } from '@vouchgraph/persons';
/** Fields of an account about its owner. */
export type Fields = Pick<PersonalFields, 'email' | 'phone' | 'firstName' | 'lastName' | 'username'> &
  Partial<Pick<PersonalFields, 'dateOfBirth'>>;

/** One visit with the facts that the service receives. */
export type Session = { at: Date; device: string; browser: string; ip: string };

/** The kind of a ring; null for people. */
export type Origin = 'person' | 'ring by phone' | 'ring by browser' | 'ring by mailbox' | 'ring by devices';

/** An account with the truth about it. */
export type ModelAccount = {
  id: string;
  /** Owner of the account. A ring has one owner. */
  personId: string;
  origin: Origin;
  /** Home of the owner. */
  country: string;
  registeredAt: Date;
  fields: Fields;
  expectedCountries: string[];
  sessions: Session[];
  /** Mailbox and phone number behind the entered text; '' without one. */
  mailbox: string;
  phone: string;
  /** Places and things that its owner shares with others, as `office 12`. */
  circumstances: string[];
};

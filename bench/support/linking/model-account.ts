import type { PersonalFields } from '../../../src/domain/model/personal-fields.ts';

/** What an account gives of its owner. */
export type Fields = Pick<PersonalFields, 'email' | 'phone' | 'firstName' | 'lastName' | 'username'> &
  Partial<Pick<PersonalFields, 'dateOfBirth'>>;

/** One visit, with what the service sees of it. */
export type Session = { at: Date; device: string; browser: string; ip: string };

/** How a ring works; the others are people. */
export type Origin = 'person' | 'ring by phone' | 'ring by browser' | 'ring by mailbox' | 'ring by devices';

/** An account with the truth about it. */
export type ModelAccount = {
  id: string;
  /** Whose it is. A ring is one person's. */
  personId: string;
  origin: Origin;
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

import type { ModelAccount } from '../linking/model-account.ts';
import type { BenchRequest } from '../load.ts';
import { insertSessions, type MadeSession, type SessionMaker } from '../sessions.ts';
import { randomBelow } from '../statistics.ts';
import type { Workbench } from '../workbench.ts';
import type { People } from './load-people.ts';

/** Shares of the requests. */
export const NEW = 0.3;
/** On the device and address of a stranger. */
const SHARED = 0.1;

export type Attempt = { account: ModelAccount; isNew: boolean; isShared: boolean; session: MadeSession };

/**
 * Authenticates of people: three of ten are new accounts of the model, the others return on the device of one of their former
 * sessions. One of ten uses the device and address of another account. Each request uses an open, unused session; its creation
 * is not measured.
 */
export function createPeopleTraffic(bench: Workbench, people: People, makeSession: SessionMaker) {
  const arrivals = people.arrivals.values();
  let attempts: Attempt[] = [];
  const pickKnown = () => people.known.at(randomBelow(people.known.length));

  function nextAttempt(): Attempt {
    const isNew = Math.random() < NEW;
    const account = isNew ? arrivals.next().value : pickKnown();
    if (!account) throw new Error('no new account of the model is left: use fewer or shorter rounds');
    const isShared = Math.random() < SHARED;
    const trace = pick((isShared ? pickKnown() : account).sessions);
    const visitor = { ...trace, country: account.country };
    return { account, isNew, isShared, session: makeSession(visitor, new Date(), true) };
  }

  return {
    /** Stores fresh sessions and returns the requests that use them. */
    async next(count: number): Promise<BenchRequest[]> {
      attempts = Array.from({ length: count }, nextAttempt);
      await insertSessions(
        bench,
        attempts.map(({ session }) => session),
      );
      return attempts.map(({ account, isNew, session }) => ({
        method: 'POST',
        path: '/session/authenticate',
        headers: { 'x-api-key': bench.key },
        body: { session_id: session.row.session_id, account: fieldsOf(account, isNew) },
      }));
    },

    check(index: number, body: string): string | null {
      const { account, session } = attempts[index]!;
      const answer = JSON.parse(body);
      if (answer.account_id !== account.id) return `not account ${account.id}`;
      if (answer.session_id !== session.row.session_id) return 'another session';
      if (!['Real', 'Suspicious', 'Fake'].includes(answer.decision)) return 'no decision';
      if (answer.session.network.ip_address !== session.result.network.ipAddress) return 'another address';
      return answer.account.email.email === account.fields.email ? null : "another's email";
    },

    /** Those of the current turn. */
    attempts: (): readonly Attempt[] => attempts,
  };
}

/** A registration has all fields that the person entered; a later visit repeats the contact. */
function fieldsOf({ id, fields, expectedCountries }: ModelAccount, isNew: boolean) {
  const { email, phone, firstName, lastName, username } = fields;
  const contact = { email, phone };
  const entered = isNew ? { ...contact, first_name: firstName, last_name: lastName, username } : contact;
  const given = Object.entries(entered).filter(([, value]) => value !== '');
  const countries = isNew && expectedCountries.length > 0 ? { expected_countries: expectedCountries } : {};
  return { id, ...Object.fromEntries(given), ...countries };
}

function pick<T>(values: readonly T[]): T {
  return values[randomBelow(values.length)]!;
}

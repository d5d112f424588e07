import { type Clock, systemClock } from '@vouchgraph/platform/clock';
import { createInvitationService, type InvitationService } from '../domain/people/invitation-service.ts';
import { createPeopleService, sessionCheck } from '../domain/people/people-service.ts';
import { createSignIn, hashPassword, type SignIn } from '../domain/people/sign-in-adapter.ts';
import { type ConsoleOrigins, consoleOrigins } from '../http/auth/console-origin.ts';
import type { Storage } from './open-storage.ts';
import type { Start } from './start.ts';

export type People = ReturnType<typeof openPeople>;

/** Opens the sign-in of people. Its library is created at the first request: by then the address of the gateway is known. */
export function openPeople(
  { clock, log, address }: Pick<Start, 'clock' | 'log' | 'address'>,
  { people: database, masterKey, access }: Storage,
) {
  let origins: ConsoleOrigins | undefined;
  const originsNow = () => {
    origins ??= consoleOrigins(address.baseUrl);
    return origins;
  };
  let created: SignIn | undefined;
  const signIn = () => {
    const { origin, all, isSecure } = originsNow();
    created ??= createSignIn({
      people: database,
      secret: masterKey.secretFor('sign-in'),
      origin,
      otherOrigins: [...all].filter((each) => each !== origin),
      isSecure,
      beforeSession: sessionCheck({ people: database, clock }),
      clock,
      // The library puts emails into messages.
      onError: () => log.error('the library of the sign-in reported an error'),
    });
    return created;
  };
  const lazy: SignIn = {
    handle: (request) => signIn().handle(request),
    signInOnce: (...credentials) => signIn().signInOnce(...credentials),
    tokenOf: (cookie) => signIn().tokenOf(cookie),
  };
  return {
    signIn: lazy,
    origins: originsNow,
    people: createPeopleService({
      people: database,
      signIn: lazy,
      findProject: access.findProjectById,
      clock,
    }),
    invitations: openInvitations({ people: database }, clock),
  };
}

/** Invitations, which need no address of the gateway. */
export function openInvitations(
  { people }: Pick<Storage, 'people'>,
  clock: Clock = systemClock,
): InvitationService {
  return createInvitationService({ people, hashPassword, clock, actor: 'command line' });
}

import { type Clock, systemClock } from '@vouchgraph/platform/clock';
import { createInvitationService, type InvitationService } from '../domain/people/invitation-service.ts';
import { createPeopleService, sessionCheck } from '../domain/people/people-service.ts';
import { createSignIn, hashPassword } from '../domain/people/sign-in-adapter.ts';
import { consoleOrigins } from '../http/auth/console-origin.ts';
import { isOfThisMachine } from './loopback-rule.ts';
import type { Storage } from './open-storage.ts';
import type { Start } from './start.ts';

export type People = ReturnType<typeof openPeople>;

/** Opens the sign-in of people. The gateway listens already: links and passkeys contain its address. */
export function openPeople(
  { config, clock, log, address }: Pick<Start, 'config' | 'clock' | 'log' | 'address'>,
  { people: database, masterKey, access, projects }: Storage,
) {
  const origins = consoleOrigins(address.baseUrl);
  const signIn = createSignIn({
    people: database,
    secret: masterKey.secretFor('sign-in'),
    origin: origins.origin,
    otherOrigins: [...origins.all].filter((each) => each !== origins.origin),
    isSecure: origins.isSecure,
    beforeSession: sessionCheck({ people: database, clock }),
    clock,
    // The library puts emails into messages.
    onError: () => log.error('the library of the sign-in reported an error'),
  });
  const allowsFirst = async () => isOfThisMachine(config) && !(await projects.hasProductionProject());
  return {
    signIn,
    origins,
    people: createPeopleService({ people: database, signIn, findProject: access.findProjectById, clock }),
    invitations: openInvitations({ people: database }, { clock, allowsFirst }),
  };
}

/** Invitations, which need no address of the gateway. A command makes no link of a first administrator. */
export function openInvitations(
  { people }: Pick<Storage, 'people'>,
  {
    clock = systemClock,
    allowsFirst = async () => false,
  }: { clock?: Clock; allowsFirst?: () => Promise<boolean> } = {},
): InvitationService {
  return createInvitationService({ people, hashPassword, clock, allowsFirst, actor: 'command line' });
}

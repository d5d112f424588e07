import { type Clock, systemClock } from '@vouchgraph/platform/clock';
import type { Config } from '../config.ts';
import { createResolve } from '../domain/outbound/guarded-agent-adapter.ts';
import { createAdministrationService } from '../domain/people/administration-service.ts';
import { invitationLink } from '../domain/people/invitation.ts';
import { createInvitationService, type InvitationService } from '../domain/people/invitation-service.ts';
import { createPeopleService, sessionCheck } from '../domain/people/people-service.ts';
import { createPersonDataService, type PersonDataService } from '../domain/people/person-data-service.ts';
import { createProviderClient } from '../domain/people/provider-adapter.ts';
import { createProviderFetch } from '../domain/people/provider-fetch-adapter.ts';
import { createProviderService, type ProviderService } from '../domain/people/provider-service.ts';
import { createProviderSignIn } from '../domain/people/provider-sign-in-service.ts';
import { createSignIn, hashPassword } from '../domain/people/sign-in-adapter.ts';
import { consoleOrigins } from '../http/auth/console-origin.ts';
import { isOfThisMachine } from './loopback-rule.ts';
import type { Storage } from './open-storage.ts';
import type { AppOptions, Start } from './start.ts';

export type People = ReturnType<typeof openPeople>;

/** Opens the sign-in of people. The gateway listens already: links and passkeys contain its address. */
export function openPeople(
  start: Pick<Start, 'config' | 'options' | 'clock' | 'log' | 'address' | 'opened'>,
  { people: database, masterKey, access, projects }: Storage,
) {
  const { config, clock, log, address } = start;
  const origins = consoleOrigins(address.baseUrl);
  const client = openProviderClient(start, clock);
  const providers = createProviderSignIn({
    people: database,
    masterKey,
    client,
    clock,
    onFailure: (provider, reason) => log.warn({ provider, reason }, 'a sign-in with a provider failed'),
  });
  const signIn = createSignIn({
    people: database,
    secret: masterKey.secretFor('sign-in'),
    origin: origins.origin,
    otherOrigins: [...origins.all].filter((each) => each !== origins.origin),
    isSecure: origins.isSecure,
    beforeSession: sessionCheck({ people: database, clock }),
    providers,
    clock,
    // The library puts emails into messages.
    onError: () => log.error('the library of the sign-in reported an error'),
  });
  const allowsFirst = async () => isOfThisMachine(config) && !(await projects.hasProductionProject());
  return {
    signIn,
    origins,
    providers,
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

/** Export and erasure of the data of people. */
export function openPersonData(
  { people, access, database }: Pick<Storage, 'people' | 'access' | 'database'>,
  clock: Clock = systemClock,
): PersonDataService {
  return createPersonDataService({
    people,
    findProject: access.findProjectById,
    forProject: database.forProject,
    clock,
  });
}

/** Services of people for requests. Links contain the address of the gateway, which is known once it listens. */
export function openAdministration({ clock, address }: Pick<Start, 'clock' | 'address'>, storage: Storage) {
  const personData = openPersonData(storage, clock);
  const people = createAdministrationService({
    people: storage.people,
    findProject: storage.access.findProjectById,
    linkOf: (secret) => invitationLink(consoleOrigins(address.baseUrl).origin, secret),
    eraseAuditedValues: personData.eraseAuditedValues,
    clock,
  });
  return { people, personData };
}

/** Sign-in providers of the installation, for commands. */
export function openProviders(
  { people, masterKey, config }: Pick<Storage, 'people' | 'masterKey'> & { config: Config },
  opened: AsyncDisposableStack,
): ProviderService {
  const client = openProviderClient({ config, options: {}, opened }, systemClock);
  return createProviderService({
    people,
    masterKey,
    client,
    allowsLoopback: isOfThisMachine(config),
    clock: systemClock,
  });
}

function openProviderClient(
  { config, options, opened }: Pick<Start, 'config' | 'opened'> & { options: Pick<AppOptions, 'webhooks'> },
  clock: Clock,
) {
  const fetch = createProviderFetch({
    resolve: options.webhooks?.resolve ?? createResolve(config.dnsServers),
    allowsLoopback: isOfThisMachine(config),
  });
  opened.defer(fetch.close);
  return createProviderClient(fetch, () => clock.now().getTime());
}

import type { EventSelection } from '@vouchgraph/events';
import type { Logger } from '@vouchgraph/platform/logger';
import type { DocumentNode } from 'graphql';
import type { LimitFunction } from 'p-limit';
import type { EventHub, FeedSubscription } from '../../domain/events/event-hub-worker.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { Project } from '../../domain/projects/project.ts';
import type { GraphQLContext, Services } from '../../graphql/kernel/context.ts';
import type { RevealWatch } from './reveal-watch.ts';
import type { Membership, Subscriber } from './subscriber.ts';

export type SubscriptionRequest = {
  readonly source: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown> | undefined;
  readonly context: GraphQLContext;
};

export type SubscriptionDeps = {
  hub: EventHub;
  services: Services;
  /** The project as it is now. */
  getProject: (projectId: string) => Promise<Project | null>;
  log: Logger;
};

/** Shared state of all subscriptions of a process. */
export type SubscriptionState = SubscriptionDeps & {
  readonly groups: Map<string, Group>;
  /** Notifies subscribers of persons of the end of their reveals. */
  readonly reveals: RevealWatch;
  readonly executing: LimitFunction;
  readonly reading: LimitFunction;
  /** Variables of each document that only name the event to resume from. */
  readonly resumes: WeakMap<DocumentNode, ReadonlySet<string>>;
};

/** Subscribers with the same document, variables and rights. */
export type Group = Membership & {
  readonly key: string;
  readonly request: Omit<SubscriptionRequest, 'source' | 'context'>;
  readonly viewer: Viewer;
  readonly selection: EventSelection;
  readonly feed: FeedSubscription;
  /** As it was when it was last read. */
  project: Project;
  /** Position through which all members have had everything. */
  position: number;
  /** Subscribers that receive new events together. */
  readonly members: Set<Subscriber>;
  /** Number of members and of subscribers that are catching up. */
  size: number;
};

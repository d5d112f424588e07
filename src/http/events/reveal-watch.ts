import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import { type DocumentNode, getOperationAST, Kind, type SelectionSetNode } from 'graphql';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { ActiveReveal } from '../../domain/reveals/active-reveals.ts';
import type { RecentReveals, RevealService } from '../../domain/reveals/reveal-service.ts';
import { SharedResult } from './shared-result.ts';
import type { Subscriber } from './subscriber.ts';

/*
 * The end of a reveal reaches open subscriptions: a message without an event, whose extension `endedReveals` names the subjects,
 * so that the client removes their data from its cache. Events after it are masked again, because each event is executed with
 * the reveals of its time. Only persons reveal: subscriptions with keys cost nothing here.
 */

/** Reveals are read again after this time. */
const EVERY_MS = 2000;

type WatchedGroup = {
  readonly viewer: Viewer;
  readonly request: { readonly document: DocumentNode; readonly operationName: string | undefined };
};

/** A person with open subscriptions, in a project. */
type Watched = {
  readonly viewer: Viewer;
  readonly groups: Map<WatchedGroup, Set<Subscriber>>;
  /** As they were last read; nothing since the first subscription at the beginning. */
  recent: RecentReveals;
};

type Reveals = Pick<RevealService, 'findSince'>;

export type RevealWatch = {
  add(group: WatchedGroup, subscriber: Subscriber): void;
  remove(group: WatchedGroup, subscriber: Subscriber): void;
};

export function createRevealWatch(reveals: Reveals, clock: Clock, everyMs: number = EVERY_MS): RevealWatch {
  const persons = new Map<string, Watched>();
  let timer: NodeJS.Timeout | null = null;

  const checkAll = () => {
    for (const person of persons.values()) void check(reveals, person);
  };

  return {
    add(group, subscriber) {
      const { viewer } = group;
      if (viewer.kind !== 'person') return;
      const key = keyOf(viewer);
      const person = persons.get(key) ?? { viewer, groups: new Map(), recent: noneAt(clock.now()) };
      const isNew = !persons.has(key);
      persons.set(key, person);
      person.groups.set(group, (person.groups.get(group) ?? new Set()).add(subscriber));
      if (isNew) void check(reveals, person);
      timer ??= setInterval(checkAll, everyMs).unref();
    },
    remove(group, subscriber) {
      if (group.viewer.kind !== 'person') return;
      const key = keyOf(group.viewer);
      const person = persons.get(key);
      const subscribers = person?.groups.get(group);
      if (!person || !subscribers) return;
      subscribers.delete(subscriber);
      if (subscribers.size === 0) person.groups.delete(group);
      if (person.groups.size === 0) persons.delete(key);
      if (persons.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    },
  };
}

const noneAt = (now: Date): RecentReveals => ({ now, active: [], ended: [] });

function keyOf({ project, personId }: Viewer): string {
  return `${project.projectId} ${personId}`;
}

/**
 * Reads the reveals of a person, and notifies its subscribers of those that ended since the last time, also of those that began and
 * ended in between.
 */
async function check(reveals: Reveals, person: Watched): Promise<void> {
  const known = person.recent;
  const recent = await findRecent(reveals, person);
  // A failed read is repeated, and so is one that another has overtaken.
  if (recent === null || person.recent !== known) return;
  person.recent = recent;
  const ended = without(
    [...known.active, ...without(recent.ended, known.active)],
    [...recent.active, ...known.ended],
  );
  if (ended.length === 0) return;
  for (const [{ request }, subscribers] of person.groups) {
    const result = new SharedResult(JSON.stringify(noticeOf(request.document, request.operationName, ended)));
    for (const { sink, isOpen } of [...subscribers]) if (isOpen) sink.send(result);
  }
}

function without(some: readonly ActiveReveal[], others: readonly ActiveReveal[]): ActiveReveal[] {
  return some.filter(({ revealId }) => !others.some((other) => other.revealId === revealId));
}

/** Null while the database does not answer. A person that may not reveal any more has no reveals. */
async function findRecent(reveals: Reveals, { viewer, recent }: Watched): Promise<RecentReveals | null> {
  try {
    return await reveals.findSince(viewer, recent.now);
  } catch (error) {
    const isForbidden = error instanceof AppError && error.kind === 'forbidden';
    return isForbidden ? noneAt(recent.now) : null;
  }
}

/** A result whose root field is null, with the ended reveals. */
function noticeOf(
  document: DocumentNode,
  operationName: string | undefined,
  ended: readonly ActiveReveal[],
): object {
  const operation = getOperationAST(document, operationName);
  const name = operation && rootNameOf(document, operation.selectionSet);
  const endedReveals = ended.map(({ revealId, kind, accountId, subjectId }) => ({
    revealId,
    subject: kind.toUpperCase(),
    id: accountId ?? subjectId,
  }));
  return { data: name ? { [name]: null } : null, extensions: { endedReveals } };
}

/** The name in the answer of the only root field, which can be in a fragment. */
function rootNameOf(document: DocumentNode, { selections }: SelectionSetNode): string | null {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) return (selection.alias ?? selection.name).value;
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : document.definitions.find(
            (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value,
          );
    const name =
      inner && 'selectionSet' in inner && inner.selectionSet
        ? rootNameOf(document, inner.selectionSet)
        : null;
    if (name !== null) return name;
  }
  return null;
}

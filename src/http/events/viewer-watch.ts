import { AppError } from '@vouchgraph/platform/errors';
import pLimit from 'p-limit';
import type { Viewer } from '../../domain/projects/access-service.ts';

/** Open socket or stream of a viewer. */
export type ViewerHolder = {
  /** Closes it: the credential is not valid any more. */
  endAccess(error: AppError): void;
};

/** One credential, shared by all holders that opened something with it. */
export type WatchedViewer = {
  /** Looks the credential up again. */
  readonly find: () => Promise<Viewer>;
  readonly holders: Set<ViewerHolder>;
  leave(holder: ViewerHolder): void;
};

/** Revalidates the credentials of open sockets and streams periodically. */
export type ViewerWatch = {
  /**
   * `find` rejects with an error of kind `unauthenticated` or `forbidden` once the credential is not valid; then, within seconds, each holder
   * receives that error. Equal credentials are looked up once, by the `find` of the first holder.
   */
  watch(credential: string, find: () => Promise<Viewer>, holder: ViewerHolder): WatchedViewer;
  close(): void;
};

const EVERY_MS = 2000;
const AT_ONCE = 8;

export function createViewerWatch(): ViewerWatch {
  const watched = new Map<string, WatchedViewer>();
  const limit = pLimit(AT_ONCE);
  let isLooking = false;

  async function checkAll(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      await Promise.all([...watched.values()].map((viewer) => limit(() => check(viewer))));
    } finally {
      isLooking = false;
    }
  }

  function begin(credential: string, find: () => Promise<Viewer>): WatchedViewer {
    const holders = new Set<ViewerHolder>();
    const viewer: WatchedViewer = {
      find,
      holders,
      leave(holder) {
        holders.delete(holder);
        if (holders.size === 0 && watched.get(credential) === viewer) watched.delete(credential);
      },
    };
    watched.set(credential, viewer);
    return viewer;
  }

  const timer = setInterval(checkAll, EVERY_MS);
  timer.unref();
  return {
    watch(credential, find, holder) {
      const viewer = watched.get(credential) ?? begin(credential, find);
      viewer.holders.add(holder);
      return viewer;
    },
    close: () => clearInterval(timer),
  };
}

async function check({ find, holders }: WatchedViewer): Promise<void> {
  if (holders.size === 0) return;
  try {
    await find();
  } catch (error) {
    // A failed look-up is no evidence: it is repeated.
    // A person who is signed in can lose the role in the project.
    if (!(error instanceof AppError) || !['unauthenticated', 'forbidden'].includes(error.kind)) return;
    for (const holder of [...holders]) endAccess(holder, error);
  }
}

/** One that fails to close leaves the others of the credential closed. */
function endAccess(holder: ViewerHolder, error: AppError): void {
  try {
    holder.endAccess(error);
  } catch {
    // It is looked up again in the next interval.
  }
}

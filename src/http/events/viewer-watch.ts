import pLimit from 'p-limit';
import { AppError } from '../../platform/errors.ts';

type OnEnd = (error: AppError) => void;

/** Looks again and again whether those who hold something open may still do so. */
export type ViewerWatch = {
  /**
   * `find` rejects with an error of kind `unauthenticated` once the credential is not valid; then, within seconds, `onEnd`
   * receives that error.
   * Those with equal credentials are looked at once. Returns what ends the watch.
   */
  watch(credential: string, find: () => Promise<unknown>, onEnd: OnEnd): () => void;
  close(): void;
};

const EVERY_MS = 2000;
const AT_ONCE = 8;

export function createViewerWatch(): ViewerWatch {
  const watched = new Map<string, { find: () => Promise<unknown>; ends: Set<OnEnd> }>();
  const limit = pLimit(AT_ONCE);
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    await Promise.all([...watched.values()].map(({ find, ends }) => limit(() => lookAt(find, ends))));
    isLooking = false;
  }

  async function lookAt(find: () => Promise<unknown>, ends: Set<OnEnd>): Promise<void> {
    if (ends.size === 0) return;
    try {
      await find();
    } catch (error) {
      // That it cannot be found out says nothing: it is asked again.
      if (!(error instanceof AppError) || error.kind !== 'unauthenticated') return;
      for (const end of [...ends]) end(error);
    }
  }

  const timer = setInterval(look, EVERY_MS);
  timer.unref();
  return {
    watch(credential, find, onEnd) {
      const entry = watched.get(credential) ?? { find, ends: new Set() };
      watched.set(credential, entry);
      entry.ends.add(onEnd);
      return () => {
        entry.ends.delete(onEnd);
        if (entry.ends.size === 0 && watched.get(credential) === entry) watched.delete(credential);
      };
    },
    close: () => clearInterval(timer),
  };
}

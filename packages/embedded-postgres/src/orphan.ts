import type { Binaries } from './binaries.ts';
import type { Places } from './data-folder.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { claimCluster } from './ownership.ts';
import { pollUntil } from './poll.ts';
import { findPostmaster, type Postmaster, removeForeignPostmasterFile } from './postmaster.ts';
import { stopOrphan } from './server-process.ts';

const TIMEOUT_MS = 10_000;
/** How long an orphan may take to stop cleanly, which takes a moment unless it has much to write. */
const STOP_TIMEOUT_MS = 5_000;

/**
 * Handles a server that already runs on the cluster, started by a gateway that was killed. Usually it is shutting down, and
 * the start waits for it. One that keeps running is stopped, because the new server must have this gateway's settings and
 * its guard; but only after the advisory lock proved that no gateway uses it. One that hangs in its shutdown serves no
 * client any more, and is killed.
 */
export async function clearOrphan(
  places: Places,
  binaries: Binaries,
  urlOf: (port: number) => string,
): Promise<void> {
  const begunAt = performance.now();
  let last: Postmaster | null = null;
  const cleared = await pollUntil(
    async () => {
      last = await findPostmaster(places.cluster);
      if (last === null) return true;
      if (last.isReady) await stopIfUnowned(last, places, binaries, urlOf(last.port));
      else if (last.isStopping && performance.now() - begunAt >= STOP_TIMEOUT_MS)
        await stopOrphan(last, places, binaries);
      else return false;
      return (await findPostmaster(places.cluster)) === null;
    },
    { timeoutMs: TIMEOUT_MS, everyMs: 20 },
  );
  if (cleared === null) {
    const pid = (last as Postmaster | null)?.pid;
    throw new EmbeddedPostgresError(
      `DATA_DIR ${places.dataDir} is in use by another gateway: its PostgreSQL (pid ${pid}) is still running`,
    );
  }
  await removeForeignPostmasterFile(places.cluster);
}

async function stopIfUnowned(
  found: Postmaster,
  places: Places,
  binaries: Binaries,
  url: string,
): Promise<void> {
  // A refused connection or lock may be the last moment of a dying gateway: asked again by the caller.
  const ownership = await claimCluster(url).catch(() => null);
  if (ownership === null) return;
  await stopOrphan(found, places, binaries);
  await ownership.release();
}

import { readFile } from 'node:fs/promises';
import type { VerificationKind } from '@vouchgraph/decisions';
import { type PlaceholderKind, placeholderFile } from '@vouchgraph/vision';
import type { MediaService } from '../../media/media-service.ts';
import type { Project } from '../../projects/project.ts';

/** Sides that a check of a kind takes: of a simulated success each has a placeholder. A video has none. */
const SIDES: Readonly<Record<VerificationKind, readonly PlaceholderKind[]>> = {
  face: ['portrait'],
  id: ['portrait', 'id_front', 'id_back'],
};

const files = new Map<PlaceholderKind, Promise<Buffer>>();

function readPlaceholder(kind: PlaceholderKind): Promise<Buffer> {
  const known = files.get(kind);
  if (known) return known;
  const read = readFile(placeholderFile(kind));
  files.set(kind, read);
  // A failed read is repeated by the next check.
  read.catch(() => files.delete(kind));
  return read;
}

/**
 * Stores the placeholder images of a simulated success like photographs: encrypted, read by signed addresses, erased with
 * the session and removed after the retention. Safe to repeat.
 */
export async function storePlaceholders(
  media: Pick<MediaService, 'store'>,
  project: Project,
  { sessionId, kind }: { sessionId: string; kind: VerificationKind },
): Promise<void> {
  await Promise.all(
    SIDES[kind].map(async (side) =>
      media.store(project, { sessionId, kind: side, sequence: 0 }, 'image/jpeg', await readPlaceholder(side)),
    ),
  );
}

import type { Api } from './api.ts';
import type { KeptMedia } from './kept-media.ts';
import type { Wait } from './patience.ts';
import { isOnServer, type MediaName, type OnServer } from './progress.ts';
import { createUploadQueue, type UploadQueue } from './upload-queue.ts';

const NOTHING_ON_SERVER: OnServer = {
  face_frames: 0,
  face_clip: false,
  id_front: false,
  id_back: false,
};

/** Accepted images of a check: stored until uploaded, uploaded one after the other. */
export type MediaShelf = {
  queue: UploadQueue;
  /** Resumes from the server's state: uploads required images that are stored here and missing there. */
  resume(needed: readonly MediaName[], server: OnServer): Promise<void>;
  /** Stores images, then uploads them. */
  accept(media: ReadonlyMap<MediaName, Blob>): Promise<void>;
  /** Whether an image is uploaded or being uploaded. */
  has(name: MediaName): boolean;
  /** Discards images of an earlier scan or document. New ones replace them. */
  disown(part: 'face' | 'document'): void;
  forget(): void;
};

export function createMediaShelf(deps: {
  upload: Api['upload'];
  kept: KeptMedia;
  wait: Wait;
  onChange: () => void;
}): MediaShelf {
  const { kept, wait, onChange } = deps;
  const accepted = new Set<MediaName>();
  let onServer = NOTHING_ON_SERVER;
  const queue = createUploadQueue({
    send: deps.upload,
    onSent: (name) => void kept.remove(name),
    onChange,
    wait,
  });

  function enqueue(name: MediaName, bytes: Blob): void {
    accepted.add(name);
    queue.add(name, bytes);
  }

  return {
    queue,
    async resume(needed, server) {
      onServer = server;
      const media = await kept.all();
      for (const name of needed) {
        const bytes = media.get(name);
        if (!bytes || accepted.has(name)) continue;
        if (isOnServer(name, server)) void kept.remove(name);
        else enqueue(name, bytes);
      }
    },
    async accept(media) {
      await Promise.all([...media].map(([name, bytes]) => kept.put(name, bytes)));
      for (const [name, bytes] of media) enqueue(name, bytes);
    },
    has: (name) => accepted.has(name) || isOnServer(name, onServer),
    disown(part) {
      onServer =
        part === 'face'
          ? { ...onServer, face_frames: 0, face_clip: false }
          : { ...onServer, id_front: false, id_back: false };
      for (const name of accepted)
        if (name.startsWith(part === 'face' ? 'face_' : 'id_')) accepted.delete(name);
    },
    forget: () => void kept.forget(),
  };
}

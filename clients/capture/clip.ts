import { within } from '../sdk/attempt.ts';

/** Running recording. */
export type Recording = { stop(): Promise<Blob | null> };

/** Older versions of Safari only record MP4. */
const TYPES = ['video/webm;codecs=vp8', 'video/webm', 'video/mp4'];
const BITS_PER_SECOND = 700_000;
const PIECE_MS = 500;
/** The pieces recorded until then are the clip of a recorder that does not report its end. */
const MAX_STOP_MS = 3000;

/** Records a stream; null where the browser cannot. */
export function recordClip(stream: MediaStream): Recording | null {
  if (typeof MediaRecorder !== 'function') return null;
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  if (!mimeType) return null;
  try {
    const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: BITS_PER_SECOND });
    const pieces: Blob[] = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const stopped = new Promise<void>((resolve) => {
      recorder.onstop = () => resolve();
      recorder.onerror = () => resolve();
    });
    recorder.start(PIECE_MS);
    return {
      async stop() {
        if (recorder.state !== 'inactive') recorder.stop();
        await within(stopped, MAX_STOP_MS, undefined);
        const clip = new Blob(pieces, { type: mimeType.split(';')[0] });
        return clip.size > 0 ? clip : null;
      },
    };
  } catch {
    return null;
  }
}

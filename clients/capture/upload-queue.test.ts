import { describe, expect, it } from 'vitest';
import type { MediaName } from './progress.ts';
import { createUploadQueue, type Sent } from './upload-queue.ts';

/** Queue with the given server responses, without delays. */
function queueWith(answers: Sent[]) {
  const tried: MediaName[] = [];
  const arrived: MediaName[] = [];
  const waits: number[] = [];
  const shares: number[] = [];
  const queue = createUploadQueue({
    async send(name, bytes, onProgress) {
      tried.push(name);
      onProgress(bytes.size / 2);
      return answers.shift() ?? 'sent';
    },
    onSent: (name) => arrived.push(name),
    onChange: () => shares.push(queue.state().sentBytes),
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  return { queue, tried, arrived, waits, shares };
}

const blob = (size: number) => new Blob([new Uint8Array(size)]);

describe('upload queue', () => {
  it('uploads the files one after the other in their order', async () => {
    const { queue, arrived } = queueWith([]);
    queue.add('face_frame/0', blob(10));
    queue.add('face_frame/1', blob(20));
    queue.add('id_front/0', blob(30));
    expect(await queue.drained()).toBeNull();
    expect(arrived).toEqual(['face_frame/0', 'face_frame/1', 'id_front/0']);
    expect(queue.state()).toMatchObject({ sentBytes: 60, totalBytes: 60, phase: 'idle' });
  });

  it('completes at once when it is empty', async () => {
    expect(await queueWith([]).queue.drained()).toBeNull();
  });

  it('reports progress within an upload', async () => {
    const { queue, shares } = queueWith([]);
    queue.add('face_clip/0', blob(100));
    await queue.drained();
    expect(shares).toContain(50);
    expect(shares[shares.length - 1]).toBe(100);
  });

  it('retries after growing delays and does not count failed uploads', async () => {
    const { queue, tried, waits } = queueWith(['again', 'again', 'sent']);
    queue.add('face_frame/0', blob(10));
    await queue.drained();
    expect(tried).toEqual(['face_frame/0', 'face_frame/0', 'face_frame/0']);
    expect(waits).toHaveLength(2);
    expect(waits[1]!).toBeGreaterThan(waits[0]!);
    expect(queue.state().sentBytes).toBe(10);
  });

  it('stops after five failures, and resumes at the same upload', async () => {
    const { queue, tried, arrived } = queueWith(['sent', 'again', 'again', 'again', 'again', 'again']);
    queue.add('face_frame/0', blob(10));
    queue.add('face_frame/1', blob(10));
    const drained = queue.drained();
    await expect.poll(() => queue.state().phase).toBe('stalled');
    expect(tried).toHaveLength(6);
    queue.goOn();
    expect(await drained).toBeNull();
    expect(arrived).toEqual(['face_frame/0', 'face_frame/1']);
  });

  it('completes with the error code when the server finally rejects an upload', async () => {
    const { queue, tried } = queueWith([{ refused: 'upload_too_large' }]);
    queue.add('face_clip/0', blob(10));
    queue.add('id_front/0', blob(10));
    expect(await queue.drained()).toBe('upload_too_large');
    queue.goOn();
    expect(tried).toEqual(['face_clip/0']);
  });
});

import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import type { DocumentJudgment } from './document-signals.ts';
import type { JudgmentContext } from './documents/judge-document.ts';
import type { DocumentReading, DocumentTask, FaceReading, FaceTask } from './readings.ts';

/*
 * One thread that reads images, one task at a time. The networks load with the first task of their kind and stay.
 */

export type VisionTask =
  | { kind: 'faces'; task: FaceTask }
  | { kind: 'document'; task: DocumentTask }
  | { kind: 'judged_document'; task: DocumentTask; context: JudgmentContext };
export type JudgedDocument = { reading: DocumentReading; judgment: DocumentJudgment };
export type VisionResult = FaceReading | DocumentReading | JudgedDocument;
/** `failure` is the error's name alone: messages of libraries may name files. */
export type VisionAnswer = { ok: true; reading: VisionResult } | { ok: false; failure: string };

// Images differ, so that nothing decoded is asked for twice; the pool's threads are all there is to share.
sharp.cache(false);
sharp.concurrency(1);

async function read(request: VisionTask): Promise<VisionResult> {
  if (request.kind === 'faces') {
    const { readFaces } = await import('./faces/read-faces.ts');
    return readFaces(request.task);
  }
  const { readDocument } = await import('./documents/read-document.ts');
  const reading = await readDocument(request.task);
  if (request.kind === 'document') return reading;
  // Here as well, since much text takes a while to judge.
  const { judgeDocument } = await import('./documents/judge-document.ts');
  return { reading, judgment: judgeDocument(reading, request.context) };
}

parentPort?.on('message', async (request: VisionTask) => {
  const answer = await read(request).then(
    (reading): VisionAnswer => ({ ok: true, reading }),
    (error: unknown): VisionAnswer => ({ ok: false, failure: error instanceof Error ? error.name : 'Error' }),
  );
  parentPort?.postMessage(answer);
});

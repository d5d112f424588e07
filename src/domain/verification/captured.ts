import { z } from 'zod';
import { invalidInput } from '../../platform/errors.ts';
import { wholeBetween } from '../../platform/wording.ts';
import type { VerificationKind } from '../model/verification-kind.ts';
import type { Project } from '../projects/project.ts';
import { CHALLENGE_STEPS, type ChallengeStep } from '../vision/readings.ts';
import { captureIncomplete } from './errors.ts';
import type { VerificationRow } from './verification-store.ts';

/** Types of documents on the page. */
export const CHOSEN_DOCUMENTS = ['passport', 'id_card', 'driver_license'] as const;
export type ChosenDocument = (typeof CHOSEN_DOCUMENTS)[number];

/** Facts of the capture that a page or an app sends when it submits. */
const captureShape = z.object({
  documentType: z.enum(CHOSEN_DOCUMENTS).nullish(),
  challenge: z
    .array(
      z.object({
        step: z.enum(CHALLENGE_STEPS),
        frames: z.array(wholeBetween(0, 23)).max(24),
      }),
    )
    .max(CHALLENGE_STEPS.length)
    .nullish(),
  camera: z
    .object({
      label: z.string().max(200).nullish(),
      width: z.number().nullish(),
      height: z.number().nullish(),
      frameRate: z.number().nullish(),
      deviceCount: z.number().nullish(),
    })
    .nullish(),
});
export type Capture = z.infer<typeof captureShape>;

/** Throws `input.invalid` where it is not well-formed. */
export function readCapture(input: unknown): Capture {
  const parsed = captureShape.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw invalidInput(`${issue.path.join('.') || 'capture'}: ${issue.message}`, issue.path as string[]);
}

/** Facts of the capture; empty for a session without them. */
export function decryptCapture(project: Project, row: VerificationRow): Capture {
  return row.capture
    ? project.cipher.decryptJson<Capture>('verification capture', row.session_id, row.capture)
    : {};
}

export function encryptCapture(project: Project, sessionId: string, capture: Capture): Buffer {
  return project.cipher.encryptJson('verification capture', sessionId, capture);
}

/** Facts to store after a retake of the document. Those of the face and its camera are kept from the first submission. */
export function retakenCapture(project: Project, row: VerificationRow, capture: Capture): Capture {
  if (row.document_retakes === 0) return capture;
  const first = decryptCapture(project, row);
  return { ...first, documentType: capture.documentType ?? first.documentType };
}

export type CapturedFrame = { readonly sequence: number; readonly step: ChallengeStep };

/**
 * Uploaded frames, each with the step of the challenge in which it was taken. A frame without a step is a frontal one.
 */
export function framesOf(capture: Capture, media: readonly string[]): CapturedFrame[] {
  const steps = new Map(
    (capture.challenge ?? []).flatMap(({ step, frames }) => frames.map((n) => [n, step])),
  );
  return sequencesOf(media, 'face_frame').map((sequence) => ({
    sequence,
    step: steps.get(sequence) ?? 'center',
  }));
}

function sequencesOf(media: readonly string[], kind: string): number[] {
  return media
    .filter((each) => each.startsWith(`${kind}:`))
    .map((each) => Number(each.slice(kind.length + 1)))
    .sort((a, b) => a - b);
}

export const has = (media: readonly string[], kind: string) => sequencesOf(media, kind).length > 0;

/** Throws `verification.capture_incomplete` with the missing images. */
export function checkComplete(kind: VerificationKind, media: readonly string[]): void {
  const missing = [
    ...(has(media, 'face_frame') ? [] : ['face_frame']),
    ...(kind === 'id' && !has(media, 'id_front') ? ['id_front'] : []),
  ];
  if (missing.length > 0) throw captureIncomplete(missing.join(', '));
}

/** Names of known virtual cameras. */
const VIRTUAL_CAMERAS =
  /\b(obs|virtual|manycam|xsplit|snap ?camera|camtwist|droidcam|iriun|epoccam|splitcam|e2esoft|vcam|fake[_ ]device|v4l2 ?loopback|webcamoid|deepfacelive|avatarify|mmhmm)\b|_fake_|fake_device/i;

/** Whether the name is that of a known virtual camera. */
export function isVirtualCamera({ camera }: Capture): boolean {
  return VIRTUAL_CAMERAS.test(camera?.label ?? '');
}

import type { VerificationKind } from '@vouchgraph/decisions';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { inputShape, readInput } from '@vouchgraph/platform/input-shape';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { wholeBetween } from '@vouchgraph/platform/wording';
import { CHALLENGE_STEPS, type ChallengeStep } from '@vouchgraph/vision';
import { z } from 'zod';
import { captureIncomplete } from './errors.ts';

/** Types of documents on the page. */
export const CHOSEN_DOCUMENTS = ['passport', 'id_card', 'driver_license'] as const;
export type ChosenDocument = (typeof CHOSEN_DOCUMENTS)[number];

export const chosenDocumentShape = z.enum(CHOSEN_DOCUMENTS);
export const challengeStepShape = z.enum(CHALLENGE_STEPS);
/** A whole number, although a page may send another one. */
export const cameraCountShape = z.number();
const cameraCount = (description: string) => cameraCountShape.nullish().describe(description);

const consentShape = inputShape('VerificationConsentInput', 'Consent of the person before the capture.', {
  textVersion: z
    .string()
    .describe('Version of the text that the person consented to, at most 64 characters.'),
  givenAt: z.date().describe('Time of the consent: before the first createVerificationUpload.'),
});

const stepShape = inputShape('ChallengeStepInput', 'Frames that show a step of the challenge.', {
  step: challengeStepShape.describe('Step.'),
  frames: z
    .array(wholeBetween(0, 23))
    .max(24)
    .describe('Sequence numbers of the frames, in the order of the capture, each 0 to 23.'),
});

const cameraShape = inputShape('VerificationCameraInput', 'Camera, as the device reports it.', {
  label: z.string().max(200).nullish().describe('Name, at most 200 characters.'),
  width: cameraCount('Width in pixels.'),
  height: cameraCount('Height in pixels.'),
  frameRate: z.number().nullish().describe('Frames per second.'),
  deviceCount: cameraCount('Number of cameras of the device.'),
});

/** Facts of the capture that a page or an app sends when it submits. */
const captureFields = {
  challenge: z
    .array(stepShape)
    .max(CHALLENGE_STEPS.length)
    .nullish()
    .describe(
      'Frames of each step. Frames without a step show the frontal view. In sandbox projects the steps may be in any order.',
    ),
  documentType: chosenDocumentShape.nullish().describe('Type of document that the person chose.'),
  camera: cameraShape.nullish().describe('Camera.'),
};
const captureShape = z.object(captureFields);
export type Capture = z.infer<typeof captureShape>;

export const completeCaptureShape = inputShape(
  'CompleteVerificationCaptureInput',
  'Completed capture of a verification session.',
  {
    sessionId: objectIdShape.describe('Id of the verification session.'),
    consent: consentShape.describe('Consent of the person.'),
    ...captureFields,
  },
);

type Encrypting = { readonly cipher: ProjectCipher };
/** A session with the encrypted facts of its capture; null before the first submission. */
type StoredCapture = { readonly session_id: string; readonly capture: Uint8Array | null };

/** Throws `input.invalid` where it is not well-formed. */
export function readCapture(input: unknown): Capture {
  return readInput(captureShape, input, 'capture');
}

/** Facts of the capture; empty for a session without them. */
export function decryptCapture(project: Encrypting, row: StoredCapture): Capture {
  return row.capture
    ? project.cipher.decryptJson<Capture>('verification capture', row.session_id, row.capture)
    : {};
}

export function encryptCapture(project: Encrypting, sessionId: string, capture: Capture): Buffer {
  return project.cipher.encryptJson('verification capture', sessionId, capture);
}

/** Facts to store after a retake of the document. Those of the face and its camera are kept from the first submission. */
export function retakenCapture(
  project: Encrypting,
  row: StoredCapture & { document_retakes: number },
  capture: Capture,
): Capture {
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

/** Whether an image or video of this kind was uploaded. */
export const hasMedia = (media: readonly string[], kind: string) => sequencesOf(media, kind).length > 0;

/** Throws `verification.capture_incomplete` with the missing images. */
export function checkComplete(kind: VerificationKind, media: readonly string[]): void {
  const missing = [
    ...(hasMedia(media, 'face_frame') ? [] : ['face_frame']),
    ...(kind === 'id' && !hasMedia(media, 'id_front') ? ['id_front'] : []),
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

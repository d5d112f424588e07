import type { StepFrames } from './challenge-plan.ts';

/*
 * Completed steps of a check, and the next one. A reloaded page resumes from here.
 */

export const DOCUMENT_TYPES = ['passport', 'id_card', 'driver_license'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];
export type Kind = 'id' | 'face';
export type Side = 'front' | 'back';
export type MediaKind = 'face_frame' | 'face_clip' | 'id_front' | 'id_back';

/** State of the server. */
export type OnServer = { face_frames: number; face_clip: boolean; id_front: boolean; id_back: boolean };

/** Stored choices of the page. */
export type Choices = {
  /** Images of the accepted face scan; null before. */
  scan: readonly StepFrames[] | null;
  hasClip: boolean;
  documentType: DocumentType | null;
};

/** Name of an image or video: kind and sequence number. */
export type MediaName = `${MediaKind}/${number}`;

export type Next = 'face' | 'document-type' | 'front' | 'back' | 'sending';

/** A passport shows everything on one page. */
function sidesOf(type: DocumentType): readonly Side[] {
  return type === 'passport' ? ['front'] : ['front', 'back'];
}

/** Media required for these choices, in the order of the uploads. */
export function neededMedia(kind: Kind, choices: Choices): MediaName[] {
  const frames = (choices.scan ?? []).flatMap(({ frames }) => frames);
  return [
    ...frames.map((sequence): MediaName => `face_frame/${sequence}`),
    ...(choices.hasClip ? (['face_clip/0'] as const) : []),
    ...(kind === 'id' && choices.documentType
      ? sidesOf(choices.documentType).map((side): MediaName => `id_${side}/0`)
      : []),
  ];
}

/** Images of a face are uploaded in order, so that their number shows which are uploaded. */
export function isOnServer(name: MediaName, server: OnServer): boolean {
  const [kind, sequence] = name.split('/') as [MediaKind, string];
  return kind === 'face_frame' ? Number(sequence) < server.face_frames : server[kind];
}

/**
 * The next step. Media that are neither stored here nor on the server were lost with the page and are captured again.
 */
export function nextStep(kind: Kind, choices: Choices, isPresent: (name: MediaName) => boolean): Next {
  const hasScan = choices.scan !== null && choices.scan.length > 0;
  const face = neededMedia('face', choices);
  // A lost video does not require another scan: only the images are judged.
  const isFaceWhole = hasScan && face.every((name) => name === 'face_clip/0' || isPresent(name));
  if (!isFaceWhole) return 'face';
  if (kind === 'face') return 'sending';
  if (!choices.documentType) return 'document-type';
  const missing = sidesOf(choices.documentType).find((side) => !isPresent(`id_${side}/0`));
  return missing ?? 'sending';
}

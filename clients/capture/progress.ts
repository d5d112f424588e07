import type { StepFrames } from './challenge-plan.ts';

/*
 * What of a check is done, and what comes next. A page that is loaded again goes on from here.
 */

export const DOCUMENT_TYPES = ['passport', 'id_card', 'driver_license'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];
export type Kind = 'id' | 'face';
export type Side = 'front' | 'back';
export type MediaKind = 'face_frame' | 'face_clip' | 'id_front' | 'id_back';

/** What the server says it has. */
export type OnServer = { face_frames: number; face_clip: boolean; id_front: boolean; id_back: boolean };

/** What the page kept of its own decisions. */
export type Choices = {
  /** The pictures of the accepted face scan; null before. */
  scan: readonly StepFrames[] | null;
  hasClip: boolean;
  documentType: DocumentType | null;
};

/** Names one picture or clip: kind and sequence number. */
export type MediaName = `${MediaKind}/${number}`;

export type Next = 'face' | 'document-type' | 'front' | 'back' | 'sending';

/** A passport shows everything on one page. */
function sidesOf(type: DocumentType): readonly Side[] {
  return type === 'passport' ? ['front'] : ['front', 'back'];
}

/** What has to reach the server for these choices, in the order in which it is sent. */
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

/** Pictures of a face are sent one after the other, so that their number says which have arrived. */
export function isOnServer(name: MediaName, server: OnServer): boolean {
  const [kind, sequence] = name.split('/') as [MediaKind, string];
  return kind === 'face_frame' ? Number(sequence) < server.face_frames : server[kind];
}

/**
 * The step that comes next. Something that is neither kept here nor on the server was lost with the page, and is asked
 * for again.
 */
export function nextStep(kind: Kind, choices: Choices, isPresent: (name: MediaName) => boolean): Next {
  const hasScan = choices.scan !== null && choices.scan.length > 0;
  const face = neededMedia('face', choices);
  // A clip that was lost is no reason to be scanned again: the pictures are what is judged.
  const isFaceWhole = hasScan && face.every((name) => name === 'face_clip/0' || isPresent(name));
  if (!isFaceWhole) return 'face';
  if (kind === 'face') return 'sending';
  if (!choices.documentType) return 'document-type';
  const missing = sidesOf(choices.documentType).find((side) => !isPresent(`id_${side}/0`));
  return missing ?? 'sending';
}

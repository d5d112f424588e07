/** What is kept of a verification: pictures of a camera, one clip, and the face cut out of the best frame. */
const MEDIA_KINDS = ['face_frame', 'face_clip', 'id_front', 'id_back', 'portrait'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;
const CLIP_TYPES = ['video/webm', 'video/mp4'] as const;

type KindLimits = {
  /** How many of them a session has: sequences run from 0 to one less. */
  readonly count: number;
  readonly contentTypes: readonly string[];
};

export const MEDIA_LIMITS: Readonly<Record<MediaKind, KindLimits>> = {
  face_frame: { count: 24, contentTypes: IMAGE_TYPES },
  face_clip: { count: 1, contentTypes: CLIP_TYPES },
  id_front: { count: 1, contentTypes: IMAGE_TYPES },
  id_back: { count: 1, contentTypes: IMAGE_TYPES },
  portrait: { count: 1, contentTypes: IMAGE_TYPES },
};

/** The largest picture or clip. */
export const MEDIA_BYTES = 12 * 1024 * 1024;

/** A content type without its parameters: recorders name their codecs in them. */
export function bareType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

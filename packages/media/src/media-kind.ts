/** Media of a verification: camera images, one video, and the face cropped from the best frame. */
const MEDIA_KINDS = ['face_frame', 'face_clip', 'id_front', 'id_back', 'portrait'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;
const VIDEO_TYPES = ['video/webm', 'video/mp4'] as const;

type KindLimits = {
  /** Maximum number per session; sequences start at 0. */
  readonly count: number;
  readonly contentTypes: readonly string[];
};

export const MEDIA_LIMITS: Readonly<Record<MediaKind, KindLimits>> = {
  face_frame: { count: 24, contentTypes: IMAGE_TYPES },
  face_clip: { count: 1, contentTypes: VIDEO_TYPES },
  id_front: { count: 1, contentTypes: IMAGE_TYPES },
  id_back: { count: 1, contentTypes: IMAGE_TYPES },
  portrait: { count: 1, contentTypes: IMAGE_TYPES },
};

/** Maximum size of an image or video. */
export const MEDIA_BYTES = 12 * 1024 * 1024;

/** A content type without its parameters, in which recorders name codecs. */
export function bareType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/*
 * What images show, as the verification reads it. The workers produce these from pixels; nothing in here judges
 * more than one image's worth of evidence. What could not be seen is null, never a guess.
 */

/** Turns of the head that the server requests; `center` is the look straight into the camera before them. */
export const CHALLENGE_STEPS = ['center', 'left', 'right'] as const;
export type ChallengeStep = (typeof CHALLENGE_STEPS)[number];

/** Why images of a face prove nothing. */
const FACE_PROBLEMS = [
  'not_an_image',
  'no_face',
  'several_faces',
  'face_cut',
  'face_too_small',
  'too_blurred',
  'different_faces',
  'challenge_failed',
] as const;
export type FaceProblem = (typeof FACE_PROBLEMS)[number];

export type FaceTask = {
  /** JPEG, PNG or WebP, upright by their EXIF, in the order they were taken. */
  frames: readonly { bytes: Uint8Array; step: ChallengeStep }[];
  /** The requested turns, in order; empty when no turn was requested. */
  challenge: readonly ChallengeStep[];
  /** Sandbox: the turns may be shown in any order of time. */
  anyOrder: boolean;
};

export type ChallengeResult = {
  step: ChallengeStep;
  /** Change of the cheek to nose asymmetry against the frontal frame; its sign is the direction. */
  asymmetryChange: number | null;
  /** How far landmarks leave a plane, in percent of the eye distance. */
  planarResidual: number | null;
  isPassed: boolean;
};

export type FaceReading = {
  /** null when the images show one whole face that answered the challenge. */
  problem: FaceProblem | null;
  /** 128 numbers of the best frontal frame (dlib's network), null when there is no usable face. */
  descriptor: Float32Array | null;
  /** In years, null without a face. */
  ageYears: number | null;
  /** Index of the best frontal frame, null without one. */
  bestFrame: number | null;
  /** A JPEG of the face in the best frame, upright, with a margin; null without one. */
  portrait: Uint8Array | null;
  /** Periodic peaks of a screen or print (FFT); null when the image is too small. */
  recaptureScore: number | null;
  challenge: readonly ChallengeResult[];
  /** Milliseconds by stage. */
  timings: Record<string, number>;
};

export type DocumentTask = {
  front: Uint8Array;
  back: Uint8Array | null;
};

/** A line of text found on a rectified side: corners relative to its width and height, 0 to 1. */
export type TextLine = {
  text: string;
  /** 0 to 1. */
  confidence: number;
  box: { x: number; y: number; width: number; height: number };
};

/** A read of the lines of a machine readable zone by one engine; 'ocrb' compares with the typeface of such zones. */
export type MrzLines = { engine: 'ocrb' | 'ppocr'; lines: readonly string[] };

/** One side of a document. */
export type SideReading = {
  /** null when the image is an image that can be read. */
  problem: 'not_an_image' | null;
  /** Whether an outline with four corners was found. */
  hasOutline: boolean;
  /** Distance of the outline from the image's edge, as a part of the shorter side; negative or 0 when cut. */
  margin: number | null;
  /** Width by height of the rectified document, the larger by the smaller. */
  aspect: number | null;
  /** Width by height of the image that was read: the rectified document, or the whole upright image; null without an image. */
  imageAspect: number | null;
  /** Variance of the Laplacian at 1,000 pixels of width. */
  sharpness: number | null;
  /** Part of the area that is burnt out, 0 to 1. */
  glare: number | null;
  /** Periodic peaks of a screen or print (FFT); null when too small. */
  recaptureScore: number | null;
  lines: readonly TextLine[];
  /** Candidates for the machine readable zone, the surest engine first; empty when none was seen. */
  mrz: readonly MrzLines[];
  /** Frame around the zone's rows, as parts of the image that was read, 0 to 1; null without a zone. */
  zone: { x: number; y: number; width: number; height: number } | null;
  /** PDF417: text when one was read, 'error' when one was found and not read, null when none was found. */
  barcode: { text: string } | 'error' | null;
};

/** The portrait printed on a document. */
export type DocumentPortrait = {
  descriptor: Float32Array;
  /** A JPEG of the portrait. */
  image: Uint8Array;
};

export type DocumentReading = {
  front: SideReading;
  back: SideReading | null;
  /** null when no usable face was found on the front. */
  portrait: DocumentPortrait | null;
  /** Milliseconds by stage. */
  timings: Record<string, number>;
};

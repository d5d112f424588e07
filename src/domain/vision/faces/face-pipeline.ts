/**
 * Version of the face pipeline: detector, alignment and descriptor network. Descriptors of different versions are not
 * comparable. 1: upright box around the landmarks; 2: chip rotated and scaled by the landmarks, mean with its mirror image,
 * scaled to length 1.
 */
export const FACE_PIPELINE_VERSION = 2;

/** Numbers in a face descriptor. */
export const DESCRIPTOR_LENGTH = 128;

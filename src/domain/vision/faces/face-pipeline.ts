/**
 * Version of the face pipeline: detector, alignment and descriptor network. Descriptors of different versions are not
 * comparable. 1: upright box around the landmarks; 2: chip rotated and scaled by the landmarks.
 */
export const FACE_PIPELINE_VERSION = 2;

/** Numbers of a face descriptor. */
export const DESCRIPTOR_LENGTH = 128;

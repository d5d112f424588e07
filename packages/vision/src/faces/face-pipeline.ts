/**
 * Version of the face pipeline: detector, alignment and descriptor network. Descriptors of different versions are not
 * comparable. Increase it by one when the descriptor of any image changes, and add a migration with the partial index
 * `face_templates_stale_<version>`. Gateways then recompute all templates of another version from stored images
 * (domain/verification/faces/face-recompute-service.ts).
 */
export const FACE_PIPELINE_VERSION = 1;

/** Numbers in a face descriptor. */
export const DESCRIPTOR_LENGTH = 128;

export {
  BARCODE_STATUSES,
  DIGITAL_SPOOF_STATUSES,
  type DocumentData,
  type DocumentDoubt,
  type DocumentJudgment,
  type DocumentSignals,
  FACE_AGE_BRACKETS,
  FULL_ID_STATUSES,
  ID_FACE_STATUSES,
  ID_TEXT_STATUSES,
  ID_VALIDITIES,
  NOTHING_VOUCHED,
  TEMPLATE_TYPES,
  type TemplateType,
} from './document-signals.ts';
export { ageOn, today } from './documents/dates.ts';
export type { JudgmentContext } from './documents/judge-document.ts';
export { faceDistance, isSameFace } from './faces/face-distance.ts';
export { FaceIndex, type FoundFace } from './faces/face-index.ts';
export { FACE_PIPELINE_VERSION } from './faces/face-pipeline.ts';
export { type PlaceholderKind, placeholderFile } from './placeholders.ts';
export {
  CHALLENGE_STEPS,
  type ChallengeResult,
  type ChallengeStep,
  type DocumentTask,
  type FaceProblem,
  type FaceReading,
  type FaceTask,
} from './readings.ts';
export { looksRecaptured, RECAPTURE_LIMITS } from './recapture.ts';
export { isVisionInstalled, missingVisionPackages } from './vision-packages.ts';
export { createVisionPool, VisionWorkerError } from './vision-pool.ts';
export type { JudgedDocument } from './vision-worker.ts';

/** Problem of document images that had to be captured again. */
const RETAKE_REASONS = ['blurred', 'glare', 'cut', 'unreadable'] as const;
export type RetakeReason = (typeof RETAKE_REASONS)[number];

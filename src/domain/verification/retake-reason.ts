/** What was wrong with images of a document that had to be captured again, as far as they show. */
const RETAKE_REASONS = ['blurred', 'glare', 'cut', 'unreadable'] as const;
export type RetakeReason = (typeof RETAKE_REASONS)[number];

import { type JudgedDocument, NOTHING_VOUCHED } from '@vouchgraph/vision';
import type { RetakeReason } from './retake-reason.ts';
import { stateAt, type VerificationState } from './state-table.ts';

/*
 * Conditions of a retake: the images of a document cannot be judged, and the person captures it again in the same session.
 */

/** Maximum number of retakes of a session's document. */
const MAX_DOCUMENT_RETAKES = 2;

/** Reason of a retake, and the number of retakes left after it. */
export type Retake = { readonly reason: RetakeReason; readonly remaining: number };

/** Pending retake of a session; null unless the document is being captured again. */
export function retakeOf(
  { documentRetakes, retakeReason }: { documentRetakes: number; retakeReason: RetakeReason | '' },
  state: VerificationState,
): Retake | null {
  if (state !== 'capturing' || retakeReason === '') return null;
  return { reason: retakeReason, remaining: Math.max(0, MAX_DOCUMENT_RETAKES - documentRetakes) };
}

/** Whether a session has a retake left and time for it. */
export function mayRetake(
  row: { document_retakes: number; expires_at: Date; started_at: Date | null },
  now: Date,
): boolean {
  const { document_retakes: count, expires_at: expiresAt, started_at: startedAt } = row;
  if (count >= MAX_DOCUMENT_RETAKES) return false;
  return stateAt({ state: 'capturing', expiresAt, startedAt }, now) === 'capturing';
}

/**
 * Reason of a retake; null for a document that can be judged. A document can be judged if it contradicts itself, if a part
 * confirms a field, or if another image would show no more: a complete and sharp document without a machine readable
 * part, or one on a screen.
 */
export function retakeReasonOf(judged: JudgedDocument): RetakeReason | null {
  return isUnreadable(judged) || needsOtherImage(judged.judgment) ? reasonOf(judged) : null;
}

function needsOtherImage({ signals, data, reasons }: JudgedDocument['judgment']): boolean {
  if (signals.idValidity !== 'cannot_confirm_id_is_authentic' || signals.isDigitalId) return false;
  if (!reasons.includes(NOTHING_VOUCHED)) return false;
  // A passport always has a zone, and a barcode is requested where the document always has one.
  const lacksMachinePart =
    data.templateInfo.templateType === 'passport' ||
    signals.idBarcodeStatus === 'barcode_requested_but_not_found' ||
    signals.idBarcodeStatus === 'barcode_requested_but_error_reading';
  return (
    lacksMachinePart ||
    signals.isFullIdCaptured !== 'full_id_detected' ||
    signals.isIdDigitalSpoof !== 'likely_physical_id'
  );
}

/** Variance of the Laplacian below which text is not read: as for stripes of a screen. */
const MIN_SHARPNESS = 20;
/** Share of overexposed pixels from which glare, not print, is the likely cause. */
const MAX_GLARE = 0.02;

function reasonOf({ reading: { front, back }, judgment }: JudgedDocument): RetakeReason {
  const sides = back ? [front, back] : [front];
  if (front.problem !== null || isNoDocument(sides)) return 'unreadable';
  if (sides.some(({ sharpness }) => sharpness !== null && sharpness < MIN_SHARPNESS)) return 'blurred';
  if (sides.some(({ glare }) => glare !== null && glare > MAX_GLARE)) return 'glare';
  return judgment.signals.isFullIdCaptured === 'full_id_detected' ? 'unreadable' : 'cut';
}

/**
 * No document (no outline, no text and no code), or one without a readable field: its result would be Suspicious only
 * because of the image. A document that contradicts itself has a result.
 */
export function isUnreadable({ reading: { front, back }, judgment }: JudgedDocument): boolean {
  return front.problem !== null || isNoDocument(back ? [front, back] : [front]) || hasNoField(judgment);
}

function isNoDocument(sides: readonly JudgedDocument['reading']['front'][]): boolean {
  return sides.every(
    ({ hasOutline, lines, barcode }) => !hasOutline && lines.length === 0 && barcode === null,
  );
}

function hasNoField({ signals, data: { userData } }: JudgedDocument['judgment']): boolean {
  const { address, ...fields } = userData;
  return (
    signals.idValidity === 'cannot_confirm_id_is_authentic' &&
    [...Object.values(fields), ...Object.values(address)].every((value) => value === '')
  );
}

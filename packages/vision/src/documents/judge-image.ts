import type { DocumentSignals } from '../document-signals.ts';
import type { DocumentReading, SideReading } from '../readings.ts';
import { looksRecaptured, RECAPTURE_LIMITS } from '../recapture.ts';
import type { MrzResult } from './mrz.ts';
import { asksForPortrait, expectedAspects, type Template } from './template.ts';
import { isWholeDocument } from './whole-document.ts';

/** Minimum variance of the Laplacian. Below it the stripes of a screen would be blurred away too. */
const MIN_SHARPNESS = 20;

export type ImageJudgment = Pick<
  DocumentSignals,
  'isFullIdCaptured' | 'isIdDigitalSpoof' | 'isDigitalId' | 'idFaceStatus'
>;

/** Findings from the images: whether the whole document is visible, and whether it is on paper or plastic. */
export function judgeImage(
  reading: DocumentReading,
  template: Template,
  mrz: MrzResult | null,
): ImageJudgment {
  const sides = reading.back ? [reading.front, reading.back] : [reading.front];
  const isOnScreen = sides.some(
    ({ recaptureScore }) =>
      recaptureScore !== null && looksRecaptured(recaptureScore, RECAPTURE_LIMITS.document),
  );
  const isPhysical = !isOnScreen && sides.every(canShowScreen);
  const aspects = expectedAspects(template, mrz);
  return {
    isFullIdCaptured: sides.every((side) => isWholeDocument(side, aspects, mrz?.format ?? null))
      ? 'full_id_detected'
      : 'could_not_confidently_determine_full_id_user_needs_to_retry',
    isIdDigitalSpoof: isPhysical
      ? 'likely_physical_id'
      : 'could_not_confidently_determine_physical_id_user_needs_to_retry',
    isDigitalId: isOnScreen,
    idFaceStatus: faceStatus(reading, asksForPortrait(template, mrz), isPhysical),
  };
}

/** Whether the image is large and sharp enough to show a screen. */
function canShowScreen({ recaptureScore, sharpness }: SideReading): boolean {
  return recaptureScore !== null && sharpness !== null && sharpness >= MIN_SHARPNESS;
}

function faceStatus(
  reading: DocumentReading,
  hasPortrait: boolean,
  isPhysical: boolean,
): DocumentSignals['idFaceStatus'] {
  if (!hasPortrait) return 'ocr_template_does_not_support_detection';
  if (reading.portrait === null) return 'not_available';
  return isPhysical ? 'likely_original_face' : 'cannot_confirm_id_is_authentic';
}

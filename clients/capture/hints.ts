import type { Measures } from './image-measures.ts';

/** Hint for the person who aims the camera; `good` without a problem. */
export type Hint = 'dark' | 'still' | 'blurred' | 'glare' | 'cut' | 'closer' | 'good';

/*
 * Limits for images 320 pixels wide, set by eye on cameras and rendered documents. They only select a hint and never block
 * the person.
 */
const DARK = 45;
const MOVING = 12;
const BLURRED = 60;
const GLARING = 0.03;
const CUT = 0.6;
const SMALL = 0.3;

/** The most useful hint for a document in front of the camera. */
export function documentHint(measures: Measures): Hint {
  if (measures.brightness < DARK) return 'dark';
  if ((measures.movement ?? 0) > MOVING) return 'still';
  if (measures.sharpness < BLURRED) return 'blurred';
  if (measures.span < SMALL) return 'closer';
  if (measures.borderEdges > CUT) return 'cut';
  if (measures.glare > GLARING) return 'glare';
  return 'good';
}

/** For a face only the light is judged: brightness does not show its size and sharpness. */
export function faceHint(measures: Measures): Hint {
  return measures.brightness < DARK ? 'dark' : 'good';
}

/** A hint stays until another was right several times in a row, so that the text does not flicker. */
export function createSteadyHint(needed = 3): (hint: Hint) => Hint | null {
  let shown: Hint | null = null;
  let candidate: Hint | null = null;
  let count = 0;
  return (hint) => {
    count = hint === candidate ? count + 1 : 1;
    candidate = hint;
    if (count >= needed) shown = hint;
    return shown;
  };
}

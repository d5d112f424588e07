import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { createSteadyHint, type Hint } from './hints.ts';
import { type Grey, type Measures, measure } from './image-measures.ts';
import { createLook } from './images.ts';

const INTERVAL_MS = 250;

/** Hint for the current frame of the video; null before the first. */
export function useHint(
  video: RefObject<HTMLVideoElement | null>,
  judge: (measures: Measures) => Hint,
  isOn: boolean,
): Hint | null {
  const [hint, setHint] = useState<Hint | null>(null);
  useEffect(() => {
    if (!isOn || !video.current) return;
    const look = createLook(video.current);
    const steady = createSteadyHint();
    let before: Grey | null = null;
    const timer = setInterval(() => {
      const grey = look();
      if (!grey) return;
      setHint(steady(judge(measure(grey, before))));
      before = grey;
    }, INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isOn]);
  return hint;
}

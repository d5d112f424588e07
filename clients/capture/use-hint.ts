import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { createSteadyHint, type Hint } from './hints.ts';
import { type Gray, type Measures, measure } from './image-measures.ts';
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
    let before: Gray | null = null;
    const timer = setInterval(() => {
      const gray = look();
      if (!gray) return;
      setHint(steady(judge(measure(gray, before))));
      before = gray;
    }, INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isOn]);
  return hint;
}

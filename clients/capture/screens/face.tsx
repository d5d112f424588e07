import { useEffect, useRef, useState } from 'preact/hooks';
import type { Camera } from '../camera.ts';
import { CameraView } from '../camera-view.tsx';
import type { Step } from '../challenge-plan.ts';
import { Actions, Button, Frame } from '../frame.tsx';
import { faceHint } from '../hints.ts';
import { usePage } from '../page-context.ts';
import { runScan, type Shot } from '../scan.ts';
import { useHint } from '../use-hint.ts';
import { useImageUrls } from '../use-image-urls.ts';

type Prompt = { step: Step; share: number };

export function FaceScreen({ camera }: { camera: Camera }) {
  const { flow, text } = usePage();
  const video = useRef<HTMLVideoElement>(null);
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  const [wasInterrupted, setInterrupted] = useState(false);
  const hint = useHint(video, faceHint, prompt === null);
  const scanning = useRef<AbortController | null>(null);
  useEffect(() => {
    const stop = () => scanning.current?.abort();
    document.addEventListener('visibilitychange', stop);
    return () => {
      document.removeEventListener('visibilitychange', stop);
      stop();
    };
  }, []);

  async function scan() {
    const controller = new AbortController();
    scanning.current = controller;
    setInterrupted(false);
    const done = await runScan({
      plan: flow.plan(),
      video: video.current!,
      stream: camera.stream,
      onMoment: (step, share) => setPrompt({ step, share }),
      signal: controller.signal,
    });
    // The end of the camera has already changed the view.
    if (flow.camera() !== camera) return;
    if (done) return flow.reviewScan(done);
    setPrompt(null);
    setInterrupted(true);
  }

  return (
    <Frame heading={text('face_title')}>
      <CameraView
        stream={camera.stream}
        video={video}
        label={text('face_preview')}
        isMirrored
        onEnded={() => flow.cameraFailed('stopped')}
      >
        <div class={prompt ? 'oval live' : 'oval'} />
        {prompt && prompt.step !== 'center' && <Arrow step={prompt.step} />}
      </CameraView>
      <p class="prompt" aria-live="assertive">
        {prompt ? text(`face_${prompt.step}`) : hint === 'dark' ? text('hint_dark') : ''}
      </p>
      {prompt ? (
        <progress max={1} value={prompt.share} aria-hidden="true" />
      ) : (
        <>
          <div role="alert">{wasInterrupted && <p class="problem">{text('face_interrupted')}</p>}</div>
          <ul>
            <li>{text('face_tip_frame')}</li>
            <li>{text('face_tip_turn')}</li>
            <li>{text('face_tip_light')}</li>
          </ul>
          <Actions>
            <Button onClick={() => void scan()}>{text('face_start')}</Button>
            <Button isQuiet onClick={() => flow.askToGiveUp('failed_to_complete_face_scan')}>
              {text('give_up')}
            </Button>
          </Actions>
        </>
      )}
    </Frame>
  );
}

/** Arrow in the direction of the mirrored head: the same in every language. */
function Arrow({ step }: { step: 'left' | 'right' }) {
  return (
    <svg class={`arrow ${step}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={step === 'left' ? 'M14 4 6 12l8 8' : 'M10 4l8 8-8 8'} />
    </svg>
  );
}

/** One image of each step: the middle one. */
function chosenOf(shots: readonly Shot[]): Shot[] {
  const steps = new Map<Step, Shot[]>();
  for (const shot of shots) steps.set(shot.step, [...(steps.get(shot.step) ?? []), shot]);
  return [...steps.values()].map((own) => own[Math.floor(own.length / 2)]!);
}

export function FaceReviewScreen({ shots }: { shots: readonly Shot[] }) {
  const { flow, text } = usePage();
  const [chosen] = useState(() => chosenOf(shots));
  const urls = useImageUrls(chosen.map(({ image }) => image));
  return (
    <Frame heading={text('face_review_title')} lead={text('face_review_lead')}>
      <div class="shots">
        {urls.map((url, index) => (
          <img key={url} src={url} alt={text(`face_picture_${chosen[index]!.step}`)} />
        ))}
      </div>
      <Actions>
        <Button onClick={flow.acceptScan}>{text('use_pictures')}</Button>
        <Button isQuiet onClick={flow.scanAgain}>
          {text('take_again')}
        </Button>
      </Actions>
    </Frame>
  );
}

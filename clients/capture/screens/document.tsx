import { useEffect, useRef, useState } from 'preact/hooks';
import { type Camera, openCamera } from '../camera.ts';
import { CameraView } from '../camera-view.tsx';
import { Actions, Button, Frame } from '../frame.tsx';
import { documentHint } from '../hints.ts';
import { grabDocument, imageOfFile } from '../images.ts';
import { usePage } from '../page-context.ts';
import { DOCUMENT_TYPES, type Side } from '../progress.ts';
import { useHint } from '../use-hint.ts';
import { useImageUrls } from '../use-image-urls.ts';

export function DocumentTypeScreen() {
  const { flow, text } = usePage();
  return (
    <Frame heading={text('document_type_title')} lead={text('document_type_lead')}>
      <div class="choices">
        {DOCUMENT_TYPES.map((type) => (
          <button key={type} type="button" class="choice" onClick={() => flow.chooseDocument(type)}>
            <DocumentSketch isPassport={type === 'passport'} />
            {text(type)}
          </button>
        ))}
      </div>
      <Actions>
        <Button isQuiet onClick={() => flow.askToGiveUp('failed_to_process_id_scan')}>
          {text('give_up')}
        </Button>
      </Actions>
    </Frame>
  );
}

function DocumentSketch({ isPassport }: { isPassport: boolean }) {
  return (
    <svg class="sketch" viewBox="0 0 32 24" aria-hidden="true">
      <rect
        x={isPassport ? 7 : 2}
        y={isPassport ? 1 : 3}
        width={isPassport ? 18 : 28}
        height={isPassport ? 22 : 18}
        rx="2"
      />
      {isPassport ? (
        <>
          <circle cx="16" cy="10" r="4" />
          <path d="M11 18h10" />
        </>
      ) : (
        <>
          <circle cx="10" cy="10" r="3" />
          <path d="M5.5 17c0-5 9-5 9 0M18 9h8M18 13h8M18 17h5" />
        </>
      )}
    </svg>
  );
}

/** Back camera while the screen is shown; null if not available. */
function useRearCamera(): { camera: Camera | null; isOpening: boolean } {
  const [state, setState] = useState<{ camera: Camera | null; isOpening: boolean }>({
    camera: null,
    isOpening: true,
  });
  useEffect(() => {
    let isGone = false;
    let opened: Camera | null = null;
    void openCamera('environment').then((answer) => {
      opened = typeof answer === 'object' ? answer : null;
      if (isGone) opened?.stop();
      else setState({ camera: opened, isOpening: false });
    });
    return () => {
      isGone = true;
      opened?.stop();
    };
  }, []);
  return state;
}

export function DocumentScreen({ side }: { side: Side }) {
  const { flow, text } = usePage();
  const video = useRef<HTMLVideoElement>(null);
  const { camera, isOpening } = useRearCamera();
  const [hasEnded, setEnded] = useState(false);
  const hint = useHint(video, documentHint, camera !== null);
  const isPassport = flow.documentType() === 'passport';
  const reason = flow.retakeReason();
  async function take() {
    const image = video.current && (await grabDocument(video.current));
    if (image) flow.reviewDocument(side, image);
  }
  return (
    <Frame heading={text(isPassport ? 'passport_title' : `${side}_title`)} lead={text('document_lead')}>
      <div role="alert">{reason && <p class="problem">{text(`retake_${reason}`)}</p>}</div>
      {camera && !hasEnded ? (
        <>
          <CameraView
            stream={camera.stream}
            video={video}
            label={text('document_preview')}
            onEnded={() => setEnded(true)}
          >
            <div class={`card-frame ${isPassport ? 'page' : ''} ${hint === 'good' ? 'good' : ''}`} />
          </CameraView>
          <p class="prompt" aria-live="polite">
            {hint ? text(`hint_${hint}`) : ''}
          </p>
        </>
      ) : (
        <p class="problem" role="status">
          {text(isOpening ? 'camera_opening' : 'document_no_camera')}
        </p>
      )}
      <Actions>
        {camera && !hasEnded && <Button onClick={() => void take()}>{text('document_take')}</Button>}
        <FileChoice side={side} />
        <Button isQuiet onClick={() => flow.chooseDocument(null)}>
          {text('document_change')}
        </Button>
        <Button isQuiet onClick={() => flow.askToGiveUp('failed_to_process_id_scan')}>
          {text('give_up')}
        </Button>
      </Actions>
    </Frame>
  );
}

function FileChoice({ side }: { side: Side }) {
  const { flow, text } = usePage();
  const [isUnreadable, setUnreadable] = useState(false);
  async function choose(input: HTMLInputElement) {
    const file = input.files?.[0];
    if (!file) return;
    const image = await imageOfFile(file, flow.maxUploadBytes());
    input.value = '';
    if (image) flow.reviewDocument(side, image);
    else setUnreadable(true);
  }
  return (
    <>
      <label class="file">
        <input
          type="file"
          accept="image/*"
          capture="environment"
          onChange={({ currentTarget }) => void choose(currentTarget)}
        />
        <span>{text('document_file')}</span>
      </label>
      <div role="alert">{isUnreadable && <p class="problem">{text('document_file_unreadable')}</p>}</div>
    </>
  );
}

export function DocumentReviewScreen({ side, image }: { side: Side; image: Blob }) {
  const { flow, text } = usePage();
  const [url] = useImageUrls([image]);
  return (
    <Frame heading={text('document_review_title')} lead={text('document_review_lead')}>
      {url && <img class="document" src={url} alt={text('document_picture')} />}
      <Actions>
        <Button onClick={() => flow.acceptDocument(side, image)}>{text('use_picture')}</Button>
        <Button isQuiet onClick={() => flow.documentAgain(side)}>
          {text('take_again')}
        </Button>
      </Actions>
    </Frame>
  );
}

import { useState } from 'preact/hooks';
import { type CameraProblem, openCamera } from '../camera.ts';
import { Actions, Button, Frame } from '../frame.tsx';
import { usePage } from '../page-context.ts';

/** Requests the camera, with help if the permission is denied. */
export function CameraScreen({ problem }: { problem: CameraProblem | null }) {
  const { flow, text } = usePage();
  const [isOpening, setOpening] = useState(false);
  async function open() {
    setOpening(true);
    const opened = await openCamera('user');
    setOpening(false);
    if (typeof opened === 'object') return flow.useCamera(opened);
    if (opened === 'missing' && isDesktop()) return flow.handOver();
    flow.cameraFailed(opened);
  }
  const isRefused = problem === 'refused';
  return (
    <Frame
      heading={text(isRefused ? 'camera_refused_title' : 'camera_title')}
      lead={isRefused ? undefined : text('camera_lead')}
    >
      <div role="alert">{problem && <Problem problem={problem} />}</div>
      <Actions>
        <Button onClick={() => void open()} isDisabled={isOpening}>
          {text(isOpening ? 'camera_opening' : problem ? 'try_again' : 'camera_start')}
        </Button>
        {isDesktop() && (
          <Button isQuiet onClick={flow.handOver}>
            {text('use_phone')}
          </Button>
        )}
        {problem && (
          <Button isQuiet onClick={() => flow.askToGiveUp('failed_to_get_camera_permission')}>
            {text('give_up')}
          </Button>
        )}
      </Actions>
    </Frame>
  );
}

function Problem({ problem }: { problem: CameraProblem }) {
  const { text } = usePage();
  if (problem !== 'refused') return <p class="problem">{text(`camera_${problem}`)}</p>;
  return (
    <div class="problem">
      <p>{text('camera_refused')}</p>
      <ol>
        <li>{text('camera_refused_1')}</li>
        <li>{text('camera_refused_2')}</li>
        <li>{text('camera_refused_3')}</li>
        <li>{text('camera_refused_4')}</li>
      </ol>
    </div>
  );
}

/** A device with a mouse is a desktop, where a handover to a phone is offered. */
function isDesktop(): boolean {
  return matchMedia('(pointer: fine)').matches;
}

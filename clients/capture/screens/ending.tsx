import { useEffect } from 'preact/hooks';
import type { FailReason, Status } from '../api.ts';
import { Actions, Button, Frame, Spinner } from '../frame.tsx';
import { usePage } from '../page-context.ts';
import type { TextKey } from '../texts/en.ts';
import type { Trouble, View } from '../view.ts';

export function SendingScreen() {
  const { flow, text } = usePage();
  const { sentBytes, totalBytes, phase } = flow.uploads();
  const share = totalBytes > 0 ? sentBytes / totalBytes : 1;
  useEffect(() => {
    window.addEventListener('online', flow.goOnSending);
    return () => window.removeEventListener('online', flow.goOnSending);
  }, []);
  return (
    <Frame heading={text('sending_title')} lead={text('sending_lead')}>
      <progress max={1} value={share} aria-label={text('sending_title')} />
      {/* Said in quarters alone: a number for each percent would talk without end. */}
      <p aria-hidden="true">{text('sending_share', { percent: Math.floor(share * 100) })}</p>
      <p class="unseen" role="status">
        {text('sending_share', { percent: Math.floor(share * 4) * 25 })}
      </p>
      <div role="alert">{phase === 'stalled' && <p class="problem">{text('sending_stalled')}</p>}</div>
      {phase === 'stalled' && (
        <Actions>
          <Button onClick={flow.goOnSending}>{text('try_again')}</Button>
        </Actions>
      )}
    </Frame>
  );
}

export function WaitingScreen() {
  const { text } = usePage();
  return (
    <Frame heading={text('waiting_title')} lead={text('waiting_lead')}>
      <Spinner />
    </Frame>
  );
}

const FAILURES: Readonly<Record<string, TextKey>> = {
  failed_to_get_camera_permission: 'failed_camera',
  failed_to_complete_face_scan: 'failed_face',
  liveness_check_failed: 'failed_face',
  failed_to_process_id_scan: 'failed_document',
  failed_to_collect_device_data: 'failed_device',
};

export function ResultScreen({ status }: { status: Status }) {
  const { text } = usePage();
  const { success, error_message, redirect_url } = status;
  if (status.state === 'expired') {
    return (
      <Frame heading={text('link_over_title')} lead={text('link_over_lead')}>
        <WayBack url={redirect_url} />
      </Frame>
    );
  }
  const failure = text(FAILURES[error_message ?? ''] ?? 'failed_other');
  return (
    <Frame
      heading={text(success ? 'result_success_title' : 'result_failure_title')}
      lead={success ? text('result_success_lead') : failure}
    >
      <Mark isGood={success === true} />
      {!success && <p>{text('result_new_link')}</p>}
      <WayBack url={redirect_url} />
    </Frame>
  );
}

function WayBack({ url }: { url: string }) {
  const { text } = usePage();
  if (!url) return <p>{text('result_close')}</p>;
  return (
    <>
      <p>{text('result_back')}</p>
      <Actions>
        <a class="main" href={url}>
          {text('result_continue')}
        </a>
      </Actions>
    </>
  );
}

function Mark({ isGood }: { isGood: boolean }) {
  return (
    <svg class={isGood ? 'mark good' : 'mark'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={isGood ? 'M5 12.5l5 5 9-11' : 'M12 6v8M12 17.5v.5'} />
    </svg>
  );
}

export function GiveUpScreen({ reason, back }: { reason: FailReason; back: View }) {
  const { flow, text } = usePage();
  return (
    <Frame heading={text('give_up_title')} lead={text('give_up_lead')}>
      <Actions>
        <Button onClick={() => flow.goBack(back)}>{text('go_back')}</Button>
        <Button isQuiet onClick={() => flow.giveUp(reason)}>
          {text('give_up_stop')}
        </Button>
      </Actions>
    </Frame>
  );
}

export function TroubleScreen({ trouble, tryAgain }: { trouble: Trouble; tryAgain: (() => void) | null }) {
  const { text } = usePage();
  return (
    <Frame heading={text(`${trouble}_title`)} lead={text(`${trouble}_lead`)}>
      {tryAgain && (
        <Actions>
          <Button onClick={tryAgain}>{text('try_again')}</Button>
        </Actions>
      )}
    </Frame>
  );
}

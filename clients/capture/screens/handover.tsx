import { encode } from 'uqr';
import type { Handover } from '../api.ts';
import { Actions, Button, Frame, Spinner } from '../frame.tsx';
import { usePage } from '../page-context.ts';

/** Offers the code to a phone. Once a phone has used it, the check continues there alone. */
export function HandoverScreen({ url, handover }: { url: string; handover: Handover }) {
  const { flow, text } = usePage();
  if (handover === 'used') {
    return (
      <Frame heading={text('handover_used_title')} lead={text('handover_waiting')}>
        <Spinner />
      </Frame>
    );
  }
  const isExpired = handover === 'expired';
  return (
    <Frame heading={text('handover_title')} lead={text(isExpired ? 'handover_expired' : 'handover_lead')}>
      {!isExpired && <Offer url={url} />}
      <Actions>
        {isExpired && <Button onClick={flow.handOver}>{text('handover_renew')}</Button>}
        <Button isQuiet onClick={flow.stayHere}>
          {text('handover_here')}
        </Button>
        <Button isQuiet onClick={() => flow.askToGiveUp('failed_to_get_camera_permission')}>
          {text('give_up')}
        </Button>
      </Actions>
    </Frame>
  );
}

function Offer({ url }: { url: string }) {
  const { text } = usePage();
  return (
    <>
      <QrCode content={url} label={text('handover_code')} />
      <p>{text('handover_address')}</p>
      <p class="address" dir="ltr">
        {url}
      </p>
      <div class="row">
        <Spinner />
        <p>{text('handover_waiting')}</p>
      </div>
    </>
  );
}

function QrCode({ content, label }: { content: string; label: string }) {
  const { data, size } = encode(content, { ecc: 'M', border: 3 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  );
}

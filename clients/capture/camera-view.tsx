import type { ComponentChildren, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Camera image with an overlay. */
export function CameraView(props: {
  stream: MediaStream;
  video: RefObject<HTMLVideoElement | null>;
  label: string;
  /** Mirrored, as people expect for their own face. */
  isMirrored?: boolean;
  onEnded: () => void;
  children?: ComponentChildren;
}) {
  const { stream, video, label, isMirrored, onEnded, children } = props;
  useEffect(() => {
    const element = video.current!;
    element.srcObject = stream;
    // A muted video may start automatically. Where it may not, the image stays dark until a tap.
    void element.play().catch(() => {});
    const tracks = stream.getVideoTracks();
    for (const track of tracks) track.addEventListener('ended', onEnded);
    return () => {
      for (const track of tracks) track.removeEventListener('ended', onEnded);
      element.srcObject = null;
    };
  }, [stream]);
  return (
    <div class={isMirrored ? 'camera mirrored' : 'camera'}>
      <video ref={video} muted playsInline aria-label={label} />
      {children}
    </div>
  );
}

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** A camera's picture with something laid over it. */
export function CameraView(props: {
  stream: MediaStream;
  video: RefObject<HTMLVideoElement | null>;
  label: string;
  /** As in a mirror, which people expect of their own face. */
  isMirrored?: boolean;
  onEnded: () => void;
  children?: ComponentChildren;
}) {
  const { stream, video, label, isMirrored, onEnded, children } = props;
  useEffect(() => {
    const element = video.current!;
    element.srcObject = stream;
    // Without sound it may start by itself; where it may not, the picture stays dark until it is touched.
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

import { within } from '../sdk/attempt.ts';
import type { CameraInfo } from './api.ts';

const MAX_DEVICES_MS = 1500;

/** Reason why the camera is not available. */
export type CameraProblem = 'refused' | 'missing' | 'busy' | 'stopped';

export type Camera = {
  stream: MediaStream;
  info: CameraInfo;
  stop(): void;
};

/** Opens the front camera, or the back camera if the device has one. */
export async function openCamera(facing: 'user' | 'environment'): Promise<Camera | CameraProblem> {
  // Outside a secure context there are no cameras at all.
  if (!navigator.mediaDevices?.getUserMedia) return 'missing';
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: wishesOf(facing) });
    return { stream, info: await infoOf(stream), stop: () => stopAll(stream) };
  } catch (error) {
    return problemOf(error instanceof Error ? error.name : '');
  }
}

/** Text needs more points than a face. */
function wishesOf(facing: 'user' | 'environment'): MediaTrackConstraints {
  const [width, height] = facing === 'user' ? [1280, 720] : [1920, 1080];
  return { facingMode: { ideal: facing }, width: { ideal: width }, height: { ideal: height } };
}

function problemOf(errorName: string): CameraProblem {
  if (errorName === 'NotAllowedError' || errorName === 'SecurityError') return 'refused';
  return errorName === 'NotFoundError' || errorName === 'OverconstrainedError' ? 'missing' : 'busy';
}

async function infoOf(stream: MediaStream): Promise<CameraInfo> {
  const [track] = stream.getVideoTracks();
  const settings = track?.getSettings() ?? {};
  const devices = await within(navigator.mediaDevices.enumerateDevices(), MAX_DEVICES_MS, []);
  return {
    label: (track?.label ?? '').slice(0, 200),
    width: settings.width ?? 0,
    height: settings.height ?? 0,
    frame_rate: Math.round(settings.frameRate ?? 0),
    device_count: devices.filter(({ kind }) => kind === 'videoinput').length,
  };
}

function stopAll(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

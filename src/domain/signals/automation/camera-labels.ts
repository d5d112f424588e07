/*
 * Names under which cameras that are no cameras appear in a browser's list of devices, as their makers give them.
 */

/** What a camera of this name is. Cameras, and filters on a real camera by its maker, are `camera`. */
type CameraKind = 'camera' | 'virtual' | 'unknown_virtual' | 'telephone';

/** Filters on the picture of a real camera, and a telephone that the system itself connects. */
const HONEST = /nvidia broadcast|continuity|desk view|iphone|ipad|windows studio/i;

/** Programs that show any picture or film as a camera; v4l2loopback calls itself a dummy, Chrome's test camera fake. */
const VIRTUAL =
  /\bobs\b|obs[- ](virtual|camera)|manycam|snap camera|xsplit|vcam\b|mmhmm|v4l2loopback|dummy video device|splitcam|altercam|webcammax|fakewebcam|sparkocam|akvcam|webcamoid|unity video capture|vmix video|ndi (video|webcam)|camtwist|facerig|animaze|vtubestudio|prism live|streamlabs|ecamm live|avatarify|deepfacelive|swapface|fake_device|fake device/i;

const TELEPHONE = /droidcam|ivcam|iriun|epoccam|reincubate|\bcamo\b|ip webcam/i;

/** Tells from its label what a camera is. */
export function cameraKind(label: string): CameraKind {
  if (HONEST.test(label)) return 'camera';
  if (VIRTUAL.test(label)) return 'virtual';
  if (TELEPHONE.test(label)) return 'telephone';
  return /virtual/i.test(label) ? 'unknown_virtual' : 'camera';
}

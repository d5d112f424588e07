/*
 * Names of virtual cameras in a browser's list of devices, as their makers chose them.
 */

/** Kind of a camera of a name. Cameras, and filters on a real camera by its maker, are `camera`. */
type CameraKind = 'camera' | 'virtual' | 'unknown_virtual' | 'phone';

/** Filters on the image of a real camera, and a phone that the system itself connects. */
const HONEST = /nvidia broadcast|continuity|desk view|iphone|ipad|windows studio/i;

/** Programs that show any image or video as a camera; v4l2loopback calls itself a dummy, Chrome's test camera fake. */
const VIRTUAL =
  /\bobs\b|obs[- ](virtual|camera)|manycam|snap camera|xsplit|vcam\b|mmhmm|v4l2loopback|dummy video device|splitcam|altercam|webcammax|fakewebcam|sparkocam|akvcam|webcamoid|unity video capture|vmix video|ndi (video|webcam)|camtwist|facerig|animaze|vtubestudio|prism live|streamlabs|ecamm live|avatarify|deepfacelive|swapface|fake_device|fake device/i;

const PHONE = /droidcam|ivcam|iriun|epoccam|reincubate|\bcamo\b|ip webcam/i;

/** Kind of a camera by its label. */
export function cameraKind(label: string): CameraKind {
  if (HONEST.test(label)) return 'camera';
  if (VIRTUAL.test(label)) return 'virtual';
  if (PHONE.test(label)) return 'phone';
  return /virtual/i.test(label) ? 'unknown_virtual' : 'camera';
}

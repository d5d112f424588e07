import { CHOSEN_DOCUMENTS, type ChosenDocument } from '../domain/verification/captured.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enum-values.ts';
import { type ShownVerification, shownVerification } from './shown-verification.ts';
import { VerificationType } from './verification.ts';
import { ChallengeStepType as StepType, VerificationStateType } from './verification-enums.ts';

const UploadKind = builder.enumType('VerificationUploadKind', {
  description: 'Kind of an upload.',
  values: {
    FACE_FRAME: { description: 'Image of the face: JPEG, PNG or WebP, at most 24.', value: 'face_frame' },
    FACE_CLIP: { description: 'Video of the face: WebM or MP4.', value: 'face_clip' },
    ID_FRONT: { description: 'Image of the front of the document.', value: 'id_front' },
    ID_BACK: { description: 'Image of the back of the document.', value: 'id_back' },
  } as const,
});

const UploadContentType = builder.enumType('VerificationUploadContentType', {
  description: 'Content type of an upload.',
  values: {
    IMAGE_JPEG: { description: 'JPEG image (image/jpeg).', value: 'image/jpeg' },
    IMAGE_PNG: { description: 'PNG image (image/png).', value: 'image/png' },
    IMAGE_WEBP: { description: 'WebP image (image/webp).', value: 'image/webp' },
    VIDEO_WEBM: { description: 'WebM video (video/webm).', value: 'video/webm' },
    VIDEO_MP4: { description: 'MP4 video (video/mp4).', value: 'video/mp4' },
  } as const,
});

const ChosenDocumentType = builder.enumType('ChosenDocument', {
  description: 'Type of document that the person chose.',
  values: valuesOf<ChosenDocument>(CHOSEN_DOCUMENTS, {
    passport: 'Passport.',
    id_card: 'Id card, or another card.',
    driver_license: 'Driver license.',
  }),
});

const CreateVerificationUploadInput = builder.inputType('CreateVerificationUploadInput', {
  description: 'Image or video to upload.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of the verification session.' }),
    kind: t.field({ type: UploadKind, required: true, description: 'Kind.' }),
    contentType: t.field({
      type: UploadContentType,
      required: true,
      description: 'Content type: of a video for FACE_CLIP, of an image for the other kinds.',
    }),
    sequence: t.int({
      description:
        'Position among the uploads of the kind, from 0. 0 by default. A later upload replaces an ' +
        'upload at the same position.',
    }),
  }),
});

type Upload = {
  requestId: string;
  url: string;
  objectId: string;
  shown: ShownVerification;
  maySeeResult: boolean;
};

const WITHOUT_SECRET =
  "Verification session with its result. Null for requests with the session's secret: the holder of the " +
  'link does not see the result.';
const CreateVerificationUploadPayload = builder
  .objectRef<Upload>('CreateVerificationUploadPayload')
  .implement({
    description: 'URL for an upload.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      uploadUrl: t.string({
        description:
          'URL for one PUT of at most 12 MB with the content type of the input. Valid for an hour.',
        resolve: (p) => p.url,
      }),
      objectId: t.field({
        type: 'UUID',
        description: 'Id of the image or video.',
        resolve: (p) => p.objectId,
      }),
      verification: t.field({
        type: VerificationType,
        nullable: true,
        description: WITHOUT_SECRET,
        resolve: ({ shown, maySeeResult }) => (maySeeResult ? shown : null),
      }),
    }),
  });

const ConsentInput = builder.inputType('VerificationConsentInput', {
  description: 'Consent of the person before the capture.',
  fields: (t) => ({
    textVersion: t.string({
      required: true,
      description: 'Version of the text that the person consented to, at most 64 characters.',
    }),
    givenAt: t.field({
      type: 'DateTime',
      required: true,
      description: 'Time of the consent, before the first createVerificationUpload.',
    }),
  }),
});

const ChallengeStepInput = builder.inputType('ChallengeStepInput', {
  description: 'Frames that show a step of the challenge.',
  fields: (t) => ({
    step: t.field({ type: StepType, required: true, description: 'Step.' }),
    frames: t.intList({
      required: true,
      description: 'Sequences of the frames in the order of the capture, 0 to 23 each.',
    }),
  }),
});

const CameraInput = builder.inputType('VerificationCameraInput', {
  description: 'Camera, reported by the device.',
  fields: (t) => ({
    label: t.string({ description: 'Name, at most 200 characters.' }),
    width: t.int({ description: 'Width in pixels.' }),
    height: t.int({ description: 'Height in pixels.' }),
    frameRate: t.float({ description: 'Number of frames per second.' }),
    deviceCount: t.int({ description: 'Number of cameras of the device.' }),
  }),
});

const CompleteVerificationCaptureInput = builder.inputType('CompleteVerificationCaptureInput', {
  description: 'Completed capture of a verification session.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of the verification session.' }),
    consent: t.field({ type: ConsentInput, required: true, description: 'Consent of the person.' }),
    challenge: t.field({
      type: [ChallengeStepInput],
      description:
        'Frames of each step. Frames of no step show a face that looks into the camera. In sandbox ' +
        'projects the steps may be in any order.',
    }),
    documentType: t.field({
      type: ChosenDocumentType,
      description: 'Type of document that the person chose.',
    }),
    camera: t.field({ type: CameraInput, description: 'Camera.' }),
  }),
});

const CompleteVerificationCapturePayload = builder
  .objectRef<{ requestId: string; shown: ShownVerification; maySeeResult: boolean }>(
    'CompleteVerificationCapturePayload',
  )
  .implement({
    description: 'Verification session whose images are being processed.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      sessionId: t.field({
        type: 'UUID',
        description: 'Id of the verification session.',
        resolve: ({ shown }) => shown.verification.sessionId,
      }),
      state: t.field({
        type: VerificationStateType,
        description: 'State.',
        resolve: ({ shown: { verification } }, _args, { services }) =>
          verification.stateAt(services.clock.now()),
      }),
      verification: t.field({
        type: VerificationType,
        nullable: true,
        description: WITHOUT_SECRET,
        resolve: ({ shown, maySeeResult }) => (maySeeResult ? shown : null),
      }),
    }),
  });

builder.mutationFields((t) => ({
  createVerificationUpload: t.field({
    type: CreateVerificationUploadPayload,
    nullable: true,
    description:
      'Creates a URL to which an app uploads an image or video. The first call starts the capture. ' +
      'Requires a key, or the secret of the session as a bearer token (the s of sessionUrl). Errors: ' +
      '`verification.session_not_found`, `verification.session_already_started` (by a browser), ' +
      '`verification.session_not_valid_for_this_endpoint`, `verification.not_capturing`, ' +
      '`input.invalid`.',
    authScopes: { may: 'verification.capture' },
    args: {
      input: t.arg({ type: CreateVerificationUploadInput, required: true, description: 'Upload to create.' }),
    },
    resolve: async (_root, { input }, context) => {
      const { services, requestId, viewer, connection } = context;
      const found = await services.captures.getFor(viewer, String(input.sessionId));
      // The connection of a server is not that of the person.
      const seen =
        viewer.kind === 'verification_secret' ? connection : { ip: '', headers: {}, edge: {}, browserId: '' };
      const { project, row } = await services.captures.startForApp(found, input.kind, seen);
      const slot = { sessionId: row.session_id, kind: input.kind, sequence: input.sequence ?? 0 };
      const { objectId } = await services.media.expect(project, slot, input.contentType);
      const url = services.media.uploadUrl(project, objectId);
      const shown = shownVerification(services.captures.shown({ project, row }), context);
      return { requestId, objectId, url, shown, maySeeResult: viewer.kind !== 'verification_secret' };
    },
  }),
  completeVerificationCapture: t.field({
    type: CompleteVerificationCapturePayload,
    nullable: true,
    description:
      'Completes the capture. The images are processed within seconds, and an event is emitted at the ' +
      'end. A repeated call changes nothing, unless the document is captured again ' +
      '(Verification.retake): then the new images are processed, and challenge and camera are ignored. ' +
      'Errors: `verification.session_not_found`, `verification.session_already_started` (by a browser), ' +
      '`verification.consent_missing`, `verification.capture_incomplete`, `verification.not_capturing`, ' +
      '`input.invalid`.',
    authScopes: { may: 'verification.capture' },
    args: {
      input: t.arg({
        type: CompleteVerificationCaptureInput,
        required: true,
        description: 'Completed capture.',
      }),
    },
    resolve: async (_root, { input }, context) => {
      const { services, requestId, viewer } = context;
      const found = await services.captures.getFor(viewer, String(input.sessionId));
      const { consent, challenge, documentType, camera } = input;
      await services.captures.submitForApp(found, { challenge, documentType, camera }, consent);
      const after = await services.captures.getFor(viewer, String(input.sessionId));
      const shown = shownVerification(services.captures.shown(after), context);
      return { requestId, shown, maySeeResult: viewer.kind !== 'verification_secret' };
    },
  }),
}));

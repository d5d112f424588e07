import { builder } from './builder.ts';
import { type ShownVerification, shownVerification } from './shown-verification.ts';
import { VerificationType } from './verification.ts';
import { ChallengeStepType as StepType, VerificationStateType } from './verification-enums.ts';

const UploadKind = builder.enumType('VerificationUploadKind', {
  description: 'What is uploaded.',
  values: {
    FACE_FRAME: { description: 'A picture of the face: JPEG, PNG or WebP, 24 at most.', value: 'face_frame' },
    FACE_CLIP: { description: 'A clip of the face: WebM or MP4.', value: 'face_clip' },
    ID_FRONT: { description: 'A picture of the front of the document.', value: 'id_front' },
    ID_BACK: { description: 'A picture of the back of the document.', value: 'id_back' },
  } as const,
});

const CreateVerificationUploadInput = builder.inputType('CreateVerificationUploadInput', {
  description: 'A picture or clip that is to be uploaded.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of the verification session.' }),
    kind: t.field({ type: UploadKind, required: true, description: 'What it is.' }),
    contentType: t.string({
      required: true,
      description: 'image/jpeg, image/png or image/webp; for clips video/webm or video/mp4.',
    }),
    sequence: t.int({
      description: 'Place among those of its kind, from 0; 0 by default. The same place replaces.',
    }),
  }),
});

type Upload = { requestId: string; url: string; objectId: string; sessionId: string };
const CreateVerificationUploadPayload = builder
  .objectRef<Upload>('CreateVerificationUploadPayload')
  .implement({
    description: 'Where it is to be uploaded.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      uploadUrl: t.string({
        description:
          'Address for one PUT of the bytes, 12 MB at most, with the content type that was told; valid for an hour.',
        resolve: (p) => p.url,
      }),
      objectId: t.field({
        type: 'UUID',
        description: 'Id of the picture or clip.',
        resolve: (p) => p.objectId,
      }),
    }),
  });

const ConsentInput = builder.inputType('VerificationConsentInput', {
  description: 'The consent of the person, given before any picture was taken.',
  fields: (t) => ({
    textVersion: t.string({
      required: true,
      description: 'Version of the text that was agreed to, 64 characters at most.',
    }),
    givenAt: t.field({
      type: 'DateTime',
      required: true,
      description: 'When it was agreed to: before the first address for an upload was asked for.',
    }),
  }),
});

const ChallengeStepInput = builder.inputType('ChallengeStepInput', {
  description: 'Which frames show a step of the challenge.',
  fields: (t) => ({
    step: t.field({ type: StepType, required: true, description: 'The step.' }),
    frames: t.intList({
      required: true,
      description: 'Sequences of the frames, in the order they were taken.',
    }),
  }),
});

const CameraInput = builder.inputType('VerificationCameraInput', {
  description: 'The camera, as the device tells it.',
  fields: (t) => ({
    label: t.string({ description: 'Name, 200 characters at most.' }),
    width: t.int({ description: 'Pixels.' }),
    height: t.int({ description: 'Pixels.' }),
    frameRate: t.float({ description: 'Frames a second.' }),
    deviceCount: t.int({ description: 'How many cameras there are.' }),
  }),
});

const CompleteVerificationCaptureInput = builder.inputType('CompleteVerificationCaptureInput', {
  description: 'Everything was uploaded.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of the verification session.' }),
    consent: t.field({ type: ConsentInput, required: true, description: 'Consent of the person.' }),
    challenge: t.field({
      type: [ChallengeStepInput],
      description:
        'Which frames show which step; a frame that is not named looks into the camera. In a sandbox the turns may have ' +
        'been shown in any order.',
    }),
    documentType: t.string({ description: 'passport, id_card or driver_license, as the person chose.' }),
    camera: t.field({ type: CameraInput, description: 'The camera.' }),
  }),
});

const CompleteVerificationCapturePayload = builder
  .objectRef<{ requestId: string; shown: ShownVerification; maySeeResult: boolean }>(
    'CompleteVerificationCapturePayload',
  )
  .implement({
    description: 'The session, whose pictures are being read from now on.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      sessionId: t.field({
        type: 'UUID',
        description: 'Id of the session.',
        resolve: ({ shown }) => shown.verification.sessionId,
      }),
      state: t.field({
        type: VerificationStateType,
        description: 'Where it stands.',
        resolve: ({ shown: { verification } }, _args, { services }) =>
          verification.stateAt(services.clock.now()),
      }),
      verification: t.field({
        type: VerificationType,
        nullable: true,
        description:
          "The session with what is known of it, for a key. Null with the session's secret: who holds the link does not " +
          'see what comes of it.',
        resolve: ({ shown, maySeeResult }) => (maySeeResult ? shown : null),
      }),
    }),
  });

builder.mutationFields((t) => ({
  createVerificationUpload: t.field({
    type: CreateVerificationUploadPayload,
    description:
      'Gives an address to which an app uploads a picture or clip. The first begins the capture. With a key, or with the ' +
      "session's secret as a bearer token (the s of sessionUrl). Errors: verification.session_not_found, " +
      'verification.session_already_started (by a browser), verification.session_not_valid_for_this_endpoint, ' +
      'verification.not_capturing, input.invalid.',
    authScopes: { may: 'verification.capture' },
    args: {
      input: t.arg({ type: CreateVerificationUploadInput, required: true, description: 'What is uploaded.' }),
    },
    resolve: async (_root, { input }, context) => {
      const { services, requestId, viewer, connection } = context;
      const found = await services.captures.getFor(viewer, String(input.sessionId));
      // A server's own connection says nothing of the person's.
      const seen =
        viewer.kind === 'verification_secret' ? connection : { ip: '', headers: {}, edge: {}, browserId: '' };
      const { project, row } = await services.captures.startForApp(found, input.kind, seen);
      const slot = { sessionId: row.session_id, kind: input.kind, sequence: input.sequence ?? 0 };
      const { objectId } = await services.media.expect(project, slot, input.contentType);
      const url = services.media.uploadUrl(project, objectId);
      return { requestId, objectId, url, sessionId: row.session_id };
    },
  }),
  completeVerificationCapture: t.field({
    type: CompleteVerificationCapturePayload,
    description:
      'Ends the capture: the pictures are read, which takes some seconds; an event tells the end. A second time changes ' +
      'nothing, unless the document is captured again (Verification.retake): then its new images are processed, and challenge ' +
      'and camera are ignored. Errors: verification.session_not_found, verification.session_already_started (by a browser), ' +
      'verification.consent_missing, verification.capture_incomplete, verification.not_capturing, input.invalid.',
    authScopes: { may: 'verification.capture' },
    args: {
      input: t.arg({
        type: CompleteVerificationCaptureInput,
        required: true,
        description: 'What was captured.',
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

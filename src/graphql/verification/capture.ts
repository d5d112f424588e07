import {
  CHOSEN_DOCUMENTS,
  type ChosenDocument,
  cameraCountShape,
  chosenDocumentShape,
  completeCaptureShape,
  type VerificationState,
} from '@vouchgraph/verification';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { OpenCapture } from '../../domain/verification/capture/capture-service.ts';
import type { VerificationKey } from '../../domain/verification/find-verification-service.ts';
import { builder } from '../kernel/builder.ts';
import { valuesOf } from '../kernel/enum-values.ts';
import { inputFrom, setFieldType } from '../kernel/input-from.ts';
import { payloadType } from '../kernel/payload.ts';
import { VerificationStateType } from '../kernel/verification-enums.ts';
import { VerificationNode } from './verification.ts';
import { byChangedVerification } from './verification-subjects.ts';

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
setFieldType(chosenDocumentShape, ChosenDocumentType);
setFieldType(cameraCountShape, 'Int');

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
  url: string;
  objectId: string;
  verification: VerificationKey;
  maySeeResult: boolean;
};

const WITHOUT_SECRET =
  "Verification session with its result. Null for requests with the session's secret: the holder of the " +
  'link does not see the result.';
const CreateVerificationUploadPayload = payloadType<Upload>(
  'CreateVerificationUploadPayload',
  'URL for an upload.',
  { subjects: byChangedVerification },
  (t) => ({
    uploadUrl: t.string({
      mask: 'none',
      description: 'URL for one PUT of at most 12 MB with the content type of the input. Valid for an hour.',
      resolve: (p) => p.url,
    }),
    objectId: t.field({
      type: 'UUID',
      description: 'Id of the image or video.',
      resolve: (p) => p.objectId,
    }),
    verification: t.field({
      type: VerificationNode,
      nullable: true,
      description: WITHOUT_SECRET,
      resolve: ({ verification, maySeeResult }) => (maySeeResult ? verification : null),
    }),
  }),
);

const CompleteVerificationCaptureInput = inputFrom(completeCaptureShape, { validates: false });

type Completed = { state: VerificationState; verification: VerificationKey; maySeeResult: boolean };

const CompleteVerificationCapturePayload = payloadType<Completed>(
  'CompleteVerificationCapturePayload',
  'Verification session whose images are being processed.',
  { subjects: byChangedVerification },
  (t) => ({
    sessionId: t.field({
      type: 'UUID',
      description: 'Id of the verification session.',
      resolve: ({ verification }) => verification.sessionId,
    }),
    state: t.field({
      type: VerificationStateType,
      description: 'State.',
      resolve: ({ state }) => state,
    }),
    verification: t.field({
      type: VerificationNode,
      nullable: true,
      description: WITHOUT_SECRET,
      resolve: ({ verification, maySeeResult }) => (maySeeResult ? verification : null),
    }),
  }),
);

/** The verification of a payload. The holder of the link does not see it. */
function resultFor({ kind, project: { projectId } }: Viewer, row: OpenCapture['row']) {
  const verification = { projectId, sessionId: row.session_id, accountId: row.account_id };
  return { verification, maySeeResult: kind !== 'verification_secret' };
}

builder.mutationFields((t) => ({
  createVerificationUpload: t.field({
    isIdempotent: false,
    type: CreateVerificationUploadPayload,
    nullable: true,
    description:
      'Creates a URL to which an app uploads an image or video. The first call starts the capture. ' +
      'Requires a key, or the secret of the session as a bearer token (the parameter s of sessionUrl). ' +
      'Errors: `verification.session_not_found`, `verification.session_already_started` (by a browser), ' +
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
      return { requestId, objectId, url, ...resultFor(viewer, row) };
    },
  }),
  completeVerificationCapture: t.field({
    isIdempotent: false,
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
      const { sessionId, consent, ...capture } = input;
      const found = await services.captures.getFor(viewer, sessionId);
      await services.captures.submitForApp(found, capture, consent);
      const after = await services.captures.getFor(viewer, sessionId);
      const { state } = services.captures.statusOf(after);
      return { requestId, state, ...resultFor(viewer, after.row) };
    },
  }),
}));

import { describe, expect, it } from 'vitest';
import {
  type Choices,
  isOnServer,
  type MediaName,
  neededMedia,
  nextStep,
  type OnServer,
} from './progress.ts';

const NOTHING: Choices = { scan: null, hasClip: false, documentType: null };
const SCANNED: Choices = {
  scan: [
    { step: 'center', frames: [0, 1] },
    { step: 'left', frames: [2, 3] },
  ],
  hasClip: true,
  documentType: null,
};
const all = () => true;
const having =
  (...names: MediaName[]) =>
  (name: MediaName) =>
    names.includes(name);
const FACE: MediaName[] = ['face_frame/0', 'face_frame/1', 'face_frame/2', 'face_frame/3'];

describe('next step of a check', () => {
  it('is the face first', () => {
    expect(nextStep('face', NOTHING, all)).toBe('face');
    expect(nextStep('id', NOTHING, all)).toBe('face');
  });

  it('is the upload after the face of a face check', () => {
    expect(nextStep('face', SCANNED, all)).toBe('sending');
  });

  it('is the face again when an uploaded image is missing', () => {
    expect(nextStep('face', SCANNED, having(...FACE.slice(1), 'face_clip/0'))).toBe('face');
  });

  it('is not the face again when only the video is missing', () => {
    expect(nextStep('face', SCANNED, having(...FACE))).toBe('sending');
  });

  it('is each side of the document in an ID check', () => {
    expect(nextStep('id', SCANNED, having(...FACE))).toBe('document-type');
    const card: Choices = { ...SCANNED, documentType: 'id_card' };
    expect(nextStep('id', card, having(...FACE))).toBe('front');
    expect(nextStep('id', card, having(...FACE, 'id_front/0'))).toBe('back');
    expect(nextStep('id', card, having(...FACE, 'id_front/0', 'id_back/0'))).toBe('sending');
  });

  it('is one side of a passport', () => {
    const passport: Choices = { ...SCANNED, documentType: 'passport' };
    expect(nextStep('id', passport, having(...FACE, 'id_front/0'))).toBe('sending');
  });
});

describe('files to upload', () => {
  it('are the images of the face, the video and the sides of the document, in this order', () => {
    expect(neededMedia('id', { ...SCANNED, documentType: 'driver_license' })).toEqual([
      ...FACE,
      'face_clip/0',
      'id_front/0',
      'id_back/0',
    ]);
    expect(neededMedia('face', { ...SCANNED, hasClip: false })).toEqual(FACE);
  });

  it('exclude the files that the server has stored', () => {
    const server: OnServer = { face_frames: 2, face_clip: false, id_front: true, id_back: false };
    const sent = (['face_frame/1', 'face_frame/2', 'face_clip/0', 'id_front/0', 'id_back/0'] as const).map(
      (name) => isOnServer(name, server),
    );
    expect(sent).toEqual([true, false, false, true, false]);
  });
});

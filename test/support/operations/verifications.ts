import { expect } from 'vitest';
import { unique } from '../../acceptance/interface/client.ts';
import { CREATE_UPLOAD, capturedFace, edge, withInput } from './behavior.ts';
import { foreignInput } from './foreign.ts';
import type { Operations } from './operation.ts';
import { NOBODY, noVerification, verified } from './parity.ts';

/** Verifications. */
export const VERIFICATIONS_OPERATIONS: Operations = {
  'query verification': {
    behavior: {
      name: 'returns a verification with its simulated result',
      document: `query ($id: ID!) { verification(sessionId: $id) { sessionId kind state decision riskFlags simulated
      resultError documentData { userData { dateOfBirth } } } }`,
      variables: ({ idCheck }) => ({ id: idCheck }),
      answer: ({ idCheck }) => ({
        ...{ sessionId: idCheck, kind: 'ID_CHECK', state: 'COMPLETED', decision: 'FAKE' },
        ...{ riskFlags: ['DIGITAL_ID'], simulated: true, resultError: null },
        documentData: { userData: { dateOfBirth: '1990-06-15' } },
      }),
    },
    foreign: (['idCheck', 'faceCheck', 'openCheck'] as const).map((check) => ({
      query: 'query ($id: ID!) { verification(sessionId: $id) { id: sessionId state decision } }',
      variables: (ids) => ({ id: ids[check] }),
    })),
    routes: {
      'POST /liveness/verify-id': {
        behavior: {
          name: 'returns the simulated flags of a completed ID check, without personal data on request',
          request: ({ idCheck }) => ({ query: { excludePII: 'true' }, body: { session_id: idCheck } }),
          status: 200,
          keys:
            'decision device_network_signals document_signals lists matches metadata referring_session_signals ' +
            'risk_flags risk_score rules session_data',
          answer: ({ idCheck, projectId }) => ({
            metadata: { session_id: idCheck, project_id: projectId, account_id: null },
            decision: 'Fake',
            risk_score: 0.9,
            risk_flags: ['digital_id'],
          }),
        },
        parity: {
          writes: false,
          prepare: async (project, gateway) => ({
            body: { session_id: await verified(gateway, project, 'id') },
          }),
          refused: { body: { session_id: NOBODY }, ...noVerification },
        },
        foreign: { body: ({ idCheck }) => ({ session_id: idCheck }) },
        stored: {
          call: async ({ id, played }) => ({
            path: '/liveness/verify-id',
            body: { session_id: await played({ id: 'true' }, id) },
          }),
        },
      },
      'POST /liveness/verify-face': {
        behavior: {
          name: 'returns the simulated decision of a completed face check with the address of its photo',
          request: ({ faceCheck }) => ({ body: { session_id: faceCheck } }),
          status: 200,
          keys:
            'decision device_network_signals lists matches metadata photo_urls referring_session_signals ' +
            'risk_flags risk_score rules session_data video_urls',
          answer: ({ faceCheck }) => ({
            metadata: { session_id: faceCheck },
            decision: 'Real',
            risk_score: 0.1,
            risk_flags: [],
            photo_urls: { face: expect.stringMatching(/^http/) },
          }),
        },
        parity: {
          writes: false,
          prepare: async (project, gateway) => ({
            body: { session_id: await verified(gateway, project, 'face') },
          }),
          refused: { body: { session_id: NOBODY }, ...noVerification },
        },
        foreign: { body: ({ faceCheck }) => ({ session_id: faceCheck }) },
        stored: {
          call: async ({ id, played }) => ({
            path: '/liveness/verify-face',
            body: { session_id: await played({}, id) },
          }),
        },
      },
    },
  },
  'query verifications': {
    behavior: {
      name: 'finds verifications by kind and decision',
      document: `{ verifications(filter: { kind: ID_CHECK, decision: FAKE }) { edges { node { sessionId } } } }`,
      answer: ({ idCheck }) => edge({ sessionId: idCheck }),
    },
    foreign: [
      {
        query: `query ($after: String) { verifications(first: 1, after: $after) { edges { node { sessionId } } } }`,
        variables: ({ cursors }) => ({ after: cursors.verifications }),
      },
      {
        query: `query ($id: ID) { verifications(filter: { accountId: $id }) { edges { node { sessionId } } } }`,
        variables: ({ account }) => ({ id: account }),
      },
    ],
  },
  'query identityMatch': {
    behavior: {
      name: 'reports a match of a face check that is simulated as REAL',
      document: `query ($sessionId: ID!, $accountId: ID!) {
      identityMatch(sessionId: $sessionId, accountId: $accountId) { match } }`,
      variables: ({ faceCheck, enrolled }) => ({ sessionId: faceCheck, accountId: enrolled }),
      answer: () => ({ match: true }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { identityMatch(sessionId: $id, accountId: "same") { match } }',
        variables: ({ faceCheck }) => ({ id: faceCheck }),
      },
    ],
    routes: {
      'POST /liveness/verify-identity': {
        behavior: {
          name: 'reports a match of a face check that is simulated as Real',
          request: ({ faceCheck, enrolled }) => ({ body: { session_id: faceCheck, account_id: enrolled } }),
          status: 200,
          keys: 'match request_id success',
          answer: () => ({ success: true, match: true }),
        },
        parity: {
          writes: false,
          prepare: async (project, gateway) => ({
            body: { session_id: await verified(gateway, project, 'face'), account_id: 'one' },
          }),
          refused: { body: { session_id: NOBODY, account_id: 'one' }, ...noVerification },
        },
        foreign: {
          body: ({ faceCheck }) => ({ session_id: faceCheck, account_id: 'same' }),
        },
        stored: {
          call: async ({ id, alone }) => ({
            path: '/liveness/verify-identity',
            body: { session_id: await alone(), account_id: id },
          }),
        },
      },
    },
  },
  'mutation createVerificationSession': {
    behavior: {
      name: 'creates a simulated face check for an account',
      document: withInput(
        'createVerificationSession',
        'CreateVerificationSessionInput',
        'sessionId sessionUrl verification { kind state accountId simulated }',
      ),
      variables: ({ anna }) => ({ input: { kind: 'FACE_CHECK', simulate: 'SUCCESS', accountId: anna } }),
      answer: () => ({
        sessionUrl: expect.stringContaining('/verify/'),
        verification: { kind: 'FACE_CHECK', state: 'CREATED', simulated: true },
      }),
    },
    foreign: [
      foreignInput(
        'CreateVerificationSessionInput',
        'createVerificationSession',
        'sessionId',
        ({ session }) => ({
          kind: 'ID_CHECK',
          referringSessionId: session,
        }),
      ),
    ],
    stored: {
      call: ({ id }) => `(input: { kind: FACE_CHECK, accountId: "${id}" }) { sessionUrl }`,
    },
    routes: {
      'GET /liveness/session': {
        behavior: {
          name: 'creates a simulated ID check and returns the address of its page',
          request: () => ({ query: { id: 'true', simulate: 'success', simulate_decision: 'Real' } }),
          status: 200,
          keys: 'request_id session_id session_url',
          answer: () => ({ session_url: expect.stringMatching(/^http.*\/verify\/[0-9a-f-]{36}\?s=vgv_/) }),
        },
        parity: {
          writes: true,
          prepare: async () => ({
            query: { id: 'true', account_id: 'one', lng: 'fr', redirect_url: 'https://shop.example/back' },
          }),
          refused: { query: { simulate: 'maybe' }, message: 'invalid_simulated_session' },
        },
        foreign: {
          path: ({ session }) => `/liveness/session?referring_session_id=${session}`,
        },
      },
    },
  },
  'mutation createVerificationUpload': {
    behavior: {
      name: 'returns an address for a photo and begins the capture',
      given: async (client) => ({ created: await client.createVerification({}) }),
      document: CREATE_UPLOAD,
      variables: ({ created }) => ({
        input: { sessionId: created.session_id, kind: 'FACE_FRAME', contentType: 'IMAGE_JPEG' },
      }),
      answer: ({ projectId }) => ({ uploadUrl: expect.stringContaining(`/media/${projectId}/`) }),
    },
    foreign: [
      foreignInput(
        'CreateVerificationUploadInput',
        'createVerificationUpload',
        'uploadUrl',
        ({ openCheck }) => ({
          sessionId: openCheck,
          kind: 'FACE_FRAME',
          contentType: 'IMAGE_JPEG',
        }),
      ),
    ],
    stored: {
      call: async ({ id, upload }) =>
        `(input: { sessionId: "${await upload(id)}", kind: FACE_FRAME, contentType: IMAGE_JPEG }) { uploadUrl }`,
    },
  },
  'mutation completeVerificationCapture': {
    behavior: {
      name: 'ends the capture of an app, whose photos are then processed',
      given: capturedFace,
      document: withInput(
        'completeVerificationCapture',
        'CompleteVerificationCaptureInput',
        'sessionId state verification { consentVersion }',
      ),
      variables: ({ captured }) => ({
        input: { sessionId: captured, consent: { givenAt: new Date().toISOString(), textVersion: 'app-1' } },
      }),
      answer: ({ captured }) => ({
        ...{ sessionId: captured, state: 'PROCESSING' },
        verification: { consentVersion: 'app-1' },
      }),
    },
    foreign: [
      foreignInput(
        'CompleteVerificationCaptureInput',
        'completeVerificationCapture',
        'requestId',
        ({ openCheck }) => ({
          sessionId: openCheck,
          consent: { textVersion: '1', givenAt: new Date().toISOString() },
        }),
      ),
    ],
    stored: {
      call: async ({ id, upload }) =>
        `(input: { sessionId: "${await upload(id)}", consent: { textVersion: "1", givenAt: "2020-01-01T00:00:00Z" } }) { requestId }`,
      isRefused: true,
    },
  },
  'mutation enrollFace': {
    behavior: {
      name: 'binds a completed face check to a new account',
      given: async () => ({ id: unique('enrolled') }),
      document: withInput('enrollFace', 'EnrollFaceInput', 'verification { sessionId accountId }'),
      variables: ({ enrollableToo, id }) => ({ input: { sessionId: enrollableToo, accountId: id } }),
      answer: ({ enrollableToo, id }) => ({ verification: { sessionId: enrollableToo, accountId: id } }),
    },
    foreign: [
      foreignInput('EnrollFaceInput', 'enrollFace', 'requestId', ({ idCheck }) => ({
        sessionId: idCheck,
        accountId: 'same',
      })),
    ],
    stored: {
      call: async ({ id, alone }) =>
        `(input: { sessionId: "${await alone()}", accountId: "${id}" }) { requestId }`,
    },
    routes: {
      'POST /liveness/enroll': {
        behavior: {
          name: 'binds a completed face check to a new account',
          given: async () => ({ id: unique('enrolled') }),
          request: ({ enrollable, id }) => ({ body: { session_id: enrollable, account_id: id } }),
          status: 200,
          keys: 'request_id success',
          answer: () => ({ success: true }),
        },
        parity: {
          writes: true,
          prepare: async (project, gateway) => ({
            body: { session_id: await verified(gateway, project, 'face'), account_id: 'one' },
          }),
          refused: { body: { session_id: NOBODY, account_id: 'one' }, ...noVerification },
        },
        foreign: { body: ({ idCheck }) => ({ session_id: idCheck, account_id: 'same' }) },
        stored: {
          call: async ({ id, alone }) => ({
            path: '/liveness/enroll',
            body: { session_id: await alone(), account_id: id },
          }),
        },
      },
    },
  },
  'subscription verificationCompleted': {
    behavior: {
      name: 'sends the completed face checks',
      document: `subscription ($after: String) { verificationCompleted(after: $after, kind: FACE_CHECK) { type sessionId data } }`,
      cause: async (client) => ({
        ended: await client.verification({ simulate: 'success', simulate_decision: 'Suspicious' }),
      }),
      answer: ({ ended }) => ({
        ...{ type: 'VERIFICATION_FACE_CHECK_COMPLETED', sessionId: ended },
        data: { decision: 'Suspicious' },
      }),
    },
  },
  'subscription verificationEnded': {
    behavior: {
      name: 'sends the failed ID checks with their reason',
      document: `subscription ($after: String) { verificationEnded(after: $after, kind: ID_CHECK) {
      type sessionId kind ... on VerificationFailedEvent { failure } } }`,
      cause: async (client) => ({
        ended: await client.verification({ id: 'true', simulate: 'failed_to_process_id_scan' }),
      }),
      answer: ({ ended }) => ({
        ...{ type: 'VERIFICATION_FAILED', sessionId: ended, kind: 'ID_CHECK' },
        failure: 'FAILED_TO_PROCESS_ID_SCAN',
      }),
    },
  },
};

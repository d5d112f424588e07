import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

/* A gateway that was installed without the packages that read images. */
let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ hasVision: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const CREATE = `mutation ($input: CreateVerificationSessionInput!) {
  createVerificationSession(input: $input) { sessionId }
}`;

it('without vision packages a check of images is rejected with one error, and nothing is created', async () => {
  const { body } = await project.rawGraphql(CREATE, { input: { kind: 'FACE_CHECK' } });
  expect(body.errors).toMatchObject([
    {
      message: expect.stringMatching(/^This gateway was installed without the packages that check images/),
      extensions: { code: 'vision.not_installed' },
    },
  ]);
  const { verifications } = await project.graphql(
    '{ verifications(first: 1) { edges { node { sessionId } } } }',
  );
  expect(verifications.edges).toEqual([]);
});

it('without vision packages REST returns 503', async () => {
  const { status } = await project.rest('GET', '/liveness/session?id=true');
  expect(status).toBe(503);
});

it('without vision packages checks can be simulated', async () => {
  const data = await project.graphql(CREATE, {
    input: { kind: 'FACE_CHECK', simulate: 'SUCCESS' },
  });
  expect(data.createVerificationSession.sessionId).toMatch(/^[0-9a-f-]{36}$/);
});

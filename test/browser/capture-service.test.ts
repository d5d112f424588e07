import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import {
  agree,
  atStep,
  chooseDocument,
  chooseFile,
  expectClean,
  openCaptureWithout,
  refusalsOf,
  scanFace,
  turnCameraOn,
} from './support/capture-steps.ts';
import { printedCamera } from './support/verification-people.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

describe('the hosted page with a real gateway', () => {
  it('submits an ID check, and shows that a head which never turned is rejected', async () => {
    const { body: session } = await project.rest('GET', '/liveness/session?id=true&lng=en');
    const capture = await openCaptureWithout(session.session_url, { args: await printedCamera() });
    const { page } = capture;
    await agree(page);
    await turnCameraOn(page);
    await scanFace(page);
    await chooseDocument(page, 'passport');
    await chooseFile(page, 'passport_title');
    await atStep(page, 'result_failure_title');
    expect(await refusalsOf(page)).toEqual([]);
    await expectClean(capture);
    const { status, body } = await project.rest('POST', '/liveness/verify-id', {
      session_id: session.session_id,
    });
    expect([status, body.error]).toEqual([400, 'liveness_check_failed']);
  });
});

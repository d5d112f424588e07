import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProjectService } from '../../src/domain/projects/project-service.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { type GatewayProcess, makeFolder, run, until } from '../acceptance/gateway-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { projectClient } from '../support/gateway.ts';
import { verificationLink, verifyFace } from '../support/verification.ts';
import { agree, atStep, openCaptureWithout, scanFace, turnCameraOn } from './support/capture-steps.ts';
import { livingCamera } from './support/verification-people.ts';

/* A gateway in a separate process, killed while it reads the images of a person whose page waits for the result. */

const WAIT_TIMEOUT_MS = 240_000;

const masterKey = generateMasterKey();
let testDatabase: TestDatabase;
let database: Database;
let removeFolder: () => Promise<void>;
let environment: Record<string, string>;
let gateway: GatewayProcess | undefined;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const made = await makeFolder();
  removeFolder = made.remove;
  database = openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 2 });
  environment = {
    DATABASE_URL: testDatabase.ownerUrl,
    MASTER_KEY: masterKey,
    DATA_DIR: made.folder,
    // The page continues to poll the same address.
    PORT: String(await freePort()),
    MX_LOOKUPS: 'off',
    LOG_LEVEL: 'silent',
  };
});

afterAll(async () => {
  gateway?.signal('SIGKILL');
  await gateway?.exited;
  await database.close();
  await testDatabase.drop();
  await removeFolder();
});

async function start(): Promise<{ running: GatewayProcess; baseUrl: string }> {
  const running = run(['serve'], environment);
  gateway = running;
  const baseUrl = await until(
    'an address',
    async () => {
      if (running.child.exitCode !== null) throw new Error(running.output());
      return /answers on (http:\S+)/.exec(running.output())?.[1];
    },
    WAIT_TIMEOUT_MS / 2,
  );
  return { running, baseUrl };
}

async function makeProject(): Promise<{ projectId: string; key: string }> {
  const projects = createProjectService({
    database,
    masterKey: new MasterKey(masterKey),
    clock: systemClock,
    actor: 'test',
  });
  const { projectId } = await projects.createProject('a gateway that dies', 'sandbox');
  return { projectId, ...(await projects.createKey(projectId, 'operator')) };
}

/** Whether a gateway has claimed the images to read them. */
async function isReading(): Promise<boolean> {
  const text = 'select 1 from verification_sessions where lease_id is not null';
  return (await database.system.query({ name: 'test.is_reading', text }, [])).length > 0;
}

it('a killed gateway processes the uploaded images after a restart', {
  timeout: WAIT_TIMEOUT_MS,
}, async () => {
  const first = await start();
  const { projectId, key } = await makeProject();
  const project = projectClient(first.baseUrl, projectId, key);
  const link = await verificationLink(project, { lng: 'en' });
  const { page } = await openCaptureWithout(link.url, { args: await livingCamera() });
  page.setDefaultTimeout(WAIT_TIMEOUT_MS / 2);
  await agree(page);
  await turnCameraOn(page);
  await scanFace(page);
  await until('the reading', isReading, WAIT_TIMEOUT_MS / 2);
  first.running.signal('SIGKILL');
  await first.running.exited;
  const killedAt = Date.now();
  expect(await isReading()).toBe(true);

  const second = await start();
  expect(second.baseUrl).toBe(first.baseUrl);
  await atStep(page, 'result_success_title');
  const { status, body } = await verifyFace(project, link.sessionId);
  expect([status, body.metadata.session_id]).toEqual([200, link.sessionId]);
  process.stdout.write(
    `read ${((Date.now() - killedAt) / 1000).toFixed(1)} s after the gateway was killed\n`,
  );
});

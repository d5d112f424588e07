import type { EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { systemClock } from '@vouchgraph/platform/clock';
import { createKeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import { expect } from 'vitest';
import { createAccountService } from '../../src/domain/accounts/account-service.ts';
import type { Project } from '../../src/domain/projects/project.ts';
import type { SeenEvidence } from '../../src/domain/verification/check/compare-service.ts';
import {
  type CompleteService,
  createCompleteService,
} from '../../src/domain/verification/check/complete-service.ts';
import { createFaceSearch } from '../../src/domain/verification/faces/face-index-service.ts';
import { bindSessionOfCheck } from '../../src/domain/verification/result/bind-check-service.ts';
import { createVerificationViews } from '../../src/domain/verification/result/view-service.ts';
import { findVerification, type VerificationRow } from '../../src/domain/verification/verification-store.ts';
import { enumNameOf } from '../../src/graphql/events/event-type.ts';
import { type Body, type Gateway, send, type TestProject } from './gateway.ts';
import { openProject, setVerificationState } from './media.ts';
import { consentAt, pagePost, verificationLink } from './verification.ts';

/* Face checks whose images were already read: everything except the reading is the product's. */

/** Faces on a line: the distance of two is the difference of their positions. */
const faceAt = (place: number) => Float32Array.from({ length: 128 }, (_, at) => (at === 0 ? place : 0));

export const seenAt = (place: number, over: Partial<SeenEvidence> = {}): SeenEvidence => ({
  face: {
    problem: null,
    descriptor: faceAt(place),
    ageYears: 30,
    bestFrame: 0,
    portrait: null,
    recaptureScore: null,
    challenge: [],
    timings: {},
  },
  document: null,
  isRecaptured: false,
  isVirtualCamera: false,
  ...over,
});

export type FaceChecks = {
  readonly client: TestProject;
  readonly project: Project;
  readonly completing: CompleteService;
  /** A session whose images are submitted; `components` are those of its device. */
  waiting(query?: Record<string, string>, components?: Body): Promise<VerificationRow>;
  /** Completes a waiting session with a face. */
  complete(row: VerificationRow, place: number, over?: Partial<SeenEvidence>): Promise<void>;
  /** A completed check of a face; its session. */
  checked(place: number, query?: Record<string, string>, components?: Body): Promise<string>;
};

export async function faceChecks(gateway: Gateway, masterKey: string): Promise<FaceChecks> {
  const client = await gateway.project();
  const project = await openProject(gateway, masterKey, client.projectId);
  const completing = createCompleteService({
    accounts: createAccountService({
      clock: systemClock,
      bindSessionOfCheck,
      erasures: [],
      mailExchangers: null,
    }),
    faces: createFaceSearch(),
    views: createVerificationViews({ media: gateway.app.media }),
    clock: systemClock,
    mutex: createKeyedMutex(),
  });
  async function waiting(
    query: Record<string, string> = {},
    components: Body = null,
  ): Promise<VerificationRow> {
    const { sessionId, secret } = await verificationLink(client, query);
    const input = { secret, consent: consentAt(), language: 'en' };
    const { status, body } = await pagePost(gateway, sessionId, 'start', input);
    expect(status).toBe(200);
    if (components) {
      const authorization = `Bearer ${body.session_token}`;
      const facts = { device: { components } };
      const patched = await send(`${gateway.baseUrl}/session/${sessionId}`, 'PATCH', facts, {
        authorization,
      });
      expect(patched.status, patched.text).toBe(200);
    }
    await setVerificationState(gateway, client, sessionId, 'processing');
    return (await findVerification(project.database, sessionId))!;
  }
  async function complete(row: VerificationRow, place: number, over: Partial<SeenEvidence> = {}) {
    expect(await completing.completeSeen(project, row, seenAt(place, over))).toBe(true);
  }
  return {
    client,
    project,
    completing,
    waiting,
    complete,
    async checked(place, query, components) {
      const row = await waiting(query, components);
      await complete(row, place);
      return row.session_id;
    },
  };
}

export const bind = (client: TestProject, session_id: string, id: string) =>
  client.rest('POST', '/session/authenticate', { session_id, account: { id } });

/** Events of a session, oldest first. */
export async function eventsOf(
  gateway: Gateway,
  client: TestProject,
  sessionId: string,
  types: readonly string[],
): Promise<Body[]> {
  await gateway.app.settleEvents();
  const { events } = await client.graphql(
    `query ($id: ID, $types: [EventType!]) { events(sessionId: $id, types: $types, first: 100) {
       edges { node { id: eventId type accountId data } } } }`,
    { id: sessionId, types: types.map((type) => enumNameOf(type as EventType)) },
  );
  return events.edges.map(({ node }: Body) => node);
}

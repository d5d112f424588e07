import { afterAll, beforeAll } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { verificationLink } from '../../support/verification.ts';
import type { Treatment } from './host-page.ts';
import { openSite } from './visits.ts';

type Treat = (request: { method: string; path: string }) => Treatment;

/** A check of a real gateway behind a proxy that forwards everything unchanged, unless a test breaks the network. */
export type CaptureVisit = {
  sessionId: string;
  /** Link for the person, through the proxy. */
  link: string;
  /** Images and videos that the gateway stored, by kind and sequence number. */
  media: Map<string, Buffer>;
  /** The same in the order of their uploads. */
  arrivals: string[];
  /** Bodies of the accepted requests of an action. */
  accepted(action: 'open' | 'start' | 'complete' | 'fail'): Body[];
  /** Accepted facts of the session. */
  facts(): Body[];
  treat(treatment: Treat): void;
  /** Answers the redirect at the end. Until then the page shows the result, which it leaves after three seconds. */
  letBack(): void;
};

const BACK = '<!doctype html><html lang="en"><title>Back</title><link rel="icon" href="data:,">Back';
const MEDIA = /\/media\/(\w+\/\d+)$/;

/** Creates a session that redirects to `/back` of the proxy. */
export async function openVisit(
  gatewayUrl: string,
  project: TestProject,
  query: Record<string, string> = {},
): Promise<CaptureVisit> {
  const accepted: { path: string; body: Buffer }[] = [];
  const media = new Map<string, Buffer>();
  const arrivals: string[] = [];
  const back = Promise.withResolvers<string>();
  let treat: Treat = () => 'forward';
  const site = await openSite({
    pages: { '/back': back.promise },
    gatewayUrl,
    treat: (request) => treat(request),
    onForwarded({ path, body, status }) {
      if (status !== 200) return;
      accepted.push({ path, body });
      const name = MEDIA.exec(path)?.[1];
      if (name === undefined) return;
      media.set(name, body);
      arrivals.push(name);
    },
  });
  const { sessionId, url } = await verificationLink(project, {
    lng: 'en',
    redirect_url: `${site.url}/back`,
    ...query,
  });
  const { pathname, search } = new URL(url);
  const bodies = (end: string): Body[] =>
    accepted.flatMap(({ path, body }) => (path.endsWith(end) ? JSON.parse(body.toString()) : []));
  return {
    sessionId,
    link: site.url + pathname + search,
    media,
    arrivals,
    accepted: (action) => bodies(`/${action}`),
    facts: () => bodies(`/session/${sessionId}`),
    treat(next) {
      treat = next;
    },
    letBack: () => back.resolve(BACK),
  };
}

/** Opens visits of a gateway and a project that a test file has for itself, of a face check by default. */
export function visitsOfFile(): (query?: Record<string, string>) => Promise<CaptureVisit> {
  let gateway: Gateway;
  let project: TestProject;
  beforeAll(async () => {
    gateway = await startGateway();
    project = await gateway.project();
  });
  afterAll(async () => {
    // Some tests leave before the gateway has read the images.
    await gateway.app.settleVerifications(project.projectId);
    await gateway.close();
  });
  return (query) => openVisit(gateway.baseUrl, project, query);
}

import { randomBytes } from 'node:crypto';
import type { Clock } from '@vouchgraph/platform/clock';
import { equalInConstantTime } from '@vouchgraph/platform/crypto';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { jsonAnswer, methodNotAllowed, sendAnswer } from '@vouchgraph/platform/http';
import type { AccessService } from '../domain/projects/access-service.ts';
import type { ProjectService } from '../domain/projects/project-service.ts';
import type { Exchange } from './exchange.ts';
import { readJsonBody } from './json-body.ts';

/** Path of the request with which pages of the gateway exchange the secret of their URL for the key. */
export const SANDBOX_KEY_PATH = '/sandbox-key';

/** Body of a request about the sandbox key. */
export const SANDBOX_BODY = { types: /^application\/json\b/i, maxBytes: 1024 };
const SECRET_BYTES = 32;
/** A secret that remains in the output of a terminal is of no use later. */
const SECRET_LIFETIME_MS = 15 * 60_000;

/** What the pages need to call the sandbox project of the first start. */
export type SandboxAccess = { key: string; projectId: string };

export type SandboxKey = ReturnType<typeof createSandboxKey>;

type SandboxKeyDeps = {
  access: AccessService;
  projects: Pick<ProjectService, 'hasProductionProject'>;
  clock: Clock;
  /** Reads the key of the sandbox project that the first start created. Without it there is no secret. */
  readSandboxKey: (() => Promise<string | null>) | undefined;
};

/**
 * Gives the operator key of the sandbox project to one page: the one whose URL contains a secret that only the terminal
 * of the gateway shows. Address and headers of a request are no evidence, because proxies, port forwarding and other
 * users of the machine connect from loopback too.
 */
export function createSandboxKey({ access, projects, clock, readSandboxKey }: SandboxKeyDeps) {
  let secret = readSandboxKey ? randomBytes(SECRET_BYTES).toString('base64url') : null;
  /** Set when the secret is first shown. */
  let expiresAt: number | undefined;

  /** The secret, null after its use and its expiry. */
  function validSecret(): string | null {
    if (expiresAt !== undefined && clock.now().getTime() >= expiresAt) secret = null;
    return secret;
  }

  /** The current key; null after its revocation, of another database, and next to a production project. */
  async function find(): Promise<SandboxAccess | null> {
    const key = (await readSandboxKey?.()) ?? null;
    if (key === null || (await projects.hasProductionProject())) return null;
    try {
      const { project } = await access.viewerOfKey(key);
      return project.environment === 'sandbox' ? { key, projectId: project.projectId } : null;
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unauthenticated') return null;
      throw error;
    }
  }

  return {
    /** The secret, null if no page would receive a key for it. It expires 15 minutes after the first call. */
    async secret(): Promise<string | null> {
      if (!(await find())) return null;
      expiresAt ??= clock.now().getTime() + SECRET_LIFETIME_MS;
      return validSecret();
    },
    /** Redeems the secret. Of several requests with the secret, only the first receives the key. */
    async redeem(sent: string): Promise<SandboxAccess | null> {
      const valid = validSecret();
      if (valid === null || !equalInConstantTime(sent, valid)) return null;
      // Before anything is awaited: the next request finds no secret.
      secret = null;
      return find();
    },
  };
}

/** Answers the request of a page. Every secret that is not redeemed has the same answer. */
export async function answerSandboxKey(
  sandboxKey: SandboxKey,
  { request, response }: Exchange,
): Promise<void> {
  if (request.method !== 'POST') throw methodNotAllowed(['POST', 'OPTIONS']);
  const { value } = await readJsonBody(request, SANDBOX_BODY);
  const sent = (value as { secret?: unknown } | null | undefined)?.secret;
  if (typeof sent !== 'string') throw invalidInput('secret: must be a text in a JSON object', ['secret']);
  const sandbox = await sandboxKey.redeem(sent);
  sendAnswer(response, jsonAnswer(200, { sandbox }, { 'cross-origin-resource-policy': 'same-origin' }));
}

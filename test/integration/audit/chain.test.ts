import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditEntries, auditHeadOf } from '../../support/audit.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { killInside } from '../../support/killed-gateway.ts';
import { connectAs } from '../../support/sql.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let system: pg.Client;

beforeAll(async () => {
  gateway = await startOwnGateway({ masterKey, worksInBackground: false });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});
beforeEach(async () => {
  project = await gateway.project();
});

/** A change with one entry. */
const change = (name = unique('list'), by = project) =>
  by.graphql(
    'mutation ($name: String!) { createList(input: { name: $name, description: "" }) { requestId } }',
    {
      name,
    },
  );
const chain = () => gateway.app.chainAuditEntries();
/** Targets of the entries in the order of the chain. */
async function chained(client: pg.Client = system): Promise<{ position: number; target: string }[]> {
  const { rows } = await client.query(
    `select position::int, target from audit_chain join audit_log using (project_id, audit_id)
     where project_id = $1 order by position`,
    [project.projectId],
  );
  return rows;
}
const positions = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the chain over the audit log', () => {
  it('numbers entries of a project in the order of their insertion', async () => {
    for (const name of ['one', 'two', 'three']) await change(name);
    expect(await auditHeadOf(project)).toMatchObject({ position: 0, unchained: 4 });
    await chain();
    expect(await auditHeadOf(project)).toMatchObject({ position: 4, unchained: 0 });
    expect(await chained()).toEqual(
      [`key:${project.keyId}`, 'list:one', 'list:two', 'list:three'].map((target, index) => ({
        position: index + 1,
        target,
      })),
    );
  });

  it('appends an entry that is committed late, and waits for no transaction', async () => {
    const late = await connectAs(gateway.database, 'vouchgraph_system');
    await late.query('begin');
    await late.query(
      `insert into audit_log (project_id, audit_id, actor, action, target) values ($1, $2, 'late', 'list.create', 'list:late')`,
      [project.projectId, randomUUID()],
    );
    await change('early');
    await chain();
    expect((await chained()).map(({ target }) => target)).toEqual([`key:${project.keyId}`, 'list:early']);
    await late.query('commit');
    await late.end();
    await chain();
    expect((await chained()).map(({ target }) => target)).toEqual([
      `key:${project.keyId}`,
      'list:early',
      'list:late',
    ]);
  });

  it('has no gaps with two gateways and concurrent writers', async () => {
    const second = await startOwnGateway({ masterKey, database: gateway.database });
    try {
      const clients = [project, { ...project, ...clientOf(second) }] as const;
      await Promise.all(
        Array.from({ length: 5 }, async (_, writer) => {
          for (let index = 0; index < 8; index += 1) {
            await change(unique('list'), clients[(writer + index) % 2]);
            await Promise.all([chain(), second.app.chainAuditEntries()]);
          }
        }),
      );
      await expect
        .poll(async () => {
          await chain();
          return (await auditHeadOf(project)).unchained;
        })
        .toBe(0);
      expect((await chained()).map(({ position }) => position)).toEqual(positions(41));
    } finally {
      await second.close();
    }
  }, 120_000);

  it('is not extended by a gateway that is killed inside of the transaction', async () => {
    for (let index = 0; index < 3; index += 1) await change();
    await chain();
    for (let index = 0; index < 3; index += 1) await change();
    await killInside({
      ...{ database: gateway.database, masterKey },
      change: { table: 'audit_chain', event: 'insert', when: `new.project_id = '${project.projectId}'` },
    });
    expect(await auditHeadOf(project)).toMatchObject({ position: 4, unchained: 3 });
    await chain();
    expect((await chained()).map(({ position }) => position)).toEqual(positions(7));
  }, 240_000);
});

/** Calls of the project to another gateway. */
function clientOf({ baseUrl }: Gateway): Pick<TestProject, 'graphql'> {
  return {
    async graphql(query, variables) {
      const response = await fetch(`${baseUrl}/graphql`, {
        method: 'POST',
        headers: { 'x-api-key': project.key, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as Body;
      expect(errors).toBeUndefined();
      return data;
    },
  };
}

describe('the head', () => {
  it('can be verified with its public key alone, which does not change', async () => {
    await change();
    await chain();
    const [head, again] = [await auditHeadOf(project), await auditHeadOf(project)];
    expect(again.publicKey).toBe(head.publicKey);
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: head.publicKey },
      format: 'jwk',
    });
    const { projectId, position, hash, at } = head;
    const isSigned = (...values: unknown[]) =>
      verify(
        null,
        Buffer.from(['vouchgraph audit head v1', ...values].join('\n')),
        key,
        Buffer.from(head.signature, 'base64url'),
      );
    expect(isSigned(projectId, position, hash, at)).toBe(true);
    expect(isSigned(projectId, position + 1, hash, at)).toBe(false);
    const other = await auditHeadOf(await gateway.project());
    expect(other).toMatchObject({ position: 0, projectId: expect.not.stringMatching(projectId) });
    expect(other.publicKey).not.toBe(head.publicKey);
  });

  it('can be read only by operators', async () => {
    for (const role of ['server', 'read'] as const) {
      const { key } = await gateway.app.projects.createKey(project.projectId, role);
      const { body } = await project.withKey(key).rawGraphql('query { auditHead { hash } }');
      expect(body.errors[0].extensions.code).toBe('auth.forbidden');
    }
    expect(await auditEntries(project)).toHaveLength(3);
  });
});

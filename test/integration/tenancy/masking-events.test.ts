import { getNamedType, isAbstractType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject } from '../../support/gateway.ts';
import { SUBSCRIPTIONS } from '../../support/operations/index.ts';
import {
  type Caller,
  keyCaller,
  type PersonCaller,
  personCaller,
  type Received,
} from '../../support/person-calls.ts';
import { foundMarkers, type Planted, plantPerson } from '../../support/planted-person.ts';
import { groupParts, printParts, selectionParts } from '../../support/selection-parts.ts';
import { headOf } from '../../support/subscriptions.ts';

/*
 * Subscriptions of persons, over WebSockets and as server-sent events: all stored events of a planted person.
 */

const MAX_STEPS = 2;

let gateway: Gateway;
let project: TestProject;
let planted: Planted;
let start: string;
let persons: PersonCaller[];
let key: Caller;

beforeAll(async () => {
  gateway = await startOwnGateway();
  project = await gateway.project();
  start = await headOf(project);
  planted = await plantPerson(gateway, project);
  await gateway.app.settleEvents();
  persons = [];
  for (const role of ['viewer', 'analyst', 'admin'] as const)
    persons.push(await personCaller(gateway, project, role));
  key = keyCaller(gateway, project);
}, 120_000);
afterAll(() => gateway.close());

/** The documents of a subscription, with all fields of its events. */
function documentsOf(name: string): string[] {
  const field = schema.getSubscriptionType()!.getFields()[name]!;
  return groupParts(selectionParts(schema, field, MAX_STEPS)).map(
    (parts) => `subscription ($after: String) { ${name}(after: $after) ${printParts(parts)} }`,
  );
}

/** Everything that a subscription receives from the start on, up to this number of results. */
async function receivedBy(open: () => Received, count: number): Promise<Body[]> {
  const received = open();
  const results = await received.until(count);
  received.stop();
  return results;
}

describe('no event that a person receives contains personal data', () => {
  const shown = new Set<string>();

  it.each(SUBSCRIPTIONS)(
    'of %s',
    async (name) => {
      const variables = { after: start };
      for (const document of documentsOf(name)) {
        const count = await numberOf(name);
        expect(count).toBeGreaterThan(0);
        const ofKey = await receivedBy(() => key.overSocket(document, variables), count);
        for (const marker of foundMarkers(planted, ofKey)) shown.add(marker);
        for (const person of persons) {
          const both = await Promise.all([
            receivedBy(() => person.overSocket(document, variables), count),
            receivedBy(() => person.overStream(document, variables), count),
          ]);
          for (const results of both) {
            expect(results.map(({ errors }) => errors ?? null)).toEqual(ofKey.map(() => null));
            expect(foundMarkers(planted, results), person.role).toEqual([]);
          }
        }
      }
    },
    120_000,
  );

  it('and the events that a key receives do', () => {
    expect([...shown]).toEqual(
      expect.arrayContaining(['gwendolyn', 'planted-domain', '5557643', '90.54.117']),
    );
  });
});

/** Number of stored events that a subscription sends. */
async function numberOf(name: string): Promise<number> {
  const { events } = await project.graphql('{ events(first: 100) { edges { node { __typename } } } }');
  const type = getNamedType(schema.getSubscriptionType()!.getFields()[name]!.type);
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  const names = types.map((each) => each.name);
  return events.edges.filter(({ node }: Body) => names.includes(node.__typename)).length;
}

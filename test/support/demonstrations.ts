import type { Body, Gateway, TestProject } from './gateway.ts';

const FIELDS = 'demonstrationData { id demonstrationState progress problem }';
export const CREATE = `mutation { createDemonstrationData { ${FIELDS} } }`;
export const REMOVE = `mutation { removeDemonstrationData { ${FIELDS} } }`;

/** Number of accounts of a set. */
export const DEMONSTRATION_ACCOUNTS = 76;

/** Ends the background work of a project, also that which follows from other work. */
export async function settleAll({ app }: Gateway, { projectId }: TestProject): Promise<void> {
  await app.settleDemonstration(projectId);
  await app.settleEmailChecks(projectId);
  await app.recalculateLinks(projectId);
  await app.settleEvents();
  await app.settleWebhooks();
  await app.settleStats(projectId);
}

/** Fills a project, and waits for it. */
export async function filled(gateway: Gateway, project: TestProject): Promise<void> {
  await project.graphql(CREATE);
  await settleAll(gateway, project);
}

/** Removes the demonstration data of a project, and waits for it. */
export async function cleared(gateway: Gateway, project: TestProject): Promise<void> {
  await project.graphql(REMOVE);
  await settleAll(gateway, project);
}

/** State of the demonstration data of a project; null without any. */
export async function stateOfDemonstration(project: TestProject): Promise<Body> {
  return (await project.graphql(`{ ${FIELDS} }`)).demonstrationData;
}

/** Number of accounts of a project. */
export async function countAccounts(project: TestProject): Promise<number> {
  return (await project.graphql('{ accounts(first: 1) { totalCount { value } } }')).accounts.totalCount.value;
}

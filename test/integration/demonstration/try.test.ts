import { test } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
test('try', async () => {
  const gateway = await startGateway({ worksInBackground: false });
  const project = await gateway.project();
  const t = Date.now();
  await project.graphql('mutation { createDemonstrationData { demonstrationData { demonstrationState progress } } }');
  await gateway.app.settleDemonstration(project.projectId);
  console.log('fill ms', Date.now() - t, JSON.stringify(await project.graphql('{ demonstrationData { demonstrationState progress problem actor filledAt } }')));
  await gateway.app.settleEmailChecks(project.projectId);
  await gateway.app.recalculateLinks(project.projectId);
  const { accounts } = await project.graphql(`{ accounts(first: 100) { edges { node { accountId country decision accountScore riskSignalScore multipleAccounts numSessions lists { name } outcomeLabel linkedAccounts(first: 20) { edges { score matchTypes node { accountId } } } } } } }`);
  for (const { node } of accounts.edges) console.log([node.accountId, node.country, node.decision, node.accountScore, node.riskSignalScore, node.multipleAccounts, node.numSessions, node.lists.map((l: any) => l.name).join('|'), node.outcomeLabel, node.linkedAccounts.edges.map((e: any) => `${e.node.accountId.slice(5, 15)}:${e.score}:${e.matchTypes}`).join(' ')].join('\t'));
  console.log(JSON.stringify(await project.graphql(`{ rules(first: 10) { edges { node { name ruleState } } } verifications(first: 20) { edges { node { state accountId } } } }`)));
  const t2 = Date.now();
  await project.graphql('mutation { removeDemonstrationData { demonstrationData { demonstrationState progress } } }');
  await gateway.app.settleDemonstration(project.projectId);
  console.log('clear ms', Date.now() - t2, JSON.stringify(await project.graphql('{ demonstrationData { demonstrationState progress problem } accounts(first: 3) { edges { node { accountId } } } }')));
}, 120000);

import { newId } from '@vouchgraph/platform/ids';
import { findListName, findRuleState } from './demonstration-store.ts';
import { demonstrationListExists } from './errors.ts';
import { DEMONSTRATION_GROUP, demonstrationPlan } from './plan/demonstration-plan.ts';
import { factsOf, userAgentOf } from './plan/devices.ts';
import type {
  DemonstrationPlan,
  PlannedAccount,
  PlannedMembership,
  PlannedRule,
  PlannedVerification,
  PlannedVisit,
} from './plan/plan.ts';
import type { SetIds } from './set-ids.ts';
import { orNotFound, type Step, type StepContext, step, unlessError } from './step.ts';

const HOUR_MS = 3_600_000;

/** A name of no host (RFC 2606): deliveries fail, and leave the machine nowhere. */
const ENDPOINT_URL = 'https://demo.invalid/webhooks';

const labelled = (purpose: string) => `Demonstration data: ${purpose}.`;

/** Steps of a filling, in their order. Each calls a service as a request of an operator does. */
export function fillSteps(plan: DemonstrationPlan = demonstrationPlan()): Step[] {
  const accounts = new Map(plan.accounts.map((account) => [account.key, account]));
  return [
    ...plan.lists.map((list) => step((context) => createList(context, list))),
    ...plan.rules.map((rule) => step((context) => createRule(context, rule))),
    step(createEndpoint),
    ...plan.visits.map((visit, index) =>
      step((context) => visitAs(context, accounts.get(visit.account)!, visit, index)),
    ),
    ...plan.emailChecks.map((key) => step((context) => checkEmail(context, accounts.get(key)!))),
    ...plan.memberships.map((membership) => step((context) => addMembers(context, membership))),
    ...plan.outcomes.map((reported) => step((context) => report(context, reported))),
    ...plan.verifications.map((check) => {
      const visit = plan.visits.findLast(({ account }) => account === check.account)!;
      return step((context) => verify(context, check, visit));
    }),
    ...plan.verifications.map(
      (check): Step =>
        (context) =>
          endVerification(context, check),
    ),
  ];
}

async function createList(
  { services, viewer, ids }: StepContext,
  { key, name, purpose, effect }: DemonstrationPlan['lists'][number],
): Promise<void> {
  const listId = ids.lists[key]!;
  if ((await findListName(viewer.project.database, listId)) !== null) return;
  const fields = { name, description: labelled(purpose), effect };
  const created = await unlessError(
    services.lists.create(viewer, newId(), fields, listId),
    ({ code }) => code === 'list.already_exists',
  );
  if (!created) throw demonstrationListExists(name);
}

async function createRule(
  { services, viewer, ids }: StepContext,
  { key, purpose, ...rule }: PlannedRule,
): Promise<void> {
  const ruleId = ids.rules[key]!;
  if ((await findRuleState(viewer.project.database, ruleId)) !== null) return;
  await services.rules.create(viewer, newId(), { ...rule, description: labelled(purpose) }, ruleId);
}

/** An endpoint of matches of rules, whose receiver does not exist. */
async function createEndpoint({ services, viewer, ids }: StepContext): Promise<void> {
  if (await services.webhooks.find(viewer, ids.endpoint)) return;
  const input = {
    url: ENDPOINT_URL,
    eventTypes: ['rule.triggered'],
    description: labelled('receiver that does not exist'),
  };
  await services.webhooks.create(viewer, newId(), input, ids.endpoint);
}

async function visitAs(
  { services, viewer, ids, createdAt }: StepContext,
  account: PlannedAccount,
  { hoursAgo, ip, device, browser, isSameBrowser, place }: PlannedVisit,
  index: number,
): Promise<void> {
  const { session } = ids.visits[index]!;
  if (!(await orNotFound(services.sessions.get(viewer, session)))) {
    const facts = factsOf(browser, place.timezone, place.language);
    const deviceId = `demo-${device}-${ids.suffix}`;
    const simulated = {
      ipAddress: ip,
      deviceId,
      ...(isSameBrowser ? { browserId: deviceId } : {}),
      startTime: new Date(createdAt.getTime() - hoursAgo * HOUR_MS),
    };
    await services.sessions.simulate(viewer, newId(), facts, simulated, session);
  }
  await services.accounts.authenticate(viewer, newId(), fieldsOf(account, ids), session);
}

/** Checks the address of an account. The erasure of the account erases the check, because it has the same mailbox. */
async function checkEmail(
  { services: { emailChecks }, viewer, ids }: StepContext,
  { key, mailbox }: PlannedAccount,
): Promise<void> {
  const checkId = ids.emailChecks[key]!;
  if (await emailChecks.find(viewer, checkId)) return;
  const email = addressOf(mailbox!, ids);
  await emailChecks.add(viewer, { checkId, requestId: newId() }, { email });
}

const addressOf = (mailbox: string, { suffix }: SetIds) => `${mailbox}.${suffix}@example.com`;

function fieldsOf({ key, mailbox, story, ...fields }: PlannedAccount, ids: SetIds) {
  return {
    ...fields,
    id: ids.accounts[key]!,
    ...(mailbox === null ? {} : { email: addressOf(mailbox, ids) }),
    group: DEMONSTRATION_GROUP,
    metadata: { demonstration: true, story },
  };
}

async function addMembers(
  { services: { lists }, viewer, ids }: StepContext,
  { list, accounts, reason }: PlannedMembership,
): Promise<void> {
  const accountIds = accounts.map((key) => ids.accounts[key]!);
  if (list !== 'block') {
    await lists.addAccounts(viewer, newId(), { list, accountIds, reason });
    return;
  }
  for (const accountId of accountIds)
    await lists.putOnStandardList(viewer, newId(), list, { accountId, reason });
}

async function report(
  { services, viewer, ids, createdAt }: StepContext,
  { account, outcome, hoursAgo }: DemonstrationPlan['outcomes'][number],
): Promise<void> {
  const at = new Date(createdAt.getTime() - hoursAgo * HOUR_MS);
  const accountId = ids.accounts[account]!;
  await services.outcomes.report(viewer, newId(), { accountId, outcome, at, note: 'Demonstration data' });
}

/** Creates a simulated verification and opens its page, from the network of a visit of the account. */
async function verify(
  { services: { captures, verifications }, viewer, ids }: StepContext,
  { key, account, kind, decision, riskFlags }: PlannedVerification,
  { ip, browser, place: { language } }: PlannedVisit,
): Promise<void> {
  const sessionId = ids.verifications[key]!;
  if (!(await orNotFound(captures.getFor(viewer, sessionId)))) {
    const simulated = { simulateDecision: decision, simulateRiskFlags: [...riskFlags] };
    const input = { kind, accountId: ids.accounts[account]!, simulate: 'success' as const, ...simulated };
    await verifications.create(viewer, newId(), input, sessionId);
  }
  const headers = { 'user-agent': userAgentOf(browser), 'accept-language': language };
  const connection = { ip, headers, edge: {}, browserId: '' };
  await captures.show(await captures.getFor(viewer, sessionId), connection, false);
}

/** Waits for the end of a verification, and reviews it if the plan says so. */
async function endVerification(
  { services: { captures, verifications }, viewer, ids }: StepContext,
  { key, review }: PlannedVerification,
): Promise<'done' | 'wait'> {
  const sessionId = ids.verifications[key]!;
  const { row } = await captures.getFor(viewer, sessionId);
  if (row.state === 'processing') return 'wait';
  if (row.state === 'completed' && review) {
    const decided = { sessionId, decision: review, reason: 'Demonstration data', replaces: true };
    await verifications.review(viewer, newId(), decided);
  }
  return 'done';
}

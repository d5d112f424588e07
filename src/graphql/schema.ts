import './scalars.ts';
import './account.ts';
import './account-mutations.ts';
import './account-search.ts';
import './audit.ts';
import './backtest.ts';
import './decision.ts';
import './event.ts';
import './identity-group.ts';
import './link.ts';
import './link-graph.ts';
import './list.ts';
import './list-members.ts';
import './list-mutations.ts';
import './project.ts';
import './project-mutations.ts';
import './rule.ts';
import './rule-mutations.ts';
import './rule-trial.ts';
import './session.ts';
import './session-mutations.ts';
import './subscription.ts';
import './webhook.ts';
import './webhook-mutations.ts';
import { builder } from './builder.ts';

/** The schema of the service; `schema.graphql` is its printed form. */
export const schema = builder.toSchema();

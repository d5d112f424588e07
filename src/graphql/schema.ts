import './scalars.ts';
import './account.ts';
import './account-mutations.ts';
import './account-search.ts';
import './identity-group.ts';
import './link.ts';
import './link-graph.ts';
import './list.ts';
import './project.ts';
import './session.ts';
import './session-mutations.ts';
import { builder } from './builder.ts';

/** The schema of the service; `schema.graphql` is its printed form. */
export const schema = builder.toSchema();

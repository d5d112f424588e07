import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import {
  type ASTVisitor,
  type DocumentNode,
  type GraphQLError,
  NoSchemaIntrospectionCustomRule,
} from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { hasRole, type Viewer } from '../domain/projects/access-service.ts';
import type { Logger } from '../platform/logger.ts';
import type { GraphQLContext } from './context.ts';
import { presentError } from './errors.ts';
import { exampleQueries } from './example-queries.ts';
import { schema } from './schema.ts';

/*
 * Two ways of looking at a document before it runs. `open` is for sandbox projects, operators and projects that
 * chose so: introspection, suggestions and GET. `closed` is for the rest. Limits hold in both.
 */
export type ProfileName = 'open' | 'closed';

export function profileOf(viewer: Viewer): ProfileName {
  const { environment, settings } = viewer.project;
  return environment === 'sandbox' || settings.introspection || hasRole(viewer, 'operator')
    ? 'open'
    : 'closed';
}

type ServerContext = { graphqlContext: GraphQLContext };
export type Yoga = YogaServerInstance<ServerContext, GraphQLContext>;
export type CheckedDocument = { document: DocumentNode } | { errors: readonly GraphQLError[] };

export type GraphQLProfile = {
  readonly yoga: Yoga;
  /** Parses and validates a document; what was seen before is remembered. */
  check(source: string, context: GraphQLContext): CheckedDocument;
};

const REMEMBERED_DOCUMENTS = 1000;
const REMEMBERED_LENGTH = 20_000;

export function createProfiles(log: Logger): Record<ProfileName, GraphQLProfile> {
  return { open: createProfile('open', log), closed: createProfile('closed', log) };
}

function createProfile(name: ProfileName, log: Logger): GraphQLProfile {
  const yoga: Yoga = createYoga<ServerContext, GraphQLContext>({
    schema,
    context: ({ graphqlContext }) => graphqlContext,
    plugins: [...limits(name), ...(name === 'closed' ? [withoutIntrospection()] : [])] as Plugin[],
    graphiql: { title: 'Vouchgraph', defaultQuery: exampleQueries, shouldPersistHeaders: true },
    renderGraphiQL,
    landingPage: false,
    batching: false,
    multipart: false,
    logging: false,
    maskedErrors: {
      maskError: (error) => presentError(error, log, ''),
    },
  }) as Yoga;

  const remembered = new LRUCache<string, CheckedDocument>({ max: REMEMBERED_DOCUMENTS });
  return {
    yoga,
    check(source, context) {
      let checked = remembered.get(source);
      if (!checked) {
        checked = checkDocument(yoga, source, context, log);
        if (source.length <= REMEMBERED_LENGTH) remembered.set(source, checked);
      }
      return checked;
    },
  };
}

/** Armor throws from parse and validate instead of returning, so both are caught alike. */
function checkDocument(yoga: Yoga, source: string, context: GraphQLContext, log: Logger): CheckedDocument {
  try {
    const { parse, validate } = yoga.getEnveloped({ graphqlContext: context });
    const document: DocumentNode = parse(source);
    const errors: readonly GraphQLError[] = validate(schema, document);
    if (errors.length === 0) return { document };
    return { errors: errors.map((error) => presentError(error, log, context.requestId)) };
  } catch (error) {
    return { errors: [presentError(error, log, context.requestId)] };
  }
}

function limits(name: ProfileName) {
  const { plugins } = new EnvelopArmor({
    maxAliases: { n: 15, allowList: [] },
    maxDirectives: { n: 5 },
    maxTokens: { n: 1000 },
    maxDepth: { n: 14, ignoreIntrospection: true },
    blockFieldSuggestion: { enabled: name === 'closed' },
    // The complexity plugin of the schema knows page sizes; armor's cost does not.
    costLimit: { enabled: false },
  }).protect();
  return plugins;
}

function withoutIntrospection(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(NoSchemaIntrospectionCustomRule as (context: never) => ASTVisitor);
    },
  };
}

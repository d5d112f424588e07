import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { isBeyondNumeric } from '@vouchgraph/platform/exact-json';
import type { Logger } from '@vouchgraph/platform/logger';
import { hasForbiddenCharacters } from '@vouchgraph/platform/text';
import { FORBIDDEN_NUMBER, FORBIDDEN_TEXT } from '@vouchgraph/platform/unstorable';
import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionResult,
  type FloatValueNode,
  GraphQLError,
  type GraphQLSchema,
  type IntValueNode,
  NoSchemaIntrospectionCustomRule,
  type ValidationRule,
  type ValueNode,
  validate,
} from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { hasRole, type Viewer } from '../../domain/projects/access-service.ts';
import type { GraphQLContext } from '../../graphql/kernel/context.ts';
import { schema } from '../../graphql/schema.ts';
import { hasValue, presentError, retryHeaders } from './errors.ts';
import { boundedPath, pathOfValue } from './input-path.ts';
import { PLAIN_FETCH } from './plain-fetch.ts';
import { subscriptionRootRule } from './subscription-root-rule.ts';

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

/** Parameters of a request, undefined for a body that is not JSON, and what executes them. */
type ServerContext = { parameters: unknown; run: () => Promise<ExecutionResult> };
export type Yoga = YogaServerInstance<ServerContext, object>;
export type CheckedDocument = { document: DocumentNode } | { errors: readonly GraphQLError[] };

export type GraphQLProfile = {
  readonly yoga: Yoga;
  /** Parses and validates a document, with a cache. */
  check(source: string, context: GraphQLContext): CheckedDocument;
  /** The same without remembering it. */
  validate(source: string): CheckedDocument;
};

const REMEMBERED_DOCUMENTS = 1000;
const REMEMBERED_LENGTH = 20_000;

export function createProfiles(log: Logger): Record<ProfileName, GraphQLProfile> {
  return { open: createProfile('open', log), closed: createProfile('closed', log) };
}

function createProfile(name: ProfileName, log: Logger): GraphQLProfile {
  const yoga: Yoga = createYoga<ServerContext>({
    schema,
    plugins: [
      ...limits(),
      withStorableLiterals(),
      withSubscriptionRoots(),
      ...(name === 'closed' ? [withoutHints()] : []),
      withExecution(),
      withStatus(),
    ] as Plugin[],
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    logging: false,
    fetchAPI: PLAIN_FETCH,
    cors: false,
    maxRequestBodySize: false,
    // Documents are remembered with their errors in public form, for WebSockets too.
    parserAndValidationCache: false,
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
        checked = checkDocument(yoga, source, log, context);
        if (source.length <= REMEMBERED_LENGTH) remembered.set(source, checked);
      }
      return checked;
    },
    validate: (source) => checkDocument(yoga, source, log),
  };
}

/** Armor throws from parse and validate instead of returning, so both are caught alike. */
function checkDocument(yoga: Yoga, source: string, log: Logger, context?: GraphQLContext): CheckedDocument {
  const requestId = context?.requestId ?? '';
  try {
    const enveloped = yoga.getEnveloped();
    const document: DocumentNode = enveloped.parse(source);
    const errors: readonly GraphQLError[] = enveloped.validate(schema, document);
    if (errors.length === 0) return { document };
    return { errors: errors.map((error) => withoutHttp(presentError(error, log, requestId, document))) };
  } catch (error) {
    return { errors: [withoutHttp(presentError(error, log, requestId))] };
  }
}

/** Without the status that Yoga adds, which depends on the document alone: see `withStatus`. */
function withoutHttp(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  return withExtensions(error, extensions);
}

function withExtensions(error: GraphQLError, extensions: Record<string, unknown>): GraphQLError {
  const { message, nodes, source, positions, path } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}

/**
 * Passes the parameters to Yoga, and executes them by the function of WebSockets and REST: the handler of Yoga would parse,
 * validate and execute once more, with caches of its own. Yoga parses and rejects bodies that are not JSON objects.
 */
function withExecution(): Plugin<object, ServerContext> {
  return {
    onRequestParse({ serverContext: { parameters }, setRequestParser }) {
      if (typeof parameters === 'object' && parameters !== null) setRequestParser(() => parameters);
    },
    onParams({ context, setParamsHandler }) {
      setParamsHandler((context as unknown as ServerContext).run);
    },
  };
}

/**
 * Sets the status of a result without any value. A failure of the service always decides it, so that such responses are
 * retried, and not stored under an Idempotency-Key. A request error does in the newer media type (`spec`); older clients
 * expect 200 for every well-formed request. Yoga reads the status from `extensions.http`.
 */
function withStatus(): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (Array.isArray(result) || !('errors' in result) || !result.errors || hasValue(result)) return;
      const errors = result.errors as readonly GraphQLError[];
      const failure = errors.find(({ extensions }) => FAILURES.has(extensions.status));
      const decisive = failure ?? (result.data === undefined ? errors[0] : undefined);
      if (!decisive || decisive.extensions.http) return;
      const { status } = decisive.extensions;
      const http = failure ? { status, headers: retryHeaders(failure.extensions) } : { status, spec: true };
      const shown = withExtensions(decisive, { ...decisive.extensions, http });
      setResult({ ...result, errors: errors.map((error) => (error === decisive ? shown : error)) });
    },
  };
}

const FAILURES: ReadonlySet<unknown> = new Set([429, 500, 503]);

function limits() {
  const { plugins } = new EnvelopArmor({
    maxAliases: { n: 15, allowList: [] },
    maxDirectives: { n: 5 },
    maxTokens: { n: 1000 },
    maxDepth: { n: 14, ignoreIntrospection: true },
    // The engine hides them itself, in values as well as names: see withoutHints.
    blockFieldSuggestion: { enabled: false },
    // The complexity plugin of the schema knows page sizes; armor's cost does not.
    costLimit: { enabled: false },
  }).protect();
  return plugins;
}

/** Literals of a document that cannot be stored: the check of the body sees neither escapes nor numbers in it. */
function withStorableLiterals(): Plugin {
  const rule: ValidationRule = (context) => {
    const refuse = (nodes: ValueNode, problem: string) => {
      const inputPath = pathOfValue(new GraphQLError(problem, { nodes }), context.getDocument());
      const message = `${inputPath ? boundedPath(inputPath).join('.') : 'Value'}: ${problem}`;
      const extensions = { code: 'input.invalid', kind: 'invalid_input', status: 400, inputPath };
      context.reportError(new GraphQLError(message, { nodes, extensions }));
    };
    const checkNumber = (node: IntValueNode | FloatValueNode) => {
      if (isBeyondNumeric(node.value)) refuse(node, FORBIDDEN_NUMBER);
    };
    return {
      StringValue(node) {
        if (hasForbiddenCharacters(node.value)) refuse(node, FORBIDDEN_TEXT);
      },
      IntValue: checkNumber,
      FloatValue: checkNumber,
    };
  };
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(rule as (context: never) => ASTVisitor);
    },
  };
}

function withSubscriptionRoots(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(subscriptionRootRule as (context: never) => ASTVisitor);
    },
  };
}

/** Disables introspection, and removes suggested names from validation errors. */
function withoutHints(): Plugin {
  return {
    onValidate({ addValidationRule, setValidationFn }) {
      addValidationRule(NoSchemaIntrospectionCustomRule as (context: never) => ASTVisitor);
      setValidationFn((checked: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
        validate(checked, document, rules, { hideSuggestions: true }),
      );
    },
  };
}

import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { isBeyondNumeric } from '@vouchgraph/platform/exact-json';
import type { Logger } from '@vouchgraph/platform/logger';
import { hasForbiddenCharacters } from '@vouchgraph/platform/text';
import { FORBIDDEN_NUMBER, FORBIDDEN_TEXT } from '@vouchgraph/platform/unstorable';
import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionArgs,
  execute,
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
import { hasValue, presentError, presentResult, retryHeaders } from './errors.ts';
import { exactVariables } from './exact-variables.ts';
import { boundedPath, pathOfValue } from './input-path.ts';
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

/** `parsedBody` is undefined for a request without a body, and for one that is not JSON. */
type ServerContext = { graphqlContext: GraphQLContext; parsedBody: unknown };
export type Yoga = YogaServerInstance<ServerContext, GraphQLContext>;
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
  const yoga: Yoga = createYoga<ServerContext, GraphQLContext>({
    schema,
    context: ({ graphqlContext }) => graphqlContext,
    plugins: [
      ...limits(),
      withStorableLiterals(),
      withSubscriptionRoots(),
      ...(name === 'closed' ? [withoutHints()] : []),
      withParsedBody(),
      presentingErrors(log),
    ] as Plugin[],
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    logging: false,
    // Its cache would hand an error that the fast path met first, without a status, to a request that needs one.
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
    // Neither parsing nor validation uses the context.
    const enveloped = yoga.getEnveloped({ graphqlContext: context!, parsedBody: undefined });
    const document: DocumentNode = enveloped.parse(source);
    const errors: readonly GraphQLError[] = enveloped.validate(schema, document);
    if (errors.length === 0) return { document };
    return { errors: errors.map((error) => withoutHttp(presentError(error, log, requestId, document))) };
  } catch (error) {
    return { errors: [withoutHttp(presentError(error, log, requestId))] };
  }
}

/** What Yoga notes on errors for itself and, on its own way, does not show. */
function withoutHttp(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  return withExtensions(error, extensions);
}

function withExtensions(error: GraphQLError, extensions: Record<string, unknown>): GraphQLError {
  const { message, nodes, source, positions, path } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}

/** Yoga masks thrown errors, but not validation errors, and takes the status from `extensions.http`. */
function presentingErrors(log: Logger): Plugin {
  return {
    onValidate({ params: { documentAST } }) {
      return ({ result, setResult }) => {
        const errors = result as readonly GraphQLError[];
        if (errors.length > 0) setResult(errors.map((error) => presentError(error, log, '', documentAST)));
      };
    },
    onExecute({ args }) {
      const { document, contextValue, variableValues } = args;
      args.variableValues = exactVariables(document, variableValues ?? undefined);
      const { requestId } = contextValue as unknown as GraphQLContext;
      return {
        onExecuteDone({ result, setResult }) {
          if (Symbol.asyncIterator in result || !result.errors) return;
          setResult(presentResult(result, log, requestId, document));
        },
      };
    },
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || !('errors' in result) || !result.errors) return;
      const requestId = (serverContext as unknown as ServerContext).graphqlContext?.requestId ?? '';
      const isPartial = hasValue(result);
      const errors = result.errors.map((error) => {
        const shown = presentError(error, log, requestId);
        return isPartial ? shown : withHttp(shown);
      });
      setResult({ ...result, errors });
    },
  };
}

/** A failure of the service always sets the status; a request error only in the newer media type (`spec`). */
function withHttp(error: GraphQLError): GraphQLError {
  const status = error.extensions.status as number;
  const isOurs = status === 429 || status >= 500;
  if (error.extensions.http || (error.path && !isOurs)) return error;
  const headers = retryHeaders(error.extensions);
  const http = isOurs ? { status, ...(headers ? { headers } : {}) } : { status, spec: true };
  return withExtensions(error, { ...error.extensions, http });
}

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

/** Yoga takes the value of a body that is parsed already. It refuses values other than objects in its own words. */
function withParsedBody(): Plugin {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      const { parsedBody } = serverContext as unknown as ServerContext;
      if (typeof parsedBody === 'object' && parsedBody !== null) setRequestParser(() => parsedBody);
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
    onExecute({ setExecuteFn }) {
      // Yoga's own executor hints in spite of the setting.
      setExecuteFn((args: ExecutionArgs) => execute({ ...args, hideSuggestions: true }));
    },
  };
}

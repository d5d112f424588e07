import { EnvelopArmor } from '@escape.tech/graphql-armor';
import { isBeyondNumeric } from '@vouchgraph/platform/exact-json';
import type { Logger } from '@vouchgraph/platform/logger';
import { hasForbiddenCharacters } from '@vouchgraph/platform/text';
import { FORBIDDEN_NUMBER, FORBIDDEN_TEXT } from '@vouchgraph/platform/unstorable';
import {
  type ASTVisitor,
  type DocumentNode,
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
import { presentError } from './errors.ts';
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

type Yoga = YogaServerInstance<object, object>;
export type CheckedDocument = { document: DocumentNode } | { errors: readonly GraphQLError[] };

export type GraphQLProfile = {
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
  // Parses and validates documents with its plugins. Its HTTP handler costs more processor time per request (bench/checkouts.ts).
  const yoga: Yoga = createYoga({
    schema,
    plugins: [
      ...limits(),
      withStorableLiterals(),
      withSubscriptionRoots(),
      ...(name === 'closed' ? [withoutHints()] : []),
    ] as Plugin[],
    logging: false,
    // Documents are remembered with their errors in public form.
    parserAndValidationCache: false,
  });

  const remembered = new LRUCache<string, CheckedDocument>({ max: REMEMBERED_DOCUMENTS });
  return {
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

/** Without the status that Yoga adds for its own handler. */
function withoutHttp(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, path } = error;
  const { http: _, ...extensions } = error.extensions;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
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

import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
  valueFromASTUntyped,
  visit,
} from 'graphql';

/*
 * A fragment with the directive @otherFields answers every scalar field of its type, so that a new field of the type is a
 * field of REST without another edit. The directive exists in the documents of REST only.
 */

const DIRECTIVE = 'otherFields';

/**
 * Replaces `@otherFields(beside: [Fragment], except: [field])` on fragments: appends the scalar fields of the type that
 * neither the fragment nor those in `beside` select, and that `except` does not name. Deprecated fields and fields with
 * required arguments are left out. Throws if `except` names a field that would not be appended, or if the name of a field is
 * the alias of another one.
 */
export function withOtherFields(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  return visit(document, {
    FragmentDefinition(fragment) {
      const directive = fragment.directives?.find(({ name }) => name.value === DIRECTIVE);
      if (!directive) return undefined;
      const type = schema.getType(fragment.typeCondition.name.value);
      if (!isObjectType(type)) throw new Error(`REST: ${fragment.name.value} needs an object type`);
      const argument = (name: string) => namesIn(directive, name);
      const beside = document.definitions.filter(
        (each): each is FragmentDefinitionNode =>
          each.kind === Kind.FRAGMENT_DEFINITION && argument('beside').includes(each.name.value),
      );
      return withFields(fragment, otherFieldsOf(type, [fragment, ...beside], argument('except')));
    },
  });
}

function namesIn(directive: DirectiveNode, argument: string): string[] {
  const found = directive.arguments?.find(({ name }) => name.value === argument);
  return found ? [valueFromASTUntyped(found.value) as string | string[]].flat() : [];
}

function otherFieldsOf(
  type: GraphQLObjectType,
  fragments: readonly FragmentDefinitionNode[],
  except: readonly string[],
): string[] {
  const selected = fragments
    .flatMap(({ selectionSet }) => selectionSet.selections)
    .flatMap((selection) => (selection.kind === Kind.FIELD ? [selection] : []));
  const names = new Set(selected.map(({ name }) => name.value));
  const others = Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)))
    .filter((field) => !field.deprecationReason && !field.args.some(isRequiredArgument))
    .map(({ name }) => name)
    .filter((name) => !names.has(name));
  const needless = except.filter((name) => !others.includes(name));
  if (needless.length > 0)
    throw new Error(`REST: ${type.name} needs no exception for ${needless.join(', ')}`);
  const added = others.filter((name) => !except.includes(name));
  const alias = selected.find((field) => field.alias && added.includes(field.alias.value))?.alias;
  if (alias) throw new Error(`REST: ${alias.value} of ${type.name} is the key of another field`);
  return added;
}

function withFields(fragment: FragmentDefinitionNode, names: readonly string[]): FragmentDefinitionNode {
  const fields = names.map((value) => ({ kind: Kind.FIELD, name: { kind: Kind.NAME, value } }) as const);
  const { selectionSet } = fragment;
  return {
    ...fragment,
    directives: fragment.directives?.filter(({ name }) => name.value !== DIRECTIVE),
    selectionSet: { ...selectionSet, selections: [...selectionSet.selections, ...fields] },
  };
}

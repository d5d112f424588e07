import {
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
 * Replaces `@otherFields(except: [name])` on fragments: appends the scalar fields of the type that no fragment on this type
 * selects and that `except` does not name. Deprecated fields and fields with required arguments are left out. Throws if
 * `except` names anything else.
 */
export function withOtherFields(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  return visit(document, {
    FragmentDefinition(fragment) {
      const directive = fragment.directives?.find(({ name }) => name.value === DIRECTIVE);
      if (!directive) return undefined;
      const type = schema.getType(fragment.typeCondition.name.value);
      if (!isObjectType(type)) throw new Error(`REST: ${fragment.name.value} needs an object type`);
      const except = directive.arguments?.find(({ name }) => name.value === 'except');
      const names = otherFieldsOf(
        type,
        document,
        except ? (valueFromASTUntyped(except.value) as string[]) : [],
      );
      return withFields(fragment, names);
    },
  });
}

function otherFieldsOf(type: GraphQLObjectType, document: DocumentNode, except: readonly string[]): string[] {
  const selected = fieldsSelectedOn(type.name, document);
  const others = Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)))
    .filter((field) => !field.deprecationReason && !field.args.some(isRequiredArgument))
    .map(({ name }) => name)
    .filter((name) => !selected.has(name));
  const needless = except.filter((name) => !others.includes(name));
  if (needless.length > 0)
    throw new Error(`REST: ${type.name} needs no exception for ${needless.join(', ')}`);
  return others.filter((name) => !except.includes(name));
}

function fieldsSelectedOn(typeName: string, { definitions }: DocumentNode): Set<string> {
  const fragments = definitions.filter(
    (definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION && definition.typeCondition.name.value === typeName,
  ) as FragmentDefinitionNode[];
  const selections = fragments.flatMap(({ selectionSet }) => selectionSet.selections);
  return new Set(selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : [])));
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

import { snakeCase } from '@vouchgraph/platform/letter-case';
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/*
 * An object with the directive @otherFields answers every scalar field of its type, so that a new field of the type is a
 * field of REST without another edit. An object with @onlyFields answers the listed fields alone. Every object that lists
 * scalar fields has one of the two. The directives exist in the documents of REST only.
 */

/** A field with a selection, or a fragment. */
type Owner = FieldNode | FragmentDefinitionNode;
type Directive = 'otherFields' | 'onlyFields';

/**
 * Replaces `@otherFields(beside: [Fragment], except: [field], reason: "...")` on fields and fragments: appends the scalar fields
 * of the type that neither the selection nor the fragments in `beside` contain, and that `except` does not name. Deprecated
 * fields and fields with required arguments are left out. Removes `@onlyFields(reason: "...")`. Throws if `except` names a field
 * that would not be appended, if a reason is absent, or if the key of a field is the alias of another one.
 */
export function withOtherFields(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const types = new TypeInfo(schema);
  const replaced = <Node extends Owner>(owner: Node): Node | undefined => {
    const only = directiveOf(owner, 'onlyFields');
    const others = directiveOf(owner, 'otherFields');
    if (only) assertReason(owner, only);
    if (!others) return only ? withFields(owner, []) : undefined;
    const type = getNamedType(types.getType());
    if (!isObjectType(type)) throw new Error(`REST: ${owner.name.value} needs an object type`);
    const except = namesIn(others, 'except');
    if (except.length > 0) assertReason(owner, others);
    const beside = fragmentsOf(document).filter(({ name }) => namesIn(others, 'beside').includes(name.value));
    return withFields(owner, otherFieldsOf(type, [owner, ...beside], except));
  };
  return visit(document, visitWithTypeInfo(types, { Field: replaced, FragmentDefinition: replaced }));
}

/**
 * Throws for an object that lists scalar fields without @otherFields and @onlyFields. Fragments in `beside`, and selections
 * around a fragment with one of the directives, need none.
 */
export function assertDeclaredFields(document: DocumentNode, schema: GraphQLSchema): void {
  const fragments = fragmentsOf(document);
  const beside = new Set(
    fragments.flatMap((fragment) => namesIn(directiveOf(fragment, 'otherFields'), 'beside')),
  );
  const isDeclared = (owner: Owner): boolean =>
    [directiveOf(owner, 'otherFields'), directiveOf(owner, 'onlyFields')].some(Boolean) ||
    (owner.kind === Kind.FRAGMENT_DEFINITION && beside.has(owner.name.value)) ||
    fragments.some((fragment) => isSpreadIn(owner, fragment) && isDeclared(fragment));
  const types = new TypeInfo(schema);
  const check = (owner: Owner): void => {
    const listed = listedFields(owner, getNamedType(types.getType()) as GraphQLObjectType);
    if (listed.length === 0 || isDeclared(owner)) return;
    throw new Error(
      `REST: ${owner.name.value} lists ${listed.join(', ')}: it needs @otherFields, or @onlyFields with a reason`,
    );
  };
  visit(document, visitWithTypeInfo(types, { Field: check, FragmentDefinition: check }));
}

const directiveOf = ({ directives }: Owner, wanted: Directive) =>
  directives?.find(({ name }) => name.value === wanted);

const fragmentsOf = ({ definitions }: DocumentNode) =>
  definitions.filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION);

const fieldsOf = ({ selectionSet }: Owner): FieldNode[] =>
  (selectionSet?.selections ?? []).flatMap((each) => (each.kind === Kind.FIELD ? [each] : []));

const isSpreadIn = ({ selectionSet }: Owner, { name }: FragmentDefinitionNode): boolean =>
  (selectionSet?.selections ?? []).some(
    (each) => each.kind === Kind.FRAGMENT_SPREAD && each.name.value === name.value,
  );

function listedFields(owner: Owner, type: GraphQLObjectType): string[] {
  const names = fieldsOf(owner).map(({ name }) => name.value);
  return names.filter((name) => isLeafType(getNamedType(type.getFields()[name]?.type)));
}

function assertReason(owner: Owner, directive: DirectiveNode): void {
  if (!argumentOf(directive, 'reason'))
    throw new Error(`REST: @${directive.name.value} of ${owner.name.value} needs a reason`);
}

const argumentOf = (directive: DirectiveNode | undefined, argument: string): unknown => {
  const found = directive?.arguments?.find(({ name }) => name.value === argument);
  return found && valueFromASTUntyped(found.value);
};

const namesIn = (directive: DirectiveNode | undefined, argument: string): string[] =>
  [(argumentOf(directive, argument) ?? []) as string | string[]].flat();

function otherFieldsOf(
  type: GraphQLObjectType,
  owners: readonly Owner[],
  except: readonly string[],
): string[] {
  const selected = owners.flatMap(fieldsOf);
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
  const keys = new Set(added.map(snakeCase));
  const alias = selected.find((field) => field.alias && keys.has(snakeCase(field.alias.value)))?.alias;
  if (alias) throw new Error(`REST: ${alias.value} of ${type.name} is the key of another field`);
  return added;
}

function withFields<Node extends Owner>(owner: Node, names: readonly string[]): Node {
  const fields = names.map((value) => ({ kind: Kind.FIELD, name: { kind: Kind.NAME, value } }) as const);
  const { selectionSet } = owner;
  const own: readonly string[] = ['otherFields', 'onlyFields'] satisfies Directive[];
  return {
    ...owner,
    directives: owner.directives?.filter(({ name }) => !own.includes(name.value)),
    selectionSet: { ...selectionSet, selections: [...(selectionSet?.selections ?? []), ...fields] },
  };
}

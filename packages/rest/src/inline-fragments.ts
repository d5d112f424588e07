import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode, visit } from 'graphql';

/**
 * The same document without fragments, so that executing it does not look them up for every object. Ours name the
 * very type that they are used on and stand under no condition; what does not is left as it is.
 */
export function inlineFragments(document: DocumentNode): DocumentNode {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const inlined = (set: SelectionSetNode): SelectionSetNode => ({
    ...set,
    selections: set.selections.flatMap((selection) => {
      const isPlain = selection.kind === Kind.FRAGMENT_SPREAD && !selection.directives?.length;
      return isPlain ? inlined(fragments.get(selection.name.value)!.selectionSet).selections : [selection];
    }),
  });
  return visit(document, {
    FragmentDefinition: () => null,
    SelectionSet: { enter: (set) => inlined(set) },
  });
}

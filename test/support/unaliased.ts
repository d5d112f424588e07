import { type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql';
import type { Body } from './gateway.ts';

/** The document in the form of a client: documents of our own use more aliases than the limit allows. */
export function withoutAliases(document: DocumentNode): DocumentNode {
  return visit(document, { Field: (field) => ({ ...field, alias: undefined }) });
}

/** The data of such a document under the names that the aliases would have given it. */
export function underAliases(document: DocumentNode, data: Body): Body {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet]] : [],
    ) as [string, SelectionSetNode][],
  );
  const renamed = (value: Body, selections: SelectionSetNode | undefined): Body => {
    if (value === null || !selections) return value;
    if (Array.isArray(value)) return value.map((item) => renamed(item, selections));
    const out: Record<string, unknown> = {};
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        Object.assign(out, renamed(value, fragments.get(selection.name.value)));
      } else if (selection.kind === Kind.FIELD && selection.name.value in value) {
        const { alias, name, selectionSet } = selection;
        out[(alias ?? name).value] = renamed(value[name.value], selectionSet);
      }
    }
    return out;
  };
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return renamed(data, (operation as { selectionSet: SelectionSetNode }).selectionSet);
}

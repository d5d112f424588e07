import type { Operation } from './gateway.ts';

type Kind = 'query' | 'mutation' | 'subscription';

/**
 * The operation of a document that is run, and its kind. For a moment after a tab was selected GraphiQL still names the
 * operation of the tab before it, which the document does not have: the first one is run instead.
 */
export function chosenOperation({ query, operationName }: Operation): { kind: Kind; name: string | null } {
  const operations = Array.from(
    withoutTexts(query).matchAll(/\b(query|mutation|subscription)\b\s*(\w*)\s*[({@]/g),
  );
  const chosen = operations.find(([, , name]) => name === operationName) ?? operations[0];
  return { kind: (chosen?.[1] ?? 'query') as Kind, name: chosen?.[2] || null };
}

/** The document without strings and comments, which may contain the words of an operation. */
function withoutTexts(query: string): string {
  return query.replace(/"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n])*"|#.*/g, '""');
}

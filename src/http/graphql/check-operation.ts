import { Kind } from 'graphql';
import type { CheckDocument } from '../../domain/operations/operation.ts';
import type { GraphQLProfile } from './profiles.ts';

/** Checks documents before they are registered: the schema, and the limits of every document. */
export function documentCheck(profile: Pick<GraphQLProfile, 'validate'>): CheckDocument {
  return (text) => {
    const checked = profile.validate(text);
    if ('errors' in checked) {
      const { message, locations } = checked.errors[0]!;
      return { problem: { message, ...locations?.[0] } };
    }
    const operationNames = checked.document.definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.name ? [definition.name.value] : [],
    );
    return { operationNames };
  };
}

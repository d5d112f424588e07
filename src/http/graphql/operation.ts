import { getOperationAST } from 'graphql';
import type { GraphQLContext } from '../../graphql/kernel/context.ts';
import { isIdempotent } from './idempotent-mutations.ts';
import type { GraphQLParameters } from './parameters.ts';
import type { CheckedDocument, GraphQLProfile } from './profiles.ts';

/** Operation of a request. Its document is parsed and validated once, on first use. */
export class Operation {
  readonly parameters: GraphQLParameters;
  readonly context: GraphQLContext;
  readonly #profile: GraphQLProfile;
  #checked: CheckedDocument | null = null;

  constructor(profile: GraphQLProfile, parameters: GraphQLParameters, context: GraphQLContext) {
    this.#profile = profile;
    this.parameters = parameters;
    this.context = context;
  }

  check(): CheckedDocument {
    this.#checked ??= this.#profile.check(this.parameters.query, this.context);
    return this.#checked;
  }

  /** Query, mutation or subscription; null for a document that is refused or that lacks the operation. */
  kind(): string | null {
    return this.#definition()?.operation ?? null;
  }

  /** Whether a mutation may run again when it is not known whether its answer was stored. */
  isIdempotent(): boolean {
    const definition = this.#definition();
    return definition !== null && isIdempotent(definition);
  }

  #definition() {
    const checked = this.check();
    return 'errors' in checked
      ? null
      : (getOperationAST(checked.document, this.parameters.operationName) ?? null);
  }
}

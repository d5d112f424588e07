import DataLoader from 'dataloader';
import type { Verification, VerificationView } from '../domain/verification/result/verification.ts';
import type { GraphQLContext } from './context.ts';

type ViewLoader = DataLoader<Verification, VerificationView | null>;

/** A verification with its view, which is read once for all fields that show it. */
export class ShownVerification {
  readonly verification: Verification;
  readonly #views: ViewLoader;
  #view: Promise<VerificationView | null> | undefined;

  constructor(verification: Verification, views: ViewLoader) {
    this.verification = verification;
    this.#views = views;
  }

  /** Whether the view is read already, and costs nothing more. */
  get isViewed(): boolean {
    return this.#view !== undefined;
  }

  /** Null unless there is a result that can be read. */
  view(): Promise<VerificationView | null> {
    this.#view ??= this.#views.load(this.verification);
    return this.#view;
  }
}

/** One loader for each request: the views of all verifications on one level of a query are read together. */
const loaders = new WeakMap<GraphQLContext, ViewLoader>();

function viewsOf(context: GraphQLContext): ViewLoader {
  const known = loaders.get(context);
  if (known) return known;
  const { verifications } = context.services;
  const loader: ViewLoader = new DataLoader(
    (found) => verifications.viewsIfComplete(context.viewer.project, found),
    { cache: false },
  );
  loaders.set(context, loader);
  return loader;
}

/** A verification as it is answered. */
export function shownVerification(verification: Verification, context: GraphQLContext): ShownVerification {
  return new ShownVerification(verification, viewsOf(context));
}

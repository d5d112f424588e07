import type { Verification, VerificationView } from '../domain/verification/result/verification.ts';
import type { GraphQLContext } from './context.ts';

/** A verification with its view, which is made once for all fields that read it. */
export class ShownVerification {
  readonly verification: Verification;
  /** Whether its view was given, and costs nothing to look at. */
  readonly isViewed: boolean;
  readonly #make: () => Promise<VerificationView | null>;
  #view: Promise<VerificationView | null> | undefined;

  constructor(verification: Verification, make: () => Promise<VerificationView | null>, isViewed = false) {
    this.verification = verification;
    this.isViewed = isViewed;
    this.#make = make;
  }

  view(): Promise<VerificationView | null> {
    this.#view ??= this.#make();
    return this.#view;
  }
}

/** A verification as it is answered; `view` where it was made already. */
export function shownVerification(
  verification: Verification,
  { services }: GraphQLContext,
  view?: VerificationView,
): ShownVerification {
  return new ShownVerification(
    verification,
    async () => view ?? services.verifications.viewIfComplete(verification),
    view !== undefined,
  );
}

/** A page of verifications, whose views are made together when the first is asked for. */
export function shownPage(found: readonly Verification[], context: GraphQLContext): ShownVerification[] {
  let views: Promise<(VerificationView | null)[]> | undefined;
  return found.map(
    (verification, index) =>
      new ShownVerification(verification, async () => {
        views ??= context.services.verifications.viewsIfComplete(context.viewer.project, found);
        return (await views)[index] ?? null;
      }),
  );
}

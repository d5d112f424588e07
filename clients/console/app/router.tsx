import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import type { InvitationSecret } from '../auth/invitation-secret.ts';
import { type ProviderFailure, providerFailure } from '../auth/provider-failure.ts';
import { returnPath } from '../auth/return-path.ts';
import type { SessionState } from '../auth/session-state.ts';
import { NotFoundPage, PagePending, PageProblem } from './fallback-pages.tsx';
import { Root } from './root.tsx';

/** What every route can use. */
export type RouteContext = { session: SessionState; invitationSecret: InvitationSecret };

export type SignInSearch = {
  /** Path to return to. */
  back?: string;
  /** Why the page is shown. */
  reason?: 'ended' | 'signed-out';
  /** Set by the gateway when the sign-in with a provider failed. */
  error?: ProviderFailure;
};

const rootRoute = createRootRouteWithContext<RouteContext>()({ component: Root });

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({ back, reason, error }: Record<string, unknown>): SignInSearch => ({
    ...(typeof back === 'string' ? { back } : {}),
    ...(reason === 'ended' || reason === 'signed-out' ? { reason } : {}),
    ...(error === undefined ? {} : { error: providerFailure(error) }),
  }),
  beforeLoad: async ({ context, search }) => {
    // The gateway rejected the session: returning would repeat this.
    if (search.reason === 'ended') return;
    // A session that cannot be read does not keep the person from the form.
    const current = await context.session.current().catch(() => null);
    if (current) throw redirect({ href: returnPath(search.back), reloadDocument: false });
  },
  component: lazyRouteComponent(() => import('../sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../invitation/invitation-page.tsx'), 'InvitationPage'),
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Routes of a signed-in person. The address names the project, so that a link opens the same one for a colleague. */
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  validateSearch: ({ project }: Record<string, unknown>): { project?: string } =>
    typeof project === 'string' && UUID.test(project) ? { project } : {},
  search: { middlewares: [retainSearchParams(['project'])] },
  beforeLoad: async ({ context, location }) => {
    const current = await context.session.current();
    if (!current) throw redirect({ to: '/sign-in', search: signInSearch(location.publicHref) });
    return { signedIn: current };
  },
  component: lazyRouteComponent(() => import('./signed-in-layout.tsx'), 'SignedInLayout'),
});

const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../home/home-page.tsx'), 'HomePage'),
});

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  validateSearch: ({ error }: Record<string, unknown>): { error?: ProviderFailure } =>
    error === undefined ? {} : { error: providerFailure(error) },
  component: lazyRouteComponent(() => import('../account/account-page.tsx'), 'AccountPage'),
});

const peopleRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('../people/people-page.tsx'), 'PeoplePage'),
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  invitationRoute,
  signedInRoute.addChildren([homeRoute, peopleRoute, accountRoute]),
]);

/** The routes of the console, below /console. */
export function createConsoleRouter(context: RouteContext) {
  return createRouter({
    routeTree,
    basepath: '/console',
    context,
    defaultErrorComponent: PageProblem,
    defaultNotFoundComponent: NotFoundPage,
    defaultPendingComponent: PagePending,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}

/** The first page needs no `back`. */
function signInSearch(path: string): SignInSearch {
  return returnPath(path) === returnPath(undefined) ? {} : { back: path };
}

import { Window } from 'happy-dom';
import { createElement, Suspense } from 'react';
import { RelayEnvironmentProvider, useLazyLoadQuery, usePaginationFragment } from 'react-relay';
import { expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import accountQuery, {
  type DocumentsAccountQuery,
} from '../generated/relay/DocumentsAccountQuery.graphql.ts';
import linksFragment, {
  type DocumentsLinks_account$key,
} from '../generated/relay/DocumentsLinks_account.graphql.ts';
import type { DocumentsLinksPageQuery } from '../generated/relay/DocumentsLinksPageQuery.graphql.ts';
import { authenticateLinked, collectWarnings } from '../support/sandbox.ts';
import { makeEnvironment } from './environment.ts';

const PAGE = 2;

function Links({ account }: { account: DocumentsLinks_account$key }) {
  const { data, hasNext, isLoadingNext, loadNext, refetch } = usePaginationFragment<
    DocumentsLinksPageQuery,
    DocumentsLinks_account$key
  >(linksFragment, account);
  const nodes = data.linkedAccounts.edges.map(({ node }) => node!);
  return createElement(
    'main',
    null,
    nodes.map(({ id, accountId }) => createElement('li', { key: id }, accountId)),
    createElement(
      'button',
      { type: 'button', disabled: !hasNext || isLoadingNext, onClick: () => loadNext(PAGE) },
      'More',
    ),
    createElement('a', { onClick: () => refetch({ first: 3 }) }, 'First three'),
  );
}

function Account({ accountId }: { accountId: string }) {
  const { account } = useLazyLoadQuery<DocumentsAccountQuery>(accountQuery, { accountId, first: PAGE });
  return account ? createElement(Links, { account }) : 'Unknown account';
}

/** A page as created by an application, without a browser: React uses the document of happy-dom. */
async function render(accountId: string) {
  const window = new Window();
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', window.document);
  onTestFinished(() => void vi.unstubAllGlobals());
  // React reads the document when it is loaded.
  const { createRoot } = await import('react-dom/client');
  const { environment, dispose } = makeEnvironment();
  const container = window.document.createElement('div');
  window.document.body.append(container);
  const root = createRoot(container as never);
  onTestFinished(async () => {
    root.unmount();
    dispose();
    await window.happyDOM.close();
  });
  const page = createElement(Suspense, { fallback: 'Loading' }, createElement(Account, { accountId }));
  root.render(createElement(RelayEnvironmentProvider, { environment } as never, page));
  return container;
}

it('usePaginationFragment loads the next pages of linked accounts, and refetches them', async () => {
  const warnings = collectWarnings();
  const [accountId, ...linked] = await authenticateLinked(6);
  const page = await render(accountId!);
  const names = () => [...page.querySelectorAll('li')].map(({ textContent }) => textContent);
  const shows = (count: number) =>
    until(`${count} linked accounts`, async () => names().length === count, 10_000);
  const more = () => page.querySelector('button')!;

  await shows(2);
  more().click();
  await shows(4);
  expect(more().disabled).toBe(false);
  more().click();
  await shows(5);
  expect(more().disabled).toBe(true);
  const all = names();
  expect([...all].sort()).toEqual(linked.sort());

  page.querySelector('a')!.click();
  await shows(3);
  expect(names()).toEqual(all.slice(0, 3));
  expect(warnings).toEqual([]);
});

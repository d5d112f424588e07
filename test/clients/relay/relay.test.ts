import { requestSubscription } from 'relay-runtime';
import { expect, inject, it, onTestFinished } from 'vitest';
import accountQuery from '../generated/relay/DocumentsAccountQuery.graphql.ts';
import eventsSubscription, {
  type DocumentsEventsSubscription,
} from '../generated/relay/DocumentsEventsSubscription.graphql.ts';
import { authenticate, collectWarnings, execute, unique } from '../support/sandbox.ts';
import { load, makeEnvironment } from './environment.ts';

it('relay-compiler compiles every document without a warning', () => {
  const output = inject('relayCompilerOutput');
  expect(output).toMatch(/compiled documents: \d+ reader/);
  expect(output.split('\n').filter((line) => line && !line.includes('[INFO]'))).toEqual([]);
});

it('keeps the record of an account when an old event is replayed', async () => {
  const warnings = collectWarnings();
  const accountId = unique('replay');
  const { events } = await execute<{ events: { headCursor: string } }>('{ events(first: 1) { headCursor } }');
  const email = (name: string) => `${name}@${accountId}.com`;
  await authenticate({ id: accountId, username: 'before', email: email('before') });
  await execute('mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { requestId } }', {
    input: { accountId, username: 'after', email: email('after') },
  });
  const { environment, dispose } = makeEnvironment();
  onTestFinished(dispose);
  const { account } = await load(environment, accountQuery, { accountId });
  const { id } = account as { id: string };
  const recorded = () => {
    const source = environment.getStore().getSource();
    return [id, `client:${id}:emailFacts`].map((key) => source.get(key));
  };
  const before = recorded();
  expect(before).toMatchObject([{ username: 'after' }, { email: email('after') }]);

  const event = await new Promise<DocumentsEventsSubscription['response']['events']>((resolve, reject) => {
    const subscription = requestSubscription<DocumentsEventsSubscription>(environment, {
      subscription: eventsSubscription,
      variables: { accountId, after: events.headCursor },
      onNext: (response) => resolve(response!.events),
      onError: reject,
    });
    onTestFinished(() => subscription.dispose());
  });
  expect(event).toMatchObject({
    account: { username: 'after', emailFacts: { email: email('after') } },
    accountSnapshot: { username: 'before', emailFacts: { email: email('before') } },
  });
  expect(recorded()).toEqual(before);
  expect(warnings).toEqual([]);
});

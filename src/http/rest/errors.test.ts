import {
  AppError,
  type ErrorKind,
  invalidInput,
  STATUS_OF_KIND,
  unavailable,
} from '@vouchgraph/platform/errors';
import { HttpError } from '@vouchgraph/platform/http';
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { livenessErrorOf, presentRouteError } from './errors.ts';

const LIVENESS = '/liveness/verify-id';
const present = (path: string, error: AppError | GraphQLError) => {
  const { status, body, headers } = presentRouteError(path, error, 'id of the request');
  return { status, body: JSON.parse(String(body)), headers };
};
const envelope = (error: string, message: string) => ({
  status: 400,
  body: { request_id: 'id of the request', success: false, error, message },
});
const ofSchema = (code: string, kind: ErrorKind, message: string, inputPath?: string[]) =>
  new GraphQLError(message, { extensions: { code, kind, inputPath } });

describe('an error word of the liveness family', () => {
  it.each([
    ['verification.session_not_found', 'session_not_found'],
    ['verification.redirect_not_allowed', 'redirect_not_allowed'],
    ['account.not_found', 'account_not_found'],
    ['session.not_found', 'session_not_found'],
    ['input.invalid', 'invalid_request'],
    ['verification.of_another_version', 'invalid_request'],
    ['', 'invalid_request'],
  ])('for the code "%s" is %s', (code, word) => {
    expect(livenessErrorOf(code)).toBe(word);
  });
});

describe('an error below /liveness', () => {
  it('with status 400 has a word and a message, wherever it was thrown', () => {
    expect(present(LIVENESS, invalidInput('Body is not valid JSON'))).toMatchObject(
      envelope('invalid_request', 'Body is not valid JSON'),
    );
    expect(present(LIVENESS, new HttpError(400, 'Body must be a JSON object'))).toMatchObject(
      envelope('invalid_request', 'Body must be a JSON object'),
    );
    const path = ['input', 'accountId'];
    const tooLong = ofSchema('input.invalid', 'invalid_input', 'input.accountId: is too long', path);
    expect(present(LIVENESS, tooLong)).toMatchObject(envelope('invalid_request', 'account_id: is too long'));
  });

  it.each<[ErrorKind]>([['not_found'], ['conflict'], ['invalid_input']])(
    'of a verification has status 400 although its kind is %s',
    (kind) => {
      const code = 'verification.session_not_complete';
      const expected = envelope('session_not_complete', 'It is not complete');
      expect(present(LIVENESS, new AppError(code, kind, 'It is not complete'))).toMatchObject(expected);
      expect(present(LIVENESS, ofSchema(code, kind, 'It is not complete'))).toMatchObject(expected);
    },
  );

  it.each([401, 404, 405, 413, 415, 429])('with the status %i keeps the common envelope', (status) => {
    const { body, headers } = present(LIVENESS, new HttpError(status, 'Refused', { allow: 'POST' }));
    const message = status === 429 ? 'Too Many Requests' : 'Refused';
    expect(body).toEqual({ statusCode: status, message, code: expect.any(String) });
    expect(headers).toEqual({ allow: 'POST' });
  });

  it.each<[ErrorKind, string]>([
    ['unauthenticated', 'Unauthorized'],
    ['forbidden', 'Refused'],
    ['conflict', 'Refused'],
    ['unprocessable', 'Refused'],
    ['rate_limited', 'Refused'],
  ])('of the kind %s keeps the common envelope', (kind, message) => {
    const { status, body } = present(LIVENESS, new AppError('idempotency.other', kind, 'Refused'));
    expect([status, body]).toEqual([
      STATUS_OF_KIND[kind],
      { statusCode: STATUS_OF_KIND[kind], message, code: expect.any(String) },
    ]);
  });

  it('that is temporary contains the retry time in the common envelope', () => {
    const { status, body, headers } = present(LIVENESS, unavailable());
    expect([status, body.statusCode, headers]).toEqual([503, 503, { 'retry-after': '1' }]);
  });
});

it('an error of another family has the common envelope', () => {
  for (const path of ['/account/{account_id}', '/session/authenticate', '/list/{list_name}', '/liveness']) {
    const { body } = present(path, invalidInput('Body is not valid JSON'));
    expect(body).toEqual({ statusCode: 400, message: 'Body is not valid JSON', code: 'input.invalid' });
  }
});

import { buildSchema, isScalarType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../schema.ts';
import { assertDeclared, declaredOf, declaredOfType, needsMask, objectTypes } from './declared-facts.ts';
import { kindOfKey } from './mask-keys.ts';

const objects = objectTypes(schema);
/** Fields with a mask, as `Type.field`. */
const masked = objects.flatMap((type) =>
  Object.values(type.getFields()).flatMap((field) => {
    const { mask = 'none' } = declaredOf(field);
    return mask === 'none' ? [] : [{ type, name: `${type.name}.${field.name}`, mask }];
  }),
);

describe('masks of fields', () => {
  it('are declared for text, JSON and unknown scalars, or the schema is not built', () => {
    const undeclared = buildSchema(`scalar Fingerprint
      type Query { a: Undeclared }
      type Undeclared { b: Int, c: String, d: [Fingerprint!]!, e: ID }`);
    expect(() => assertDeclared(undeclared)).toThrow(
      'Object types without required options: Undeclared (tokenScopes, subjects, mask of c, mask of d)',
    );
  });

  it('are declared for each scalar of the schema that is not plain', () => {
    const scalars = Object.values(schema.getTypeMap()).filter(isScalarType);
    const named = scalars.map(({ name }) => name).filter(needsMask);
    expect(named.sort()).toEqual(['Date', 'IdNumberValue', 'JSON', 'JSONObject', 'String']);
  });

  it('exist for the personal fields of accounts, sessions, documents and email checks', () => {
    expect(masked.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['Account.email', 'Account.phone', 'Account.firstName', 'Account.lastName', 'Account.username'],
        ...[
          'Account.dateOfBirth',
          'Account.metadata',
          'SessionNetwork.ipAddress',
          'SessionLocation.latitude',
        ],
        ...[
          'DocumentUserData.idNumber',
          'DocumentAddress.street',
          'EmailClaims.firstName',
          'EmailCheck.record',
        ],
        ...[
          'AccountUpdatedEvent.data',
          'WebhookDelivery.body',
          'AccountExportRecord.data',
          'Verification.videoUrls',
        ],
      ]),
    );
  });

  it('are nullable fields where the mask is null', () => {
    const wrong = masked.filter(({ type, name, mask }) => {
      const field = type.getFields()[name.split('.')[1]!]!;
      return (mask === 'absent' || mask === 'media') && String(field.type).endsWith('!');
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('can be lifted by a reveal only in types that declare it', () => {
    const closed = new Set(
      masked.filter(({ type }) => !declaredOfType(type).revealedBy).map(({ type }) => type.name),
    );
    expect([...closed].sort()).toEqual([
      ...[
        'AccountExportRecord',
        'AuditEntry',
        'EmailBatch',
        'EmailImport',
        'EmailImportProblem',
        'LinkEvidence',
      ],
      ...['ListMemberEdge', 'PendingListMember', 'RuleTestResult', 'RuleTraceStep', 'SendTestWebhookPayload'],
      ...['VerificationPhotoUrls', 'WebhookAttempt', 'WebhookDelivery', 'WebhookSimulation', 'WhyNotLinked'],
    ]);
  });
});

describe('keys of JSON', () => {
  const kindOf = kindOfKey(schema);

  it.each([
    ['email', 'email'],
    ['first_name', 'name'],
    ['date_of_birth', 'date'],
    ['ip_address', 'ip'],
    ['metadata', 'values'],
    ['id_scan_front', 'media'],
    ['video_urls', 'media'],
    ['risk_score', 'none'],
    ['decision', 'none'],
    ['1_day', 'none'],
    ['reason', 'text'],
    ['name', 'name'],
    ['list', 'none'],
    ['something_new', undefined],
  ])('%s is of the kind %s', (key, kind) => {
    expect(kindOf(key)).toBe(kind);
  });
});

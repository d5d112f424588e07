import { type KindOfKey, type MaskKind, maskValue } from '@vouchgraph/persons/masking';
import type { GraphQLResolveInfo } from 'graphql';
import type { RevealSubject } from '../../domain/reveals/active-reveals.ts';
import { ACCOUNT_COLUMNS, VERIFICATION_KEY } from '../../domain/verification/find-verification-service.ts';
import { accountOf } from '../../domain/verification/verification-record.ts';
import type { GraphQLContext } from './context.ts';
import type { TypeFacts } from './declared-facts.ts';
import { kindOfKey } from './mask-keys.ts';

/*
 * Masking of fields for persons, by the declarations of types and fields (declared-facts.ts). A field is shown in clear while the
 * person has revealed the subject of its object. The object of a field is known by its path in the answer: each object that is
 * resolved notes itself for the parts that it leads to.
 */

type Path = GraphQLResolveInfo['path'];

/** An object of an answer. */
type Shown = { readonly facts: Partial<TypeFacts>; readonly value: unknown; readonly path: Path | undefined };

/** The object whose field has a path. Paths belong to one execution. */
const parents = new WeakMap<Path, Shown>();
/** Whether the object with a path is revealed. */
const known = new WeakMap<Path, Promise<boolean>>();

/** Notes the object whose field leads to other objects. */
export function noteParent(path: Path, facts: Partial<TypeFacts>, value: unknown): void {
  parents.set(path, { facts, value, path: path.prev });
}

const WITH_ACCOUNT = { select: { ...VERIFICATION_KEY, ...ACCOUNT_COLUMNS } };

type Field = {
  readonly facts: Partial<TypeFacts>;
  readonly parent: unknown;
  readonly info: GraphQLResolveInfo;
};

/** The value of a field as a person sees it. */
export async function maskShown(
  value: unknown,
  kind: MaskKind,
  { facts, parent, info }: Field,
  context: GraphQLContext,
): Promise<unknown> {
  const shown = await value;
  if (shown === null || shown === undefined) return shown;
  // Images and videos are opened through the gateway, which records each opening.
  if (kind === 'media') return maskValue(kind, shown, () => undefined);
  const object = { facts, value: parent, path: info.path.prev };
  const keys = kindOfKey(info.schema);
  const isClear = await isRevealed(object, context);
  if (!isClear) return maskValue(kind, shown, keys);
  context.subjects?.addUnrepeatable();
  // A reveal shows no address of an image, also in JSON.
  return kind === 'json' || kind === 'json_text' ? maskValue(kind, shown, onlyMedia(keys)) : shown;
}

function onlyMedia(keys: KindOfKey): KindOfKey {
  return (key) => (keys(key) === 'media' ? 'media' : 'none');
}

async function isRevealed(object: Shown, context: GraphQLContext): Promise<boolean> {
  const reveals = await context.reveals.active();
  if (reveals.isEmpty || object.path === undefined) return false;
  const found = known.get(object.path) ?? findRevealed(object, context);
  known.set(object.path, found);
  return found;
}

async function findRevealed({ facts, value, path }: Shown, context: GraphQLContext): Promise<boolean> {
  const rule = facts.revealedBy;
  if (rule === undefined) return false;
  if (rule === 'parent') {
    const outer = parents.get(fieldPathOf(path!));
    return outer !== undefined && isRevealed(outer, context);
  }
  return covers(rule(value as never), context);
}

/** Whether a reveal covers a subject. Accounts of sessions and verifications are read only while an account is revealed. */
export async function covers(subject: RevealSubject, { reveals, loaders }: GraphQLContext): Promise<boolean> {
  const active = await reveals.active();
  if (active.includes(subject)) return true;
  if (!active.hasAccounts) return false;
  const { accountsOfSession, accountOfVerification } = subject;
  if (accountsOfSession !== undefined)
    return active.includesAccountId(await loaders.accountIdsOfSession.load(accountsOfSession));
  if (accountOfVerification === undefined) return false;
  const record = await loaders.verifications(WITH_ACCOUNT).load(accountOfVerification);
  return (
    record !== null &&
    active.includes({ account: accountOf(record as unknown as Parameters<typeof accountOf>[0])?.id })
  );
}

/** The path of the field that leads to an object, which can be in a list. */
function fieldPathOf(path: Path): Path {
  let field = path;
  while (typeof field.key === 'number' && field.prev) field = field.prev;
  return field;
}

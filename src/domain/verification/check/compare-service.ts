import { IDENTIFIER_KINDS, type IdentifierKey } from '@vouchgraph/linking';
import { nameKey } from '@vouchgraph/persons';
import { newId } from '@vouchgraph/platform/ids';
import { decryptTrace } from '@vouchgraph/signals';
import {
  type AssessmentBasis,
  assessVerification,
  type ComparedSession,
  compareDevices,
  compareWithReferring,
  decidingMatches,
  NEW_ACCOUNT,
  REPEAT_FACE_WEIGHTS,
  type Repeats,
  repeatsOfBasis,
  VERIFICATION_WEIGHTS_VERSION,
  type VerificationEvidence,
  type VerificationResult,
} from '@vouchgraph/verification';
import { type DocumentJudgment, type FaceReading, faceDistance, isSameFace } from '@vouchgraph/vision';
import { verificationDistance } from '@vouchgraph/vision/face-thresholds';
import type { Transaction } from '../../../storage/database.ts';
import type { Project } from '../../projects/project.ts';
import { Session } from '../../sessions/session.ts';
import { findSessions, findTrace } from '../../sessions/session-store.ts';
import { decryptDescriptor, encryptDescriptor, type KnownFaces } from '../faces/face-index-service.ts';
import {
  type CurrentTemplate,
  type DocumentSighting,
  type FaceTemplateRow,
  FIND_ENROLLED,
  findDocumentSightings,
  findOwner,
  isComparable,
  isDeviceOfAnother,
  readCurrentTemplates,
} from '../faces/face-store.ts';
import { secondEvidenceCall, toConfirmed } from '../result/second-evidence-store.ts';
import type { VerificationRow } from '../verification-store.ts';

/** Findings from the images of a session. */
export type SeenEvidence = {
  readonly face: FaceReading & { readonly descriptor: Float32Array };
  /** Only for ID checks. */
  readonly document: DocumentJudgment | null;
  readonly isRecaptured: boolean;
  readonly isVirtualCamera: boolean;
};

/** Rows that a completion writes with its result. */
export type Assessed = {
  readonly result: VerificationResult;
  readonly template: { readonly templateId: string; readonly encrypted: Buffer } | null;
  readonly sighting: { readonly numberHash: Buffer; readonly nameHash: Buffer | null } | null;
};

export type SessionComparison = {
  readonly session: Session;
  readonly referring: VerificationEvidence['referring'];
};

/** The session and its referring session. */
export async function compareSessions(project: Project, row: VerificationRow): Promise<SessionComparison> {
  const own = await comparedOf(project, row.session_id);
  if (!own) throw new Error('a verification without its session');
  const { referring_session_id: referringId } = row;
  const other = referringId === null ? null : await comparedOf(project, referringId);
  if (!other) return { session: own.session, referring: null };
  const signals = compareWithReferring(own.compared, other.compared);
  const devices = compareDevices(own.compared, other.compared, signals);
  return { session: own.session, referring: { signals, devices } };
}

async function comparedOf(
  project: Project,
  sessionId: string,
): Promise<{ session: Session; compared: ComparedSession } | null> {
  const [row] = await findSessions(project.database, [sessionId]);
  const trace = await findTrace(project.database, sessionId);
  if (!row || !trace) return null;
  const session = new Session(project, row);
  return {
    session,
    compared: {
      startTime: row.start_time,
      result: session.result,
      trace: decryptTrace(project.cipher, sessionId, trace),
    },
  };
}

type Scope = {
  project: Project;
  row: VerificationRow;
  /** Client's id of the account of the check; null for none. */
  accountId: string | null;
  faces: KnownFaces;
  now: Date;
};
/** Number of sessions with the same face that are stored to link accounts. */
const MAX_LINKING_FACES = 20;
/** Account of a check; null if it does not exist. */
type Owner = { id: string | null; group: string };

/** Compares face and document with earlier ones. Requires the lock of the project's faces. */
export async function assessSeen(
  scope: Scope,
  seen: SeenEvidence,
  { session, referring }: SessionComparison,
  transaction: Transaction,
): Promise<Assessed> {
  const { project, row } = scope;
  const owner = await ownerOf(scope, transaction);
  const templateId = newId(scope.now.getTime());
  const found = await findFaces(scope, { owner, session }, seen.face.descriptor, transaction);
  const document = seen.document && documentKeys(project, seen.document);
  const { repeats, basis } = await repeatsOf(scope, { owner, session, found, document, seen }, transaction);
  const assessment = assessVerification(
    {
      document: seen.document,
      face: { isRecaptured: seen.isRecaptured, isVirtualCamera: seen.isVirtualCamera },
      session: session.result,
      referring,
      repeats,
    },
    basis.thresholds,
  );
  const identifiers: IdentifierKey[] = [
    faceKey(project, templateId),
    // Accounts with which the document was seen.
    ...linkingFaces(found, owner).map(({ template_id }) => faceKey(project, template_id)),
    ...(document?.keys ?? []),
  ];
  const { ageYears, recaptureScore, challenge } = seen.face;
  return {
    result: {
      ...assessment,
      kind: row.kind,
      weightsVersion: VERIFICATION_WEIGHTS_VERSION,
      basis,
      document: seen.document,
      referring: referring?.signals ?? null,
      face: { ageYears, recaptureScore, challenge, isVirtualCamera: seen.isVirtualCamera },
      identifiers: identifiers.map(({ kind, hash }) => [kind, hash.toString('base64')]),
    },
    template: { templateId, encrypted: encryptDescriptor(project.cipher, templateId, seen.face.descriptor) },
    sighting: document?.sighting ?? null,
  };
}

/** Uses the connection that holds the lock: waiting for a second connection could deadlock the pool. */
async function ownerOf({ project, accountId }: Scope, transaction: Transaction): Promise<Owner> {
  const account = accountId === null ? null : await findOwner(project.database, transaction, accountId);
  return { id: account?.id ?? null, group: account?.account_group ?? '' };
}

function faceKey({ cipher }: Project, templateId: string): IdentifierKey {
  return { kind: IDENTIFIER_KINDS.face, hash: cipher.blindIndex('face', templateId) };
}

/** Nearest match of each other account, then matches of sessions without an account. Any face of an account links it. */
function linkingFaces(found: readonly CurrentTemplate[], { id }: Owner): CurrentTemplate[] {
  const nearest = new Map<string, CurrentTemplate>();
  for (const one of found)
    if (one.account_id !== null && one.account_id !== id && !nearest.has(one.account_id))
      nearest.set(one.account_id, one);
  const withoutAccount = found.filter(({ account_id }) => account_id === null);
  return [...nearest.values(), ...withoutAccount].slice(0, MAX_LINKING_FACES);
}

/** Matches of the face in the group, nearest first, in other sessions of the account and of others. */
async function findFaces(
  { project, row, faces, now }: Scope,
  { owner: { group }, session }: { owner: Owner; session: Session },
  descriptor: Float32Array,
  transaction: Transaction,
): Promise<CurrentTemplate[]> {
  const near = await faces.search(transaction, descriptor, group);
  const current = await readCurrentTemplates(
    project,
    transaction,
    near.map(({ templateId }) => templateId),
    {
      sessionId: row.session_id,
      referringSessionId: row.referring_session_id,
      browserHash: session.row.browser_hash,
      deviceHash: session.row.device_hash,
    },
    now,
  );
  const byId = new Map(current.map((one) => [one.template_id, one]));
  faces.forget(near.filter(({ templateId }) => !byId.has(templateId)));
  return near.flatMap(({ templateId }) => {
    const one = byId.get(templateId);
    return one && one.account_group === group && one.session_id !== row.session_id ? [one] : [];
  });
}

type DocumentKeys = { keys: IdentifierKey[]; sighting: Assessed['sighting'] };

/** Document number with country, and name with date of birth: many people share a name. */
function documentKeys({ cipher }: Project, { data }: DocumentJudgment): DocumentKeys {
  const { templateInfo, userData } = data;
  const number = userData.idNumber.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  const { documentCountryCode: country, documentState: state } = templateInfo;
  const name = nameKey(userData.firstName, userData.lastName);
  const numberHash = number ? cipher.blindIndex('document_number', `${country} ${state} ${number}`) : null;
  const isNamed = name !== '' && userData.dateOfBirth !== '';
  const nameHash = isNamed ? cipher.blindIndex('document_name', `${name} ${userData.dateOfBirth}`) : null;
  return {
    keys: [
      ...(numberHash ? [{ kind: IDENTIFIER_KINDS.document_number, hash: numberHash }] : []),
      ...(nameHash ? [{ kind: IDENTIFIER_KINDS.document_name, hash: nameHash }] : []),
    ],
    sighting: numberHash && { numberHash, nameHash },
  };
}

type Found = {
  owner: Owner;
  session: Session;
  found: readonly CurrentTemplate[];
  document: DocumentKeys | null;
  seen: SeenEvidence;
};

async function repeatsOf(
  scope: Scope,
  { owner, session, found, document, seen }: Found,
  transaction: Transaction,
): Promise<{ repeats: Repeats; basis: AssessmentBasis }> {
  const { project, row, accountId, now } = scope;
  const { database, settings } = project;
  const numberHash = document?.sighting?.numberHash;
  const sightings = numberHash
    ? await findDocumentSightings(database, transaction, {
        numberHash,
        sessionId: row.session_id,
        group: owner.group,
        now,
      })
    : [];
  const others = sightings.filter(({ account_id }) => account_id === null || account_id !== owner.id);
  const confirmed = await confirmedAccounts(scope, found, document?.keys ?? [], transaction);
  const matches = found.map(({ session_id, account_id, is_fraud, agrees }) => ({
    sessionId: session_id,
    account: account_id,
    // The account's own history already counts through its lists and its own decision.
    isFraud: is_fraud && account_id !== owner.id,
    agrees,
    isConfirmed: account_id !== null && confirmed.has(account_id),
  }));
  const basis: AssessmentBasis = {
    faces: {
      owner: accountId === null ? null : (owner.id ?? NEW_ACCOUNT),
      matches: decidingMatches(matches),
    },
    document: documentRepeat(others, found),
    thresholds: {
      suspiciousFrom: settings.verificationSuspiciousFrom,
      fakeFrom: settings.verificationFakeFrom,
    },
    at: now.toISOString(),
  };
  const { device_hash: deviceHash } = session.row;
  const repeats = {
    ...repeatsOfBasis(basis),
    fraudId: others.some(({ is_blocked }) => is_blocked),
    device:
      deviceHash !== null &&
      owner.id !== null &&
      (await isDeviceOfAnother(database, transaction, {
        kind: IDENTIFIER_KINDS.device,
        hash: deviceHash,
        group: owner.group,
        accountId: owner.id,
      })),
    otherEnrolledFace: await isOtherThanEnrolled(scope, seen.face.descriptor, transaction),
  };
  return { repeats, basis };
}

/** Accounts with the face that share further evidence with the check. */
async function confirmedAccounts(
  { project, row, accountId }: Scope,
  found: readonly CurrentTemplate[],
  document: readonly IdentifierKey[],
  transaction: Transaction,
): Promise<ReadonlySet<string>> {
  const accounts = [...new Set(found.flatMap(({ account_id }) => account_id ?? []))];
  if (accounts.length === 0) return new Set();
  const [rows = []] = await transaction.run(
    secondEvidenceCall(
      project.projectId,
      { accounts, sessionIds: [] },
      { sessionId: row.session_id, accountId, identifiers: document },
    ),
  );
  return toConfirmed(project, rows);
}

/** A document that only appeared with the same face adds no evidence to that face. */
function documentRepeat(
  others: readonly DocumentSighting[],
  found: readonly CurrentTemplate[],
): AssessmentBasis['document'] {
  if (others.length === 0) return 0;
  const withFace = new Set(found.map(({ session_id }) => session_id));
  return others.every(({ session_id }) => withFace.has(session_id))
    ? 'like face'
    : REPEAT_FACE_WEIGHTS.otherAccount;
}

async function isOtherThanEnrolled(
  { project: { cipher, projectId, settings }, accountId }: Scope,
  descriptor: Float32Array,
  transaction: Transaction,
): Promise<boolean> {
  if (accountId === null) return false;
  const [rows] = await transaction.run([FIND_ENROLLED, [projectId, accountId]]);
  const enrolled = rows?.[0] as FaceTemplateRow | undefined;
  if (!enrolled || !isComparable(enrolled)) return false;
  const other = decryptDescriptor(cipher, enrolled.template_id, enrolled.descriptor);
  return !isSameFace(faceDistance(descriptor, other), verificationDistance(settings.faceMatching));
}

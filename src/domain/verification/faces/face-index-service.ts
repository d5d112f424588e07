import { LRUCache } from 'lru-cache';
import type { ProjectCipher } from '../../../platform/crypto.ts';
import type { Transaction } from '../../../storage/database.ts';
import type { Project } from '../../projects/project.ts';
import { searchDistance } from '../../vision/faces/face-thresholds.ts';
import { FaceIndex, type FoundFace } from './face-index.ts';
import { type FaceTemplateRow, readOnCall, readTemplatesOn } from './face-store.ts';

/** A page of templates is opened without holding up the process for long: some 3 us each. */
const PAGE = 1000;
/** Far more than one person leaves: who searches tells apart which of them count. */
const MAX_FOUND = 2000;
/** Some 64 MB each where there are 100,000 faces. */
const MOST_PROJECTS = 20;
/** What another process erased stays in memory until then at most; it is never told, since each find is looked up. */
const KEPT_MS = 3_600_000;

/** Seals 128 numbers for a row. */
export function sealDescriptor(cipher: ProjectCipher, templateId: string, descriptor: Float32Array): Buffer {
  const bytes = Buffer.from(descriptor.buffer, descriptor.byteOffset, descriptor.byteLength);
  return cipher.encryptJson('face_templates', templateId, bytes.toString('base64'));
}

export function openDescriptor(cipher: ProjectCipher, templateId: string, sealed: Uint8Array): Float32Array {
  const bytes = Buffer.from(cipher.decryptJson<string>('face_templates', templateId, sealed), 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

type Kept = {
  readonly index: FaceIndex;
  /** Whose face each is, to forget it with its session. */
  readonly ofSessions: Map<string, string>;
  through: string;
  reading: Promise<void> | null;
};

/** The faces of a project, for one completion. It stays whole however long that waits for the lock. */
export type KnownFaces = {
  /**
   * Faces of an account group that are the same one, the nearest first. The larger the group's gallery is, the nearer they
   * have to be. Under the lock of the project's faces: what was committed since they were prepared is read in the
   * transaction.
   */
  search(transaction: Transaction, descriptor: Float32Array, group: string): Promise<FoundFace[]>;
  /** They are not there any more. */
  forget(faces: readonly Pick<FoundFace, 'templateId'>[]): void;
};

export type FaceSearch = ReturnType<typeof createFaceSearch>;

/** Keeps the faces of projects in memory, in step with the database, and searches them. */
export function createFaceSearch({ keptMs = KEPT_MS } = {}) {
  const kept = new LRUCache<string, Kept>({ max: MOST_PROJECTS, ttl: keptMs, ttlAutopurge: true });

  function add({ cipher }: Project, mine: Kept, rows: readonly FaceTemplateRow[]): void {
    for (const row of rows) {
      const { template_id: id, session_id: sessionId, account_group: group, change_number: number } = row;
      mine.index.set(id, openDescriptor(cipher, id, row.descriptor), group);
      mine.ofSessions.set(sessionId, id);
      if (BigInt(number) > BigInt(mine.through)) mine.through = number;
    }
  }

  /** Reads what is committed, page by page; outside any transaction, so that nobody waits for it with locks. */
  async function readOn(project: Project, mine: Kept): Promise<void> {
    for (;;) {
      const rows = await readTemplatesOn(project.database, mine.through, PAGE);
      add(project, mine, rows);
      if (rows.length < PAGE) return;
    }
  }

  function keptOf({ projectId }: Project): Kept {
    const known = kept.get(projectId);
    if (known) return known;
    const index = new FaceIndex();
    const fresh: Kept = { index, ofSessions: new Map(), through: '0', reading: null };
    kept.set(projectId, fresh);
    return fresh;
  }

  /** To be called before the transaction that searches: the first time of a project takes a while. */
  async function prepare(project: Project): Promise<KnownFaces> {
    const mine = keptOf(project);
    mine.reading ??= readOn(project, mine).finally(() => {
      mine.reading = null;
    });
    await mine.reading;
    return {
      search: (transaction, descriptor, group) => search(project, mine, transaction, descriptor, group),
      forget(faces) {
        for (const { templateId } of faces) mine.index.delete(templateId);
      },
    };
  }

  async function search(
    project: Project,
    mine: Kept,
    transaction: Transaction,
    descriptor: Float32Array,
    group: string,
  ): Promise<FoundFace[]> {
    for (let isWhole = false; !isWhole; ) {
      const [rows = []] = await transaction.run(readOnCall(project.projectId, mine.through, PAGE));
      add(project, mine, rows as FaceTemplateRow[]);
      isWhole = rows.length < PAGE;
    }
    const limit = searchDistance(project.settings.faceMatching, mine.index.sizeOf(group));
    return mine.index.search(descriptor, limit, MAX_FOUND, group);
  }

  return {
    prepare,
    /** Sessions that were erased: their faces leave the memory of this process. */
    forgetSessions({ projectId }: Pick<Project, 'projectId'>, sessionIds: readonly string[]): void {
      const mine = kept.peek(projectId);
      for (const sessionId of mine ? sessionIds : []) {
        const templateId = mine!.ofSessions.get(sessionId);
        if (templateId !== undefined) mine!.index.delete(templateId);
        mine!.ofSessions.delete(sessionId);
      }
    },
    /** Projects whose faces are in memory. */
    countProjects: () => kept.size,
    /** How many faces of a project are in memory. */
    sizeOf: (projectId: string) => kept.peek(projectId)?.index.size ?? 0,
  };
}

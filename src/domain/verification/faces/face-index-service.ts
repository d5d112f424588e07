import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { FaceIndex, type FoundFace } from '@vouchgraph/vision';
import { searchDistance } from '@vouchgraph/vision/face-thresholds';
import { LRUCache } from 'lru-cache';
import type { Transaction } from '../../../storage/database.ts';
import type { Project } from '../../projects/project.ts';
import { type FaceTemplateRow, readNextCall, readNextTemplates } from './face-store.ts';

/** Templates decrypted per slice, so that the process is not blocked for long: about 3 us each. */
const PAGE = 1000;
/** Far more than one person has. The caller decides which of them count. */
const MAX_FOUND = 2000;
/** About 64 MB each with 100,000 faces. */
const MAX_PROJECTS = 20;
/** Maximum time that faces erased by another process stay in memory. They are never returned: each match is looked up. */
const KEPT_MS = 3_600_000;

/** Encrypts the 128 numbers of a descriptor. */
export function encryptDescriptor(
  cipher: ProjectCipher,
  templateId: string,
  descriptor: Float32Array,
): Buffer {
  const bytes = Buffer.from(descriptor.buffer, descriptor.byteOffset, descriptor.byteLength);
  return cipher.encryptJson('face_templates', templateId, bytes.toString('base64'));
}

export function decryptDescriptor(
  cipher: ProjectCipher,
  templateId: string,
  encrypted: Uint8Array,
): Float32Array {
  const bytes = Buffer.from(cipher.decryptJson<string>('face_templates', templateId, encrypted), 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

type Kept = {
  readonly index: FaceIndex;
  /** Session of each face, to remove the face with its session. */
  readonly ofSessions: Map<string, string>;
  through: string;
  reading: Promise<void> | null;
};

/** Faces of a project for one completion. They stay complete however long the completion waits for the lock. */
export type KnownFaces = {
  /**
   * Matching faces of an account group, nearest first. The larger the group's gallery, the smaller the distance limit.
   * Requires the lock of the project's faces: templates committed since the preparation are read in the transaction.
   */
  search(transaction: Transaction, descriptor: Float32Array, group: string): Promise<FoundFace[]>;
  /** Removes erased faces from memory. */
  forget(faces: readonly Pick<FoundFace, 'templateId'>[]): void;
};

export type FaceSearch = ReturnType<typeof createFaceSearch>;

/** Caches the faces of projects in memory, in sync with the database, and searches them. */
export function createFaceSearch({ keptMs = KEPT_MS } = {}) {
  const kept = new LRUCache<string, Kept>({ max: MAX_PROJECTS, ttl: keptMs, ttlAutopurge: true });

  function add({ cipher }: Project, mine: Kept, rows: readonly FaceTemplateRow[]): void {
    for (const row of rows) {
      const { template_id: id, session_id: sessionId, account_group: group, change_number: number } = row;
      mine.index.set(id, decryptDescriptor(cipher, id, row.descriptor), group);
      mine.ofSessions.set(sessionId, id);
      if (BigInt(number) > BigInt(mine.through)) mine.through = number;
    }
  }

  /** Reads committed templates page by page, outside any transaction, so that no locks are held meanwhile. */
  async function readNext(project: Project, mine: Kept): Promise<void> {
    for (;;) {
      const rows = await readNextTemplates(project.database, mine.through, PAGE);
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

  /** Call before the transaction that searches: the first load of a project is slow. */
  async function prepare(project: Project): Promise<KnownFaces> {
    const mine = keptOf(project);
    mine.reading ??= readNext(project, mine).finally(() => {
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
      const [rows = []] = await transaction.run(readNextCall(project.projectId, mine.through, PAGE));
      add(project, mine, rows as FaceTemplateRow[]);
      isWhole = rows.length < PAGE;
    }
    const limit = searchDistance(project.settings.faceMatching, mine.index.sizeOf(group));
    return mine.index.search(descriptor, limit, MAX_FOUND, group);
  }

  return {
    prepare,
    /** Removes the faces of erased sessions from the memory of this process. */
    forgetSessions({ projectId }: Pick<Project, 'projectId'>, sessionIds: readonly string[]): void {
      const mine = kept.peek(projectId);
      for (const sessionId of mine ? sessionIds : []) {
        const templateId = mine!.ofSessions.get(sessionId);
        if (templateId !== undefined) mine!.index.delete(templateId);
        mine!.ofSessions.delete(sessionId);
      }
    },
    /** Number of projects with faces in memory. */
    countProjects: () => kept.size,
    /** Number of faces of a project in memory. */
    sizeOf: (projectId: string) => kept.peek(projectId)?.index.size ?? 0,
  };
}

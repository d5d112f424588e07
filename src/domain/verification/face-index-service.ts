import { LRUCache } from 'lru-cache';
import type { ProjectCipher } from '../../platform/crypto.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Project } from '../projects/project.ts';
import { SAME_FACE_DISTANCE_AMONG_MANY } from '../vision/faces/face-distance.ts';
import { FaceIndex, type FoundFace } from './face-index.ts';
import { type FaceTemplateRow, readOnCall, readTemplatesOn } from './face-store.ts';

/** A page of templates is opened without holding up the process for long: some 3 us each. */
const PAGE = 1000;
const MOST_FOUND = 20;
/** Some 64 MB each where there are 100,000 faces. */
const MOST_PROJECTS = 20;
/** Erased faces stay in memory until then at most; they are never told, since each find is looked up. */
const KEPT_MS = 3_600_000;

/** Seals 128 numbers for a row. */
export function sealDescriptor(cipher: ProjectCipher, templateId: string, descriptor: Float32Array): Buffer {
  const bytes = Buffer.from(descriptor.buffer, descriptor.byteOffset, descriptor.byteLength);
  return cipher.sealJson('face_templates', templateId, bytes.toString('base64'));
}

export function openDescriptor(cipher: ProjectCipher, templateId: string, sealed: Uint8Array): Float32Array {
  const bytes = Buffer.from(cipher.openJson<string>('face_templates', templateId, sealed), 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

type Kept = { index: FaceIndex; through: string; reading: Promise<void> | null };

export type FaceSearch = ReturnType<typeof createFaceSearch>;

/** Keeps the faces of projects in memory, in step with the database, and searches them. */
export function createFaceSearch() {
  const kept = new LRUCache<string, Kept>({ max: MOST_PROJECTS, ttl: KEPT_MS });

  function add({ cipher }: Project, mine: Kept, rows: readonly FaceTemplateRow[]): void {
    for (const { template_id: id, descriptor, change_number: number } of rows) {
      mine.index.set(id, openDescriptor(cipher, id, descriptor));
      mine.through = number;
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

  /** To be called before the transaction that searches: the first time of a project takes a while. */
  async function prepare(project: Project): Promise<void> {
    let mine = kept.get(project.projectId);
    if (!mine) {
      mine = { index: new FaceIndex(), through: '0', reading: null };
      kept.set(project.projectId, mine);
    }
    const own = mine;
    own.reading ??= readOn(project, own).finally(() => {
      own.reading = null;
    });
    await own.reading;
  }

  /**
   * Faces that are the same one, the nearest first. Under the lock of the project's faces: what was committed since
   * `prepare` is read in the transaction.
   */
  async function search(
    project: Project,
    transaction: Transaction,
    descriptor: Float32Array,
  ): Promise<FoundFace[]> {
    const mine = kept.get(project.projectId) ?? { index: new FaceIndex(), through: '0', reading: null };
    for (let isWhole = false; !isWhole; ) {
      const [rows = []] = await transaction.run(readOnCall(project.projectId, mine.through, PAGE));
      add(project, mine, rows as FaceTemplateRow[]);
      isWhole = rows.length < PAGE;
    }
    return mine.index.search(descriptor, SAME_FACE_DISTANCE_AMONG_MANY, MOST_FOUND);
  }

  return { prepare, search };
}

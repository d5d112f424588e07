import type { EmailBatch, EmailCheck } from '@vouchgraph/email/checks';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import DataLoader from 'dataloader';
import {
  type CheckPage,
  countChecksOfBatches,
  listChecksOfBatches,
  readBatches,
  readChecks,
} from '../../domain/email-checks/email-check-service.ts';
import type { EmailImport } from '../../domain/email-checks/import/import-record.ts';
import {
  countProblemsOfImports,
  listProblemsOfImports,
  type PlacedProblem,
  readImports,
} from '../../domain/email-checks/import/import-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import {
  readVerifications,
  type VerificationQuery,
} from '../../domain/verification/find-verification-service.ts';
import { countReviewsOf, listReviews } from '../../domain/verification/review/review-service.ts';
import { kept, keysetKey, pageLoaders } from './kept-loader.ts';

/** Objects are counted up to this number: one more than a total shows. */
const COUNTED = LIMITS.countedObjects + 1;

/** Verifications. */
export function verificationLoaders(viewer: Viewer) {
  return {
    /** The same page of the reviews of several verifications. */
    reviews: pageLoaders((ids, page: KeysetPage) => listReviews(viewer, ids, page)),

    /** Number of reviews of verifications. */
    reviewCount: new DataLoader<string, number>(async (ids) => countReviewsOf(viewer, ids, COUNTED)),

    /** Verifications by their ids; null for those that the viewer may not see. */
    verifications: pageLoaders((ids, query: VerificationQuery) => readVerifications(viewer, ids, query)),
  };
}

/** Email checks with their batches and imports. */
export function emailCheckLoaders(viewer: Viewer) {
  const checkPages = new Map<string, DataLoader<string, EmailCheck[]>>();
  const checkCounts = new Map<string, DataLoader<string, number>>();
  const problemCounts = new Map<string, DataLoader<string, number>>();
  const problemPages = new Map<string, DataLoader<string, PlacedProblem[]>>();
  return {
    emailCheck: new DataLoader<string, EmailCheck | null>(async (ids) => readChecks(viewer, ids)),

    emailBatch: new DataLoader<string, EmailBatch | null>(async (ids) => readBatches(viewer, ids)),

    emailImport: new DataLoader<string, EmailImport | null>(async (ids) => readImports(viewer, ids)),

    /** The same page of the checks of several batches. */
    emailCheckPages(asked: CheckPage) {
      const question = JSON.stringify([asked.isCompleted, keysetKey(asked.page)]);
      return kept(checkPages, question, (ids) => listChecksOfBatches(viewer, ids, asked));
    },

    /** Numbers of checks of batches, counted up to a limit. */
    emailCheckCounts(asked: { isCompleted: boolean; limit: number }) {
      return kept(checkCounts, JSON.stringify(asked), (ids) => countChecksOfBatches(viewer, ids, asked));
    },

    /** The same page of the rows without a result of several imports. */
    importProblems(page: KeysetPage) {
      return kept(problemPages, keysetKey(page), (ids) => listProblemsOfImports(viewer, ids, page));
    },

    /** Numbers of rows without a result of imports, counted up to a limit. */
    importProblemCounts(limit: number) {
      return kept(problemCounts, String(limit), (ids) => countProblemsOfImports(viewer, ids, limit));
    },
  };
}

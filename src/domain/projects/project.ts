import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { Calibration } from '@vouchgraph/signals';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { Environment } from './api-key.ts';
import type { ProjectSettings } from './settings.ts';

/** A tenant, ready for use: its data (database), its keys (cipher) and its settings. */
export type Project = {
  readonly projectId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly settings: ProjectSettings;
  /** Raised with every change of the settings; 0 before the first. */
  readonly settingsVersion: number;
  /** Raised with every change of the registered operations; 0 before the first. */
  readonly operationsVersion: number;
  readonly createdAt: Date;
  /** The newest map from raw to calibrated scores; null until one is fitted. */
  readonly calibration: Calibration | null;
  readonly cipher: ProjectCipher;
  readonly database: ProjectDatabase;
};

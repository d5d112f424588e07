import { CALIBRATED_SCORES, type CalibratedScore, perRiskScore, WEIGHTS_VERSION } from '@vouchgraph/signals';
import type { GraphQLResolveInfo } from 'graphql';
import {
  countStoredCalibrations,
  listStoredCalibrations,
} from '../../domain/calibration/calibration-read-service.ts';
import { builder } from '../kernel/builder.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { readableUuid } from '../kernel/node-loader.ts';
import { selectedNodes } from '../kernel/nodes-query.ts';

const upperCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const SCORE_DESCRIPTIONS: Record<CalibratedScore, string> = {
  ...perRiskScore((key) => `Value of riskSignalScores.${key}.`),
  bot: 'Value of botScore.',
  riskSignals: 'Combined score of all risk signals.',
};

const CalibratedScoreType = builder.enumType('CalibratedScore', {
  description: 'Score of a session that a calibration can change.',
  values: Object.fromEntries(
    CALIBRATED_SCORES.map((value) => [upperCase(value), { value, description: SCORE_DESCRIPTIONS[value] }]),
  ) as Record<string, { value: CalibratedScore; description: string }>,
});

/** The columns of a calibration that every query reads. */
const CALIBRATION_KEY = { projectId: true, version: true, calibrationId: true } as const;

const CalibrationNode = builder.prismaNode('Calibration', {
  tokenScopes: 'never',
  subjects: 'wide',
  mask: 'none',
  description:
    'Fit of the scores to the labels of the project: reported outcomes of accounts, and block and allow lists for accounts without an outcome.',
  select: CALIBRATION_KEY,
  id: { resolve: ({ calibrationId }) => calibrationId, description: 'Global id.' },
  nullable: true,
  findUnique: (calibrationId, { viewer }) => ({
    projectId_calibrationId: {
      projectId: viewer.project.projectId,
      calibrationId: readableUuid(viewer, 'calibration.read', calibrationId),
    },
  }),
  fields: (t) => ({
    version: t.exposeInt('version', {
      description: 'Version number, from 1. Sessions contain it as calibrationVersion.',
    }),
    createdAt: t.expose('fittedAt', { type: 'DateTime', description: 'Time of the fit.' }),
    weightsVersion: t.exposeString('weightsVersion', {
      description:
        'Version of the weights that produced the fitted scores. The calibration applies to these ' +
        'weights only.',
    }),
    retiredAt: t.expose('retiredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the retirement by an operator. Null if it was not retired.',
    }),
    applied: t.boolean({
      description:
        'Whether new sessions are scored with the calibration: it is the newest one that is not ' +
        'retired, and its weightsVersion is current.',
      select: { weightsVersion: true },
      resolve: async ({ projectId, version, weightsVersion }, _args, { loaders }) =>
        weightsVersion === WEIGHTS_VERSION && version === (await loaders.calibrationInUse.load(projectId)),
    }),
    fraudLabels: t.int({
      description: 'Number of accounts labeled as fraud in the fit.',
      resolve: async ({ version }, _args, { loaders }) =>
        (await loaders.calibrationSummary.load(version)).labels.positive,
    }),
    honestLabels: t.int({
      description: 'Number of accounts labeled as honest in the fit.',
      resolve: async ({ version }, _args, { loaders }) =>
        (await loaders.calibrationSummary.load(version)).labels.negative,
    }),
    scores: t.field({
      type: [CalibratedScoreType],
      description:
        'Scores that the calibration changes. They have enough labeled sessions, and predict the ' +
        'labels better with the calibration than without it.',
      resolve: async ({ version }, _args, { loaders }) => {
        const { scores } = await loaders.calibrationSummary.load(version);
        return CALIBRATED_SCORES.filter((score) => scores.includes(score));
      },
    }),
  }),
});

const CalibrationConnection = builder.connectionObject(
  { type: CalibrationNode, name: 'CalibrationConnection', description: 'Page of calibrations.' },
  { name: 'CalibrationEdge', description: 'Calibration in a page.' },
);

async function calibrationPage(args: PageArgs, context: GraphQLContext, info: GraphQLResolveInfo) {
  const { viewer } = context;
  const page = selectPage(args, ['calibrations'], context);
  const query = selectedNodes(context, info, CALIBRATION_KEY);
  const rows = await listStoredCalibrations(viewer, page, query);
  return toConnection(rows, page, {
    context,
    position: ({ version }) => [version],
    edge: (node) => ({ node }),
    total: () => countStoredCalibrations(viewer, MAX_COUNTED + 1),
  });
}

builder.queryField('calibrations', (t) =>
  t.field({
    type: CalibrationConnection,
    nullable: true,
    description:
      'Calibrations of the project, the newest first, including retired ones. Errors: `auth.forbidden` ' +
      '(below the role operator).',
    authScopes: { may: 'calibration.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: (_root, args, context, info) => calibrationPage(args, context, info),
  }),
);

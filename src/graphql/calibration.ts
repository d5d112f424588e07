import type { GraphQLResolveInfo } from 'graphql';
import {
  countStoredCalibrations,
  listStoredCalibrations,
} from '../domain/calibration/calibration-read-service.ts';
import {
  CALIBRATED_SCORES,
  type CalibratedScore,
  type Calibration,
} from '../domain/signals/assessment/calibration.ts';
import { WEIGHTS_VERSION } from '../domain/signals/evidence/weights.ts';
import { builder } from './builder.ts';
import { MAX_COUNTED, PAGE_ARGS, type PageArgs, pageCost, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { readableUuid } from './node-loader.ts';
import { selectedNodes } from './nodes-query.ts';

const upperCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const SCORE_DESCRIPTIONS: Record<CalibratedScore, string> = {
  deviceRisk: 'riskSignalScores.deviceRisk.',
  proxy: 'riskSignalScores.proxy.',
  vpn: 'riskSignalScores.vpn.',
  tor: 'riskSignalScores.tor.',
  spoofedIp: 'riskSignalScores.spoofedIp.',
  datacenter: 'riskSignalScores.datacenter.',
  recentFraudIp: 'riskSignalScores.recentFraudIp.',
  impossibleTravel: 'riskSignalScores.impossibleTravel.',
  deviceNetworkMismatch: 'riskSignalScores.deviceNetworkMismatch.',
  locationSpoofing: 'riskSignalScores.locationSpoofing.',
  bot: 'botScore.',
  riskSignals: 'All risk signals as one number.',
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
  description: "Fit of the project's scores to its own labels: accounts on its block and allow lists.",
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
      description: 'Number of the version, from 1; sessions contain it as calibrationVersion.',
    }),
    createdAt: t.expose('fittedAt', { type: 'DateTime', description: 'Time at which it was fitted.' }),
    weightsVersion: t.exposeString('weightsVersion', {
      description:
        'Version of the weights behind the scores it was fitted on. It applies to these weights only.',
    }),
    retiredAt: t.expose('retiredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which an operator retired it; null when it was not retired.',
    }),
    applied: t.boolean({
      description:
        'Whether new sessions are scored with it: it is the newest one that is not retired, and fits the present weights.',
      select: { weightsVersion: true },
      resolve: async ({ projectId, version, weightsVersion }, _args, { loaders }) =>
        weightsVersion === WEIGHTS_VERSION && version === (await loaders.calibrationInUse.load(projectId)),
    }),
    fraudLabels: t.int({
      description: 'Number of accounts labelled as fraud that it was fitted on.',
      select: { calibration: true },
      resolve: ({ calibration }) => (calibration as Calibration).labels.positive,
    }),
    honestLabels: t.int({
      description: 'Number of accounts labelled as honest that it was fitted on.',
      select: { calibration: true },
      resolve: ({ calibration }) => (calibration as Calibration).labels.negative,
    }),
    scores: t.field({
      type: [CalibratedScoreType],
      description:
        'Scores that it changes: those of which enough labelled sessions exist, and which predict the labels better with ' +
        'it than without.',
      select: { calibration: true },
      resolve: ({ calibration }) =>
        CALIBRATED_SCORES.filter((score) => score in (calibration as Calibration).maps),
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
      'Calibrations of the project, retired ones included, the newest first. Errors: auth.forbidden below the role operator.',
    authScopes: { may: 'calibration.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: (_root, args, context, info) => calibrationPage(args, context, info),
  }),
);

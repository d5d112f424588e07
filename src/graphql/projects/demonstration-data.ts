import type {
  DemonstrationData,
  DemonstrationState as State,
} from '../../domain/demonstration/demonstration-service.ts';
import { builder } from '../kernel/builder.ts';
import { readableUuid } from '../kernel/node-loader.ts';
import { payloadType } from '../kernel/payload.ts';

const DemonstrationDataState = builder.enumType('DemonstrationDataState', {
  description: 'State of the demonstration data of a project.',
  values: {
    FILLING: { value: 'filling', description: 'The data is being created.' },
    FILLED: { value: 'filled', description: 'The data is complete.' },
    FAILED: {
      value: 'failed',
      description:
        'The creation failed. createDemonstrationData continues it, removeDemonstrationData removes its data.',
    },
    REMOVING: { value: 'removing', description: 'The data is being removed.' },
  } as const,
});

const DemonstrationDataNode = builder.prismaNode('DemonstrationData', {
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description:
    'Demonstration data of a sandbox project: fictitious accounts with sessions, lists, rules, verifications and outcomes. Ids of ' +
    'accounts start with demo-, their group is demo, and names of lists and rules start with Demo.',
  id: { resolve: ({ setId }) => setId, description: 'Global id.' },
  nullable: true,
  findUnique: (setId, { viewer }) => ({
    projectId_setId: {
      projectId: viewer.project.projectId,
      setId: readableUuid(viewer, 'demonstration_data.read', setId),
    },
  }),
  fields: (t) => ({
    demonstrationState: t.field({
      type: DemonstrationDataState,
      description: 'State.',
      resolve: ({ state }) => state as State,
    }),
    progress: t.float({
      description: 'Progress of the creation, or of the removal in the state REMOVING, 0 to 1.',
      resolve: ({ done, total }) => (total === null ? 0 : done / total),
    }),
    problem: t.string({
      nullable: true,
      description: 'Error of a failed creation, as code and message. Null in other states.',
      resolve: ({ problem }) => problem || null,
    }),
    actor: t.exposeString('actor', {
      description: 'Visible prefix of the key that created the data, or that removes it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Start of the creation.' }),
    filledAt: t.expose('filledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'End of the creation. Null before it.',
    }),
  }),
});

const payload = (name: string, description: string) =>
  payloadType<{ demonstrationData: DemonstrationData }>(name, description, { subjects: 'none' }, (t) => ({
    demonstrationData: t.field({
      type: DemonstrationDataNode,
      description: 'Demonstration data after the change.',
      resolve: ({ demonstrationData }) => demonstrationData,
    }),
  }));

const CreateDemonstrationDataPayload = payload(
  'CreateDemonstrationDataPayload',
  'Demonstration data that is being created.',
);
const RemoveDemonstrationDataPayload = payload(
  'RemoveDemonstrationDataPayload',
  'Demonstration data that is being removed.',
);

builder.queryField('demonstrationData', (t) =>
  t.field({
    type: DemonstrationDataNode,
    nullable: true,
    description: 'Demonstration data of the project. Null if it has none.',
    authScopes: { may: 'demonstration_data.read' },
    resolve: (_root, _args, { viewer, services }) => services.demonstrations.find(viewer),
  }),
);

builder.mutationFields((t) => ({
  createDemonstrationData: t.field({
    isIdempotent: false,
    type: CreateDemonstrationDataPayload,
    nullable: true,
    description:
      'Starts to fill a sandbox project with demonstration data, in the background, or continues a failed creation. A project has ' +
      'at most one set. Errors: `demonstration_data.in_production`, `demonstration_data.exists`.',
    authScopes: { may: 'demonstration_data.manage' },
    resolve: async (_root, _args, { viewer, requestId, services }) => ({
      requestId,
      demonstrationData: await services.demonstrations.create(viewer, requestId),
    }),
  }),
  removeDemonstrationData: t.field({
    isIdempotent: false,
    type: RemoveDemonstrationDataPayload,
    nullable: true,
    description:
      'Starts to remove all demonstration data of the project, in the background, also while it is being created. Accounts are ' +
      'erased. Statistics and the audit log keep their entries. Errors: `demonstration_data.not_found`.',
    authScopes: { may: 'demonstration_data.manage' },
    resolve: async (_root, _args, { viewer, requestId, services }) => ({
      requestId,
      demonstrationData: await services.demonstrations.remove(viewer, requestId),
    }),
  }),
}));

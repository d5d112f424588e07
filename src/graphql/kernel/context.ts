import type { Clock } from '@vouchgraph/platform/clock';
import type { NetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import type { AccountService } from '../../domain/accounts/account-service.ts';
import type { ExportService } from '../../domain/accounts/export/export-account-service.ts';
import type { BacktestService } from '../../domain/decisions/backtests/backtest-service.ts';
import type { DemonstrationService } from '../../domain/demonstration/demonstration-service.ts';
import type { EmailCheckService } from '../../domain/email-checks/email-check-service.ts';
import type { EmailEraseService } from '../../domain/email-checks/email-erase-service.ts';
import type { EmailImportService } from '../../domain/email-checks/import/import-service.ts';
import type { EventService } from '../../domain/events/event-service.ts';
import type { AnswerSubjects } from '../../domain/idempotency/answer-subjects.ts';
import type { LinkGraphService } from '../../domain/linking/link-graph-service.ts';
import type { ListService } from '../../domain/lists/list-service.ts';
import type { MediaService } from '../../domain/media/media-service.ts';
import type { OperationService } from '../../domain/operations/operation-service.ts';
import type { OutcomeService } from '../../domain/outcomes/outcome-service.ts';
import type { AdministrationService } from '../../domain/people/administration-service.ts';
import type { OwnProjectsService } from '../../domain/people/own-projects-service.ts';
import type { PersonDataService } from '../../domain/people/person-data-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { SettingsService } from '../../domain/projects/settings-service.ts';
import type { RevealService } from '../../domain/reveals/reveal-service.ts';
import type { RuleService } from '../../domain/rules/rule-service.ts';
import type { ConnectionFacts, SessionService } from '../../domain/sessions/session-service.ts';
import type { CaptureService } from '../../domain/verification/capture/capture-service.ts';
import type { VerificationService } from '../../domain/verification/verification-service.ts';
import type { EndpointService } from '../../domain/webhooks/endpoint-service.ts';
import { createLoaders, type Loaders } from './loaders.ts';
import { type RequestReveals, revealsOf } from './request-reveals.ts';

export type Services = {
  accounts: AccountService;
  accountExports: ExportService;
  demonstrations: DemonstrationService;
  emailErasure: EmailEraseService;
  emailChecks: EmailCheckService;
  emailImports: EmailImportService;
  events: EventService;
  linkGraph: LinkGraphService;
  lists: ListService;
  media: MediaService;
  sessions: SessionService;
  settings: SettingsService;
  operations: OperationService;
  ownProjects: OwnProjectsService;
  outcomes: OutcomeService;
  people: AdministrationService;
  personData: Pick<PersonDataService, 'exportOwn'>;
  reveals: RevealService;
  rules: RuleService;
  backtests: BacktestService;
  webhooks: EndpointService;
  verifications: VerificationService;
  captures: CaptureService;
  network: Pick<NetworkIntelligence, 'status'>;
  clock: Clock;
};

/** Context of every resolver: viewer, request and connection. */
export type GraphQLContext = {
  /** Replaced by a mutation that changes the project. */
  viewer: Viewer;
  readonly requestId: string;
  readonly connection: ConnectionFacts;
  readonly services: Services;
  readonly loaders: Loaders;
  /** Personal data that the viewer sees in clear, if it is a person. */
  readonly reveals: RequestReveals;
  /** A document of the REST table: written by us, so limits on cost and page size do not apply. */
  readonly isTrustedDocument: boolean;
  /** Aborts when the client no longer waits for the answer; never where that is not known. */
  readonly closes: () => AbortSignal | undefined;
  /** Collects the subjects of the answer if the answer is stored. */
  subjects: AnswerSubjects | null;
};

export function createContext(
  services: Services,
  request: {
    viewer: Viewer;
    requestId: string;
    connection: ConnectionFacts;
    isTrustedDocument?: boolean;
    closes?: () => AbortSignal;
  },
): GraphQLContext {
  return {
    viewer: request.viewer,
    requestId: request.requestId,
    connection: request.connection,
    services,
    loaders: createLoaders(request.viewer, services),
    reveals: revealsOf(request.viewer, services),
    isTrustedDocument: request.isTrustedDocument ?? false,
    closes: request.closes ?? (() => undefined),
    subjects: null,
  };
}

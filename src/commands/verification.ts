import { type Command, Option } from 'commander';
import { numberBetween, timestamp, wholeBetween } from './support/arguments.ts';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from './support/project-command.ts';

const STATES = ['created', 'opened', 'capturing', 'processing', 'completed', 'failed', 'expired'];

const loadList = () => import('./verification/list.ts');
const loadShow = () => import('./verification/show.ts');
const loadReview = () => import('./verification/review.ts');

/** Registers `verification`. */
export function addVerificationCommand(program: Command): void {
  const verification = program
    .command('verification')
    .description('verifications of documents and faces, and their reviews');
  verification.addHelpText('after', REMOTE_HELP);
  addList(verification);
  addShow(verification);
  addReviews(verification);
}

const verificationCommand = (verification: Command, name: string, description: string) =>
  projectCommand(verification, name, description).argument('<verification>', 'id of the verification');

function addList(verification: Command): void {
  addProjectOptions(
    projectCommand(verification, 'list', 'list the verifications that meet all given conditions')
      .alias('ls')
      .addOption(new Option('-s, --state <state>', 'current state').choices(STATES))
      .addOption(
        new Option('-d, --decision <decision>', 'decision by the score, without lists and reviews').choices([
          'real',
          'suspicious',
          'fake',
        ]),
      )
      .addOption(
        new Option(
          '-r, --review <review>',
          'review that applies; none: completed checks that can be reviewed, and are not',
        ).choices(['none', 'approved', 'rejected']),
      )
      .addOption(new Option('-k, --kind <kind>', 'kind of the check').choices(['id_check', 'face_check']))
      .option('-a, --account <account>', 'account id, assigned by the client')
      .option('--min-score <score>', 'lowest risk score, 0 to 1', numberBetween(0, 1))
      .option('--created-after <timestamp>', 'created at or after this time', timestamp)
      .option('--created-before <timestamp>', 'created before this time', timestamp)
      .addOption(
        new Option('-o, --order <order>', 'order by creation')
          .choices(['newest', 'oldest'])
          .default('newest'),
      )
      .option('-n, --number <number>', 'number of verifications', wholeBetween(1, 10_000), 20),
  )
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph verification list PROJECT_ID --review none --decision suspicious --order oldest
  vouchgraph verification list --account alice --url https://id.example.com --json`,
    )
    .action(inProject(loadList, ({ listVerifications }) => listVerifications));
}

function addShow(verification: Command): void {
  addProjectOptions(
    verificationCommand(
      verification,
      'show',
      'show a verification with its decision, flags, document and reviews',
    ).option('--urls', 'show the URLs of the images, which need no key and are valid for 15 minutes'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph verification show PROJECT_ID VERIFICATION_ID --urls')
    .action(inProject(loadShow, ({ showVerification }) => showVerification));
}

const withReview = (command: Command) =>
  command
    .requiredOption('-r, --reason <text>', 'reason, shown with the review')
    .option('--replace', 'add the review although another one applies');

function addReviews(verification: Command): void {
  addProjectOptions(
    withReview(
      verificationCommand(
        verification,
        'approve',
        'approve a completed check; its decision is then Real, unless its account is on a block list',
      ),
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph verification approve PROJECT_ID VERIFICATION_ID --reason "called the person"',
    )
    .action(inProject(loadReview, ({ approveVerification }) => approveVerification));
  addProjectOptions(
    withReview(
      verificationCommand(verification, 'reject', 'reject a completed check; its decision is then Fake'),
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph verification reject PROJECT_ID VERIFICATION_ID --reason "the photo is a copy"',
    )
    .action(inProject(loadReview, ({ rejectVerification }) => rejectVerification));
  addProjectOptions(
    verificationCommand(
      verification,
      'clear',
      'withdraw the review of a check; lists and score determine its decision again',
    ).option('-r, --reason <text>', 'reason, shown with the withdrawal'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph verification clear PROJECT_ID VERIFICATION_ID')
    .action(inProject(loadReview, ({ clearReview }) => clearReview));
}

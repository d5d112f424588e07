import { readOptions } from './support/options.ts';
import { settingsOf, storePeople } from './support/people/side.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Imports the accounts of the model, and stores the database for several runs of bench:authenticate: the import of a million
 * accounts takes longer than a run.
 */
const { data, ...options } = readOptions();
if (!data) throw new Error('--data names the folder of the stored database');
await withWorkbench({ ...options, data }, (bench) => storePeople(bench, options), settingsOf(options));

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateRestOperations } from '../../codegen.ts';
import { stagingFolder } from './staging.ts';

const folder = join(stagingFolder(), 'src/http/rest/generated');
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'operations.ts'), await generateRestOperations());

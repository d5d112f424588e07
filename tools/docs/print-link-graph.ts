/*
 * Draws docs/link-graph.svg from the answer that README.md shows: `npm run generate:docs`. A test compares that answer with
 * the one of a gateway (test/integration/documents).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { drawLinkGraph, type LinkAnswer } from './link-graph-svg.ts';

const ROOT = new URL('../../', import.meta.url);

const [, answer = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync(new URL('README.md', ROOT), 'utf8')) ?? [];
writeFileSync(new URL('docs/link-graph.svg', ROOT), drawLinkGraph(JSON.parse(answer) as LinkAnswer));

import { describe, expect, it } from 'vitest';
import { hashOf } from '../../domain/operations/operation.ts';
import { createSentDocuments, type SentDocuments } from './sent-documents.ts';

const PROJECT = 'project-a';

/** Different texts, each of `length` characters. */
const textsOf = (count: number, length: number, character = 'x') =>
  Array.from({ length: count }, (_, index) => `${index} `.padEnd(length, character));

function keepAll(documents: SentDocuments, texts: readonly string[], projectId = PROJECT): void {
  for (const text of texts) documents.keep(projectId, hashOf(text), text);
}

const isKept = (documents: SentDocuments, text: string, projectId = PROJECT) =>
  documents.find(projectId, hashOf(text)) === text;
const keptOf = (documents: SentDocuments, texts: readonly string[], projectId = PROJECT) =>
  texts.filter((text) => isKept(documents, text, projectId));

describe('cached documents of clients', () => {
  it('are at most 1,000 of a project; the least recently used one is evicted', () => {
    const documents = createSentDocuments();
    const texts = textsOf(1000, 20);
    keepAll(documents, texts);
    expect(keptOf(documents, texts)).toHaveLength(1000);
    expect(isKept(documents, texts[0]!)).toBe(true);
    keepAll(documents, ['one more']);
    expect(keptOf(documents, texts)).toEqual(texts.filter((_, index) => index !== 1));
    expect(isKept(documents, 'one more')).toBe(true);
  });

  it('are at most 1 MB of a project', () => {
    const documents = createSentDocuments();
    const texts = textsOf(60, 20_000);
    keepAll(documents, texts);
    expect(keptOf(documents, texts)).toEqual(texts.slice(-Math.floor((1024 * 1024) / 20_000)));
  });

  it('use two bytes a character beyond Latin-1', () => {
    const documents = createSentDocuments();
    const texts = textsOf(60, 20_000, '語');
    keepAll(documents, texts);
    expect(keptOf(documents, texts)).toEqual(texts.slice(-Math.floor((1024 * 1024) / 40_000)));
    const latin = createSentDocuments();
    const accented = textsOf(60, 20_000, 'é');
    keepAll(latin, accented);
    expect(keptOf(latin, accented)).toHaveLength(Math.floor((1024 * 1024) / 20_000));
  });

  it('exceed no 20,000 characters: longer ones are not cached and evict no others', () => {
    const documents = createSentDocuments();
    const texts = textsOf(52, 20_000);
    const long = 'x'.repeat(20_001);
    keepAll(documents, [...texts, long]);
    expect(isKept(documents, long)).toBe(false);
    expect(keptOf(documents, texts)).toEqual(texts);
  });

  it('count once for any number of uses', () => {
    const documents = createSentDocuments();
    const texts = textsOf(52, 20_000);
    keepAll(documents, texts);
    keepAll(documents, texts);
    expect(keptOf(documents, texts)).toEqual(texts);
  });

  it('are cached for 64 projects, each with its limits; the least recently used project is evicted', () => {
    const documents = createSentDocuments();
    const projects = Array.from({ length: 64 }, (_, index) => `project-${index}`);
    const texts = textsOf(52, 20_000);
    for (const projectId of projects) keepAll(documents, texts, projectId);
    const short = textsOf(1000, 30);
    keepAll(documents, short, projects[63]);
    for (const projectId of projects.slice(0, 63))
      expect(keptOf(documents, texts, projectId)).toHaveLength(52);
    expect(keptOf(documents, short, projects[63])).not.toHaveLength(0);
    expect(isKept(documents, texts[0]!, projects[0])).toBe(true);
    keepAll(documents, texts, 'one more');
    expect(projects.filter((projectId) => keptOf(documents, texts, projectId).length === 52)).toEqual(
      projects.filter((_, index) => index !== 1 && index !== 63),
    );
  });

  it('are not shared with another project', () => {
    const documents = createSentDocuments();
    keepAll(documents, ['{ a }']);
    expect(isKept(documents, '{ a }', 'project-b')).toBe(false);
  });
});

/** The folder that the one who builds has given: a generator writes below it, on the paths of the repository. */
export function stagingFolder(): string {
  const [, script, folder] = process.argv;
  if (folder === undefined) throw new Error(`usage: node ${script} FOLDER (npm run build does it)`);
  return folder;
}

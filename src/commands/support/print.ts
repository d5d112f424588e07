/** Writes a line to standard output. */
export const print = (line = ''): void => void process.stdout.write(`${line}\n`);

/** Writes a value as indented JSON. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

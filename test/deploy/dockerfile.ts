/** One instruction of a Dockerfile; its text has no line continuations, and the values of `ARG`s in place of their names. */
export type Instruction = { readonly name: string; readonly text: string };

export type Stage = {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
};

/**
 * Parses the parts of the format that this Dockerfile uses: stages, continued lines, comments and `ARG`s. An `ARG` before the first stage applies to
 * the stages that name it again.
 * @see https://docs.docker.com/reference/dockerfile/#understand-how-arg-and-from-interact
 */
export function parseDockerfile(text: string): Stage[] {
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  const lines = text.split('\n').filter((line) => !line.startsWith('#') && line.trim() !== '');
  const globals = new Map<string, string>();
  let args = globals;
  const substitute = (value: string): string =>
    value.replace(/\$\{(\w+)\}/g, (whole, name: string) => args.get(name) ?? whole);
  for (const line of lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') {
      args = globals;
      const [base = '', , stage = ''] = rest.split(' ');
      stages.push({ name: stage, base: substitute(base), instructions: [] });
      args = new Map();
    } else if (name === 'ARG') {
      const [key = '', value = globals.get(rest) ?? ''] = rest.split('=');
      args.set(key, value);
    } else stages.at(-1)?.instructions.push({ name, text: substitute(rest) });
  }
  return stages;
}

/** Reads the words of an instruction in the form of a JSON array. */
export function readWords(stage: Stage, name: string): string[] {
  const found = stage.instructions.filter((instruction) => instruction.name === name).at(-1)?.text ?? '[]';
  return JSON.parse(found.slice(found.indexOf('['))) as string[];
}

/** Reads the pairs of an instruction of the form `key=value other="value with spaces"`, such as ENV or LABEL. */
export function readPairs(stage: Stage, name: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const instruction of stage.instructions.filter((row) => row.name === name)) {
    for (const [, key = '', quoted, bare = ''] of instruction.text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g))
      pairs[key] = quoted ?? bare;
  }
  return pairs;
}

/** Whether a path is in the context of a build, by an ignore file of the form `*` and then exceptions. */
export function isInContext(ignoreFile: string, path: string): boolean {
  const rows = ignoreFile.split('\n').filter((row) => row !== '' && !row.startsWith('#'));
  if (rows[0] !== '*') throw new Error('expected to leave everything out but what is named');
  return rows.slice(1).some((row) => row === `!${path}`);
}

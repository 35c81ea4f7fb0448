/** One instruction of a Dockerfile; its text has no line continuations. */
export type Instruction = { readonly name: string; readonly text: string };

export type Stage = {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
};

/** Parses the parts of the format that this Dockerfile uses: stages, continued lines, comments, `ARG`s before the first stage. */
export function parseDockerfile(text: string): Stage[] {
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  const lines = text.split('\n').filter((line) => !line.startsWith('#') && line.trim() !== '');
  const args = new Map<string, string>();
  for (const line of lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') {
      const [base = '', , stage = ''] = rest.split(' ');
      stages.push({
        name: stage,
        base: base.replace(/\$\{(\w+)\}/, (_, arg: string) => args.get(arg) ?? ''),
        instructions: [],
      });
    } else if (name === 'ARG' && stages.length === 0) {
      const [key = '', value = ''] = rest.split('=');
      args.set(key, value);
    } else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** Reads the words of an instruction in the form of a JSON array. */
export function readWords(stage: Stage, name: string): string[] {
  const found = stage.instructions.filter((instruction) => instruction.name === name).at(-1)?.text ?? '[]';
  return JSON.parse(found.slice(found.indexOf('['))) as string[];
}

export function readEnvironment(stage: Stage): Record<string, string> {
  const pairs = stage.instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => text.split(' '))
    .map((pair) => pair.split('=') as [string, string]);
  return Object.fromEntries(pairs);
}

/** Whether a path is in the context of a build, by an ignore file of the form `*` and then exceptions. */
export function isInContext(ignoreFile: string, path: string): boolean {
  const rows = ignoreFile.split('\n').filter((row) => row !== '' && !row.startsWith('#'));
  if (rows[0] !== '*') throw new Error('expected to leave everything out but what is named');
  return rows.slice(1).some((row) => row === `!${path}`);
}

import { existsSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { annotateYaml } from '../config/annotate-yaml.ts';
import { type Command, createCommand } from '../service/command.ts';
import { SCHEMA_FILE } from '../service/data-paths.ts';
import { describeSystemError, readErrorCode } from '../util/system-error.ts';
import { getInitTemplate, INIT_MODES, type InitMode } from './init-templates.ts';
import { findProgram } from './program-name.ts';

/** `portcullis init` */
export const initCommand: Command = createCommand({
  name: 'init',
  about: `Writes a configuration file with comments, and prints the next commands.

    The mode \`dev\` is for the built-in development networks, \`nodes\` for one address in front of your own nodes and hosted nodes,
    \`embedded\` for a chain that Portcullis executes itself, and \`rollup\` for the nodes of a rollup.`,
  options: {
    mode: { value: 'MODE', choices: INIT_MODES, default: 'dev', about: 'networks of the file' },
    output: { value: 'FILE', short: 'o', default: 'portcullis.yaml', about: 'file to write' },
    force: { about: 'overwrite the file if it exists' },
  },
  examples: ['portcullis init --mode nodes', 'portcullis init --mode rollup --output rollup.yaml'],
  async run({ mode, output, force }) {
    try {
      writeFileSync(output, renderInitFile(mode, output), { flag: force ? 'w' : 'wx' });
    } catch (error) {
      const exists = readErrorCode(error) === 'EEXIST';
      const reason = exists
        ? 'the file exists: choose another with --output, or overwrite it with --force'
        : describeSystemError(error);
      throw new Error(`${output}: ${reason}`);
    }
    process.stdout.write(describeNext(mode, output));
    return 0;
  },
});

/** Returns the text of the file that `portcullis init` writes. */
function renderInitFile(mode: InitMode, output: string): string {
  const schema = findSchema(output);
  const head = [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    `# Configuration of Portcullis, written by \`portcullis init --mode ${mode}\`. A # directly before a name means that the option is not set.`,
    '# docs/configuration.md has every option. `portcullis check-config FILE` checks this file after a change.',
  ];
  return `${head.join('\n')}\n\n${annotateYaml(getInitTemplate(mode))}`;
}

/** Returns the path of the JSON Schema for editors: relative to the file if the program is below its folder, otherwise absolute. */
function findSchema(output: string): string | undefined {
  if (!existsSync(SCHEMA_FILE)) return undefined;
  const path = relative(dirname(resolve(output)), SCHEMA_FILE);
  return path.startsWith('..') ? SCHEMA_FILE : `./${path.replaceAll('\\', '/')}`;
}

const EDITS: Readonly<Record<InitMode, string | undefined>> = {
  dev: undefined,
  nodes: 'Replace the URLs below `upstreams`, then run:',
  embedded: 'The file serves a built-in chain. Its comments say how to serve your own chain. Run:',
  rollup: 'Replace the URL below `upstreams`, then run:',
};

function describeNext(mode: InitMode, output: string): string {
  const program = findProgram();
  const file = /^[\w./-]+$/.test(output) ? output : JSON.stringify(output);
  const isOfNodes = mode === 'nodes' || mode === 'rollup';
  const commands = [
    `check-config ${file}`,
    ...(isOfNodes ? [`doctor --config ${file}`] : []),
    `keys create --name my-app --config ${file}`,
    `serve --config ${file}`,
  ];
  const lines = commands.map((command) => `  ${program} ${command}`);
  return `Wrote ${output}. ${EDITS[mode] ?? 'Run:'}\n\n${lines.join('\n')}\n`;
}

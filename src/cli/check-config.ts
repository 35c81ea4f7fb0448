import { loadConfig } from '../config/load-config.ts';
import { type Command, createCommand } from '../service/command.ts';
import { FILE_VARIABLES } from '../service/common-help.ts';
import { checkFiles } from './check-files.ts';

/** `portcullis check-config`, which throws a ConfigError with all errors of the file. */
export const checkConfigCommand: Command = createCommand({
  name: 'check-config',
  operands: ['FILE'],
  about: `Checks a configuration file.

    The file is read as \`portcullis serve\` reads it, with the certificates, key sets, genesis files and chain stores that it
    names. The command prints ok, or one line for each error: file, line, key, reason.`,
  options: {},
  environment: FILE_VARIABLES,
  examples: ['portcullis check-config portcullis.yaml'],
  exitCodes: { 0: 'the file is valid', 1: 'the file has errors, which are on stderr' },
  async run(_values, [file = '']) {
    await loadConfig(file, process.env, checkFiles);
    process.stdout.write('ok\n');
    return 0;
  },
});

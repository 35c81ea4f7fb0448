import { parseArgs } from 'node:util';
import { loadConfig } from '../config/load-config.ts';
import { UsageError } from '../service/usage.ts';
import { checkFiles } from './check-files.ts';

const CHECK_CONFIG_USAGE = `portcullis check-config FILE

Reads a configuration file as \`portcullis serve\` does, with the certificates, key sets, genesis files and chain stores that it names.
Prints ok, or one line for each error: file, line, key, reason. Exit code 0 or 1.
`;

/**
 * Runs `portcullis check-config`.
 * @returns the exit code
 * @throws ConfigError with all errors
 */
export async function runCheckConfig(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(CHECK_CONFIG_USAGE);
    return 0;
  }
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError('check-config takes one file');
  await loadConfig(file, process.env, checkFiles);
  process.stdout.write('ok\n');
  return 0;
}

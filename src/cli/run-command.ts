import { ConfigError } from '../config/config-error.ts';
import { renderRows } from '../service/command-usage.ts';
import { boundHeapOfStart } from '../service/heap-settings.ts';
import { UsageError } from '../service/usage.ts';
import { pointToNames } from '../util/near-name.ts';
import { describeSystemError, isStoreError, readErrorCode } from '../util/system-error.ts';
import { COMMAND_TABLE, type CommandRow } from './command-table.ts';

/** Options that run a command in place of a command name. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['-h', 'help'],
  ['--help', 'help'],
  ['-v', 'version'],
  ['--version', 'version'],
]);

/** Runs one command line. Without a command name, all arguments belong to `start`. @returns the exit code */
async function run(args: readonly string[]): Promise<number> {
  const [first = 'start', ...rest] = args;
  const name = FLAGS.get(first) ?? first;
  if (name === 'help') return help(rest);
  if (name === 'worker') {
    boundHeapOfStart();
    return (await import('../service/workers/run-worker.ts')).runWorker();
  }
  const isOption = name.startsWith('-');
  const row = isOption ? COMMAND_TABLE['start'] : findCommand(name);
  if (row === undefined)
    throw new UsageError(
      `there is no command ${name}${pointToNames(name, [...Object.keys(COMMAND_TABLE), 'help'])}`,
    );
  // The heap is bounded before the modules of the service are loaded.
  if (row.isService === true) boundHeapOfStart();
  return (await row.load()).run(isOption ? args : rest);
}

function findCommand(name: string): CommandRow | undefined {
  return Object.hasOwn(COMMAND_TABLE, name) ? COMMAND_TABLE[name] : undefined;
}

/** Prints the list of commands, or the help of the named command. */
async function help(words: readonly string[]): Promise<number> {
  const [first = '-'] = words;
  if (!first.startsWith('-') && first !== 'help') return run([...words, '--help']);
  const rows = Object.values(COMMAND_TABLE).map(({ synopsis, summary }) => [synopsis, summary] as const);
  process.stdout.write(
    `${[
      'Portcullis is a JSON-RPC gateway to Ethereum chains.',
      'portcullis COMMAND [OPTIONS]; without a command, `portcullis start`.',
      renderRows('Commands:', [...rows, ['help [COMMAND]', 'Prints this list, or the help of a command']]),
      '`portcullis help COMMAND` describes a command with its options.',
    ].join('\n\n')}\n`,
  );
  return 0;
}

function comesFromStore(error: unknown): boolean {
  return isStoreError(error) || (error instanceof Error && comesFromStore(error.cause));
}

/** Masks control characters: quoted content of a file must not control the terminal. */
function describe(error: unknown): string {
  // If the process has no free file descriptor, Node's message blames the file that was being opened, so the message is replaced.
  if (OUT_OF_FILES.has(readErrorCode(error) ?? '')) return describeSystemError(error);
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

const OUT_OF_FILES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** Reports an error without a stack trace. @returns the exit code */
function report(error: unknown): number {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.lines.join('\n')}\n`);
    return 1;
  }
  // LMDB writes a line without a line feed to stderr before the error.
  if (comesFromStore(error)) process.stderr.write('\n');
  process.stderr.write(`portcullis: ${describe(error)}\n`);
  if (!(error instanceof UsageError)) return 1;
  process.stderr.write(`Try portcullis help${error.command === undefined ? '' : ` ${error.command}`}.\n`);
  return 2;
}

/** Runs one command line and sets the exit code of the process. Never rejects. */
export async function runCommand(args: string[]): Promise<void> {
  // A write error on stdout does not stop the command, but the exit code becomes 1.
  let isLost = false;
  process.stdout.on('error', (error) => {
    if (!isLost) process.stderr.write(`portcullis: cannot print: ${describeSystemError(error)}\n`);
    isLost = true;
    process.exitCode = 1;
  });
  const code = await run(args).catch(report);
  process.exitCode = isLost ? 1 : code;
}

import { ConfigError } from '../config/config-error.ts';
import { boundHeapOfStart } from '../service/heap-settings.ts';
import { isUsageError, USAGE, UsageError } from '../service/usage.ts';
import { readVersion } from '../service/version.ts';
import { suggestName } from '../util/near-name.ts';
import { describeSystemError, isStoreError, readErrorCode } from '../util/system-error.ts';

type Command = (args: string[]) => Promise<number>;

/** Commands by name, loaded on demand so that key administration does not load an engine. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['start', serving(async () => (await import('./serve.ts')).runStart)],
  ['serve', serving(async () => (await import('./serve.ts')).runServe)],
  ['dev', serving(async () => (await import('./dev.ts')).runDev)],
  ['import', async () => (await import('../service/import.ts')).runImport],
  ['keys', async () => (await import('./keys.ts')).runKeys],
  ['doctor', async () => (await import('./network-commands.ts')).runDoctor],
  ['prove', async () => (await import('./network-commands.ts')).runProve],
  ['verify', async () => (await import('./verify.ts')).runVerify],
  ['worker', serving(async () => (await import('../service/workers/run-worker.ts')).runWorker)],
  ['health', async () => (await import('./health.ts')).runHealth],
  ['init', async () => (await import('./init.ts')).runInit],
  ['check-config', async () => (await import('./check-config.ts')).runCheckConfig],
]);

/** Wraps a long-running command, and bounds the heap before the modules of the command are loaded. */
function serving(load: () => Promise<Command>): () => Promise<Command> {
  return () => {
    boundHeapOfStart();
    return load();
  };
}

/** Runs one command line. @returns the exit code */
async function run(args: string[]): Promise<number> {
  const [first, ...rest] = args;
  switch (first) {
    case 'help':
    case '--help':
    case '-h':
      process.stdout.write(USAGE);
      return 0;
    case '--version':
      process.stdout.write(`${readVersion()}\n`);
      return 0;
  }
  // Without a command name, all arguments belong to `start`.
  const isFlag = first === undefined || first.startsWith('-');
  const command = COMMANDS.get(isFlag ? 'start' : first);
  if (command === undefined)
    throw new UsageError(`there is no command ${first}${suggestName(String(first), COMMANDS.keys())}`);
  return (await command())(isFlag ? args : rest);
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
  if (!isUsageError(error)) return 1;
  process.stderr.write('Try portcullis help.\n');
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

/** A third-party tool, installed with the client of its ecosystem and run unmodified with only a URL. */
import { type ChildProcess, execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Folder of the installed tools; `PORTCULLIS_TOOLS` names another. */
const TOOLS_CACHE: string = process.env['PORTCULLIS_TOOLS'] ?? join(tmpdir(), 'portcullis-tools');
const INSTALL_MS = 900_000;
/** Build time limit: cryo takes 20 min on one core. */
const BUILD_MS = 3_600_000;
const RUN_MS = 300_000;
const MAX_PRINTED_BYTES: number = 2 ** 26;
/** Maximum characters of a failed command's output in its error. */
const SHOWN_CHARACTERS = 1_500;

const execute = promisify(execFile);
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The chain that a tool works on: the same on the bare node and on the service. */
export type ToolChain = {
  readonly url: string;
  /** URL of the same chain over WebSocket. */
  readonly socketUrl: string;
  readonly chainId: number;
  /** Private key of a funded account. Transactions of a tool stay on the chain, so its nonce and contract addresses must not be in the compared text. */
  readonly key: string;
  /** A contract that logged `Logged(uint256)` in some of the blocks. */
  readonly contract: string;
  /** Number of logs of the contract. */
  readonly logs: number;
  readonly head: number;
  /** Whether both sides have tracing methods. */
  readonly hasTraces: boolean;
};

export type Tool = {
  readonly name: string;
  /** Description of `run` for the table. */
  readonly does: string;
  readonly nodes: readonly ToolNode[];
  /** Nodes from which the tool requests methods of a development node: in front of these it runs on a network with `pool.development`. */
  readonly development?: readonly ToolNode[];
  /** Whether the tool sends transactions: each run has its own node, both with the same earlier transactions. */
  readonly writes?: boolean;
  /** @returns the installed version. @throws Error with the output of the installing client */
  install(folder: string): Promise<string>;
  /** @returns the tool's results as text, without times and URLs */
  run(chain: ToolChain, folder: string): Promise<string>;
};

/** `embedded`: a network of the program that has executed the blocks of a geth, compared with that geth. */
export type ToolNode = 'anvil' | 'geth' | 'embedded';

export function folderOf(tool: string): string {
  const folder = join(TOOLS_CACHE, tool);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Runs one command to its end. @throws Error with the end of its output */
export async function runTool(
  folder: string,
  command: string,
  args: readonly string[],
  limitMs: number = RUN_MS,
  added: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { NODE_OPTIONS: _, ...environment } = process.env;
  const execution = execute(command, args, {
    cwd: folder,
    timeout: limitMs,
    maxBuffer: MAX_PRINTED_BYTES,
    env: { ...environment, CI: 'true', NO_COLOR: '1', ...added },
  });
  running.add(execution.child);
  try {
    return (await execution).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed: ${`${stdout}${stderr}`.slice(-SHOWN_CHARACTERS)}`);
  } finally {
    running.delete(execution.child);
  }
}

/**
 * Installs npm packages that are not installed yet.
 * @param added environment variables for npm
 * @returns the version of the first package
 */
export async function installFromNpm(
  folder: string,
  packages: readonly string[],
  added: Readonly<Record<string, string>> = {},
): Promise<string> {
  const names = packages.map((one) => one.replace(/(?<=.)@.*$/, ''));
  const [name = ''] = names;
  const version = `JSON.parse(require('fs').readFileSync('node_modules/${name}/package.json')).version`;
  if (!names.every((one) => existsSync(join(folder, 'node_modules', one)))) {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await runTool(folder, 'npm', ['install', ...quiet, ...packages], INSTALL_MS, added);
  }
  return (await runTool(folder, process.execPath, ['-p', version])).trim();
}

/**
 * Installs PyPI packages into a virtual environment of their own.
 * @param replacements versions installed instead of those that the packages require
 * @returns the version of the first package
 */
export async function installFromPypi(
  folder: string,
  packages: readonly string[],
  replacements: readonly string[] = [],
): Promise<string> {
  const python = pythonOf(folder);
  const [first = ''] = packages;
  const program = `import importlib.metadata as m; print(m.version('${first}'))`;
  const findVersion = (): Promise<string> => runTool(folder, python, ['-c', program]);
  try {
    return (await findVersion()).trim();
  } catch {
    await runTool(folder, 'python3', ['-m', 'venv', join(folder, 'venv')], INSTALL_MS);
    await runTool(folder, python, ['-m', 'pip', 'install', '--quiet', ...packages], INSTALL_MS);
    if (replacements.length > 0)
      await runTool(
        folder,
        python,
        ['-m', 'pip', 'install', '--quiet', '--no-deps', ...replacements],
        INSTALL_MS,
      );
    return (await findVersion()).trim();
  }
}

/** Installs a program of a Go module into the folder unless it is there. @param version with its `v` */
export async function installFromGo(folder: string, program: string, version: string): Promise<void> {
  if (existsSync(join(folder, program.slice(program.lastIndexOf('/') + 1)))) return;
  const environment = [`GOBIN=${folder}`, 'GOFLAGS=-mod=mod'];
  await runTool(folder, 'env', [...environment, 'go', 'install', `${program}@${version}`], INSTALL_MS);
}

/**
 * Builds the programs of a crate into the folder `bin` unless they are there, with the versions of the crate's lock file. The build is not
 * optimized, which would take longer.
 * @param updates versions that replace those of the lock file
 */
export async function installFromCargo(
  folder: string,
  crate: string,
  version: string,
  updates: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (existsSync(join(folder, 'bin'))) return;
  const source = join(folder, 'source');
  // Cargo downloads the source of a crate once another crate depends on it.
  const requesting = join(folder, 'asking');
  mkdirSync(join(requesting, 'src'), { recursive: true });
  writeFileSync(join(requesting, 'src/lib.rs'), '');
  const manifest = `[package]\nname = "asking"\nversion = "0.0.0"\n[dependencies]\n${crate} = "=${version}"\n`;
  writeFileSync(join(requesting, 'Cargo.toml'), manifest);
  const printed = await runTool(requesting, 'cargo', ['metadata', '--format-version', '1'], BUILD_MS);
  const { packages } = JSON.parse(printed) as { packages: readonly CratePackage[] };
  const found = packages.find(({ name }) => name === crate);
  if (found === undefined) throw new Error(`cargo metadata names no package ${crate}`);
  cpSync(dirname(found.manifest_path), source, { recursive: true });
  for (const [name, wanted] of Object.entries(updates))
    await runTool(source, 'cargo', ['update', '--package', name, '--precise', wanted], BUILD_MS);
  const build = ['install', '--path', '.', '--locked', '--debug', '--root', folder];
  const environment = [
    'CARGO_PROFILE_DEV_DEBUG=0',
    'CARGO_INCREMENTAL=0',
    `CARGO_TARGET_DIR=${join(folder, 'target')}`,
  ];
  await runTool(source, 'env', [...environment, 'cargo', ...build], BUILD_MS);
}

type CratePackage = { readonly name: string; readonly manifest_path: string };

/** Copies a Maven artifact and its dependencies into the folder `lib` unless they are there. */
export async function installFromMaven(
  folder: string,
  group: string,
  artifact: string,
  version: string,
): Promise<void> {
  if (existsSync(join(folder, 'lib', `${artifact}-${version}.jar`))) return;
  const own = '<groupId>tested</groupId><artifactId>tested</artifactId><version>1</version>';
  const wanted = `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
  writeFileSync(
    join(folder, 'pom.xml'),
    `<project><modelVersion>4.0.0</modelVersion>${own}<dependencies><dependency>${wanted}</dependency></dependencies></project>`,
  );
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  await runTool(folder, 'mvn', ['-q', '-B', copy, '-DoutputDirectory=lib'], INSTALL_MS);
}

function pythonOf(folder: string): string {
  return join(folder, 'venv/bin/python');
}

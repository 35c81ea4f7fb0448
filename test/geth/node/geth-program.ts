/** geth's programs for the tests, installed once, below the user's cache folder. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Version of geth. Later versions need a module that the Go proxy refuses. */
export const GETH_VERSION = 'v1.17.8';
const MODULE = 'github.com/ethereum/go-ethereum/cmd';
const INSTALL_MS = 20 * 60_000;
const CACHE: string = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'portcullis-tests',
  `geth-${GETH_VERSION}`,
);

/** `geth` is the node; `evm` runs state transitions without a chain. */
export type GethProgram = 'geth' | 'evm';

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const skipOf = (name: GethProgram): string | false =>
  !existsSync(join(CACHE, name)) &&
  !hasGo() &&
  `Go is not installed, so there is no ${name} of geth's to compare with`;

/** Reason why this machine has no geth and cannot install one; false where it can. */
export const GETH_SKIP: string | false = skipOf('geth');
/** Reason why this machine has no `evm` of geth and cannot install one; false where it can. */
export const EVM_SKIP: string | false = skipOf('evm');

/** Path of the program; installs it at the first use. @throws Error with the output of `go install` */
export function installGeth(name: GethProgram = 'geth'): string {
  const program = join(CACHE, name);
  if (existsSync(program)) return program;
  mkdirSync(CACHE, { recursive: true });
  // Installed elsewhere and moved into place: two processes may install at the same time.
  const aside = mkdtempSync(join(CACHE, 'install-'));
  try {
    const environment = { ...process.env, GOBIN: aside, GOFLAGS: '-mod=mod' };
    execFileSync('go', ['install', `${MODULE}/${name}@${GETH_VERSION}`], {
      cwd: aside,
      env: environment,
      stdio: 'pipe',
      timeout: INSTALL_MS,
    });
    renameSync(join(aside, name), program);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return program;
}

/** The geth that requests are compared with: installed once, below the user's cache folder. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Later versions need a module that the Go proxy refuses. */
export const GETH_VERSION = 'v1.17.8';
const MODULE = 'github.com/ethereum/go-ethereum/cmd/geth';
const INSTALL_MS = 20 * 60_000;
const CACHE: string = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'portcullis-tests',
  `geth-${GETH_VERSION}`,
);
const PROGRAM: string = join(CACHE, 'geth');

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Why there is no geth on this machine and none can be installed; false where there is one. */
export const GETH_SKIP: string | false =
  !existsSync(PROGRAM) && !hasGo() && 'Go is not installed, so there is no geth to compare with';

/** Path of the program; installs it at the first use. @throws Error with what `go install` printed */
export function installGeth(): string {
  if (existsSync(PROGRAM)) return PROGRAM;
  mkdirSync(CACHE, { recursive: true });
  // Installed aside and moved into place: two processes may install at the same time.
  const aside = mkdtempSync(join(CACHE, 'install-'));
  try {
    const environment = { ...process.env, GOBIN: aside, GOFLAGS: '-mod=mod' };
    execFileSync('go', ['install', `${MODULE}@${GETH_VERSION}`], {
      cwd: aside,
      env: environment,
      stdio: 'pipe',
      timeout: INSTALL_MS,
    });
    renameSync(join(aside, 'geth'), PROGRAM);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return PROGRAM;
}

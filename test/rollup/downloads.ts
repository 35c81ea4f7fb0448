/** Sources of public contracts, fetched by the clients of their registries: Go modules into Go's own cache, npm packages into the tests' cache. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const DOWNLOAD_MS = 10 * 60_000;
const CACHE: string = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'portcullis-tests',
  'packages',
);

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Reason for skipping tests that need Go modules; false when Go is installed. */
export const GO_MODULE_SKIP: string | false =
  !hasGo() && 'Go is not installed, so its modules cannot be fetched';

/** Downloads a module and returns its folder. @throws Error with the output of `go` when the download fails */
export function downloadGoModule(path: string, version: string): string {
  const aside = mkdtempSync(join(tmpdir(), 'portcullis-go-module-'));
  try {
    writeFileSync(join(aside, 'go.mod'), 'module contracts\n');
    const printed = execFileSync('go', ['mod', 'download', '-json', `${path}@${version}`], {
      cwd: aside,
      env: { ...process.env, GOFLAGS: '-mod=mod' },
      encoding: 'utf8',
      timeout: DOWNLOAD_MS,
    });
    return (JSON.parse(printed) as { readonly Dir: string }).Dir;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** A package version in the npm registry. */
export type NpmPackage = {
  readonly name: string;
  readonly version: string;
  /** Subresource integrity of the archive. */
  readonly integrity: string;
  /** Files and folders of the archive to unpack. */
  readonly paths: readonly string[];
};

/**
 * Downloads a package without its dependencies; none of its scripts is run.
 * @returns its folder
 * @throws Error with the output of `npm` when the download fails, or when the package has another hash than `integrity`
 */
export function downloadPackage({ name, version, integrity, paths }: NpmPackage): string {
  const folder = join(CACHE, `${name.replace('/', '-')}-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    const aside = mkdtempSync(join(CACHE, 'fetching-'));
    try {
      const args = ['pack', `${name}@${version}`, '--ignore-scripts', '--silent'];
      execFileSync('npm', args, { cwd: aside, timeout: DOWNLOAD_MS, stdio: ['ignore', 'ignore', 'pipe'] });
      const archive = readdirSync(aside)[0] ?? '';
      const digest = createHash('sha512')
        .update(readFileSync(join(aside, archive)))
        .digest('base64');
      if (`sha512-${digest}` !== integrity) throw new Error(`${name}@${version} is not what it was`);
      execFileSync('tar', ['-xzf', archive, ...paths.map((path) => `package/${path}`)], { cwd: aside });
      rmSync(join(aside, archive));
      moveTo(folder, aside);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  }
  return join(folder, 'package');
}

/** Moves the download into place; another process may have been first. */
function moveTo(folder: string, aside: string): void {
  try {
    renameSync(aside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

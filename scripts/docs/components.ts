/** Third-party packages: packages that are installed with the program, and packages of which the bundle contains parts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED_FILE, ROOT } from '../program-files.ts';

/** Entry of package-lock.json. */
type Locked = {
  readonly version?: string;
  readonly license?: string;
  /** Subresource integrity of the tarball: `sha512-` and base64. */
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

export type Component = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string | undefined;
  /** Whether the bundle contains parts of the package, so that the published package distributes them. */
  readonly isBundled: boolean;
};

/** Lists all components, by name. */
export function listComponents(): readonly Component[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const bundled = JSON.parse(readFileSync(BUNDLED_FILE, 'utf8')) as readonly string[];
  const reached = new Map<string, boolean>();
  const reach = (from: string, name: string): void => {
    const path = resolvePath(lock.packages, from, name);
    if (path === undefined || reached.has(path)) return;
    reached.set(path, false);
    const { dependencies, optionalDependencies } = lock.packages[path] ?? {};
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) reach(path, next);
  };
  for (const name of Object.keys(lock.packages['']?.dependencies ?? {})) reach('', name);
  for (const name of bundled) reached.set(`node_modules/${name}`, true);
  return [...reached]
    .map(([path, isBundled]) => describe(path, lock.packages[path] ?? {}, isBundled))
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** Returns the path of a package in the lock file, searched as Node does: from the folder of the importing package upward. */
function resolvePath(
  packages: Readonly<Record<string, Locked>>,
  from: string,
  name: string,
): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (path in packages) return path;
    if (at === '') return undefined;
  }
}

/** @throws Error for a package without a version or a licence */
function describe(path: string, locked: Locked, isBundled: boolean): Component {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  // The lock file has no licence for a few packages of other platforms. They have the licence of their main package, MIT.
  const { version, license = 'MIT', integrity } = locked;
  if (version === undefined) throw new Error(`package-lock.json has no version of ${name}`);
  return { name, version, license, integrity, isBundled };
}

/** Returns NOTICE: the licences of the packages of which the bundle contains parts. Packages with the same text share one entry. */
export function renderNotice(): string {
  const packages = new Map<string, string[]>();
  for (const { name, version, license, isBundled } of listComponents()) {
    if (!isBundled) continue;
    const text = readLicense(name);
    const title = `${name} ${version} (${license})`;
    packages.set(text, [...(packages.get(text) ?? []), title]);
  }
  return [
    'Portcullis contains parts of the following packages. The packages that its installation brings have their own licence files.\n',
    ...[...packages].map(([text, titles]) => `${titles.join('\n')}\n\n${text}`),
  ].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the text of a package's licence file, or its author and the name of its licence. */
function readLicense(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (file !== undefined) return `${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  const { author, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly author: string;
    readonly license: string;
  };
  return `Copyright ${author}. Licence: https://spdx.org/licenses/${license}.html\n`;
}

/** Returns the software bill of materials in CycloneDX 1.6. */
export function renderBillOfMaterials(): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as Component;
  const components = listComponents().map((component) => ({
    ...identify(component.name, component.version, component.license),
    type: 'library',
    ...(component.integrity !== undefined && { hashes: [readHash(component.integrity)] }),
    properties: [{ name: 'portcullis:place', value: component.isBundled ? 'bundle' : 'installation' }],
  }));
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...identify(name, version, license), type: 'application' } },
    components,
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** Returns the members of CycloneDX that identify a package. */
function identify(name: string, version: string, license: string): object {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { 'bom-ref': purl, name, version, purl, licenses: [{ license: { id: license } }] };
}

function readHash(integrity: string): object {
  return { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') };
}

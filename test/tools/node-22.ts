/** Node 22 from npm, for tools that require it. */
import { delimiter, join } from 'node:path';
import { folderOf, installFromNpm } from './tool.ts';

const NEEDED = 22;

/**
 * Installs Node 22 where the running one is older.
 * @returns the PATH under which `node` is Node 22; npm run with it also installs packages that it skips on older versions
 */
export async function installNode22(): Promise<{ readonly PATH: string }> {
  const { PATH = '' } = process.env;
  if (Number.parseInt(process.versions.node, 10) >= NEEDED) return { PATH };
  const name = `node-${process.platform}-${process.arch}`;
  const folder = folderOf('node22');
  await installFromNpm(folder, [`${name}@${NEEDED}`]);
  return { PATH: `${join(folder, 'node_modules', name, 'bin')}${delimiter}${PATH}` };
}

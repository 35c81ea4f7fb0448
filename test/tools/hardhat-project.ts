/** A hardhat 3 project with the compiler of the npm package `solc` (hardhat would download another) and the tested network as `localhost`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installNode22 } from './installed-node.ts';
import { runTool, type ToolChain } from './tool.ts';

/** @param settings additional members of the configuration, as text */
export function writeHardhatConfig(folder: string, plugins: readonly string[], settings = ''): void {
  const solc = readFileSync(join(folder, 'node_modules/solc/package.json'), 'utf8');
  const { version } = JSON.parse(solc) as { readonly version: string };
  const imports = plugins.map((name, index) => `import plugin${index} from '${name}';\n`);
  const text = `import { defineConfig } from 'hardhat/config';
${imports.join('')}const { RPC_URL, RPC_KEY } = process.env;
export default defineConfig({
  plugins: [${plugins.map((_, index) => `plugin${index}`).join(', ')}],
  solidity: { version: '${version}', path: import.meta.dirname + '/node_modules/solc/soljson.js' },
  networks: { localhost: { type: 'http', url: RPC_URL, accounts: [RPC_KEY] } },
  ${settings}
});
`;
  writeFileSync(join(folder, 'hardhat.config.ts'), text);
}

/** Runs one task. @returns its output */
export async function runHardhat(
  folder: string,
  { url, key }: ToolChain,
  task: readonly string[],
): Promise<string> {
  const args = ['node_modules/hardhat/dist/src/cli.js', ...task, '--network', 'localhost'];
  const environment = {
    ...(await installNode22()),
    RPC_URL: url,
    RPC_KEY: key,
    // Ignition prompts on a terminal before it deploys to a chain whose id is not that of a development node.
    HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: 'false',
  };
  return runTool(folder, 'node', args, undefined, environment);
}

/** abigen: a Go binding of the contract, and a program that reads, filters, watches, sends and deploys with it through go-ethereum's client. */
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/program-files.ts';
import { GETH_VERSION } from '../geth/node/geth-program.ts';
import { LOGGED_ABI } from './logged-abi.ts';
import { installFromGo, runTool, type Tool } from './tool.ts';

const MODULE = 'github.com/ethereum/go-ethereum';
const PROGRAM = join(ROOT, 'test/tools/programs/abigen.go');
const BUILD_MS = 600_000;

export const ABIGEN: Tool = {
  name: 'abigen',
  does: 'a binding in Go: calls, logs filtered and watched; transactions sent and waited for, a deployment',
  nodes: ['anvil', 'geth'],
  async install(folder) {
    await installFromGo(folder, `${MODULE}/cmd/abigen`, GETH_VERSION);
    copyFileSync(PROGRAM, join(folder, 'main.go'));
    writeFileSync(join(folder, 'abi.json'), JSON.stringify(LOGGED_ABI));
    const binding = ['--abi', 'abi.json', '--pkg', 'main', '--type', 'Logger', '--out', 'logger.go'];
    await runTool(folder, join(folder, 'abigen'), binding);
    if (!existsSync(join(folder, 'go.mod'))) {
      await runTool(folder, 'go', ['mod', 'init', 'tested']);
      await runTool(folder, 'go', ['mod', 'edit', '-require', `${MODULE}@${GETH_VERSION}`]);
    }
    await runTool(folder, 'go', ['mod', 'tidy'], BUILD_MS);
    await runTool(folder, 'go', ['build', '-o', 'work', '.'], BUILD_MS);
    return GETH_VERSION.slice(1);
  },
  run: ({ url, socketUrl, key, contract, head }, folder) =>
    runTool(folder, join(folder, 'work'), [url, key, contract, String(head), socketUrl]),
};

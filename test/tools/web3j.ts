/** web3j: a Java program that reads over HTTP and WebSocket, follows filters and heads, and sends. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/program-files.ts';
import { installFromMaven, runTool, type Tool } from './tool.ts';

const PROGRAM = join(ROOT, 'test/tools/programs/Work.java');
/** web3j's core from version 5 on requires Java 21. */
const VERSION = '4.12.3';

export const WEB3J: Tool = {
  name: 'web3j',
  does: 'blocks, receipts, logs, proofs, calls and estimates over HTTP and WebSocket; logs and heads followed; transactions sent',
  nodes: ['anvil', 'geth'],
  async install(folder) {
    await installFromMaven(folder, 'org.web3j', 'core', VERSION);
    mkdirSync(join(folder, 'classes'), { recursive: true });
    await runTool(folder, 'javac', ['-nowarn', '-cp', 'lib/*', '-d', 'classes', PROGRAM]);
    return VERSION;
  },
  run: ({ url, socketUrl, key, contract, head }, folder) =>
    runTool(folder, 'java', ['-cp', 'classes:lib/*', 'Work', url, key, contract, String(head), socketUrl]),
};

/** cryo: blocks, transactions, logs, state and state diffs, calls and instructions as files; through `trace_` on anvil and through `debug_` on both nodes. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installFromCargo, runTool, type Tool } from './tool.ts';

const VERSION = '0.3.2';
const STATE_PARTS = ['balance', 'code', 'nonce', 'storage'] as const;
const DATASETS: readonly string[] = [
  ...['blocks', 'transactions', 'logs', 'four_byte_counts', 'geth_calls', 'geth_opcodes'],
  ...STATE_PARTS.flatMap((what) => [`geth_${what}_diffs`, `${what}_reads`]),
];
const TRACE_DATASETS: readonly string[] = [
  ...['traces', 'contracts', 'native_transfers', 'vm_traces'],
  ...STATE_PARTS.map((what) => `${what}_diffs`),
];
/** Datasets of a single address. */
const STATE_DATASETS: readonly string[] = ['balances', 'codes', 'nonces'];

/** @returns the files that one run writes; the lines of each are sorted, because cryo iterates over maps in random order */
async function collect(folder: string, args: readonly string[]): Promise<string> {
  const output = join(folder, 'output');
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
  await runTool(output, join(folder, 'bin/cryo'), [...args, '--csv', '--output-dir', output]);
  const files = readdirSync(output).filter((name) => name.endsWith('.csv'));
  return files
    .sort()
    .map((name) => `${name}\n${readFileSync(join(output, name), 'utf8').split('\n').sort().join('\n')}`)
    .join('\n');
}

export const CRYO: Tool = {
  name: 'cryo',
  does: 'blocks, transactions, logs, state, what each transaction read and changed, its calls and instructions',
  nodes: ['anvil', 'geth'],
  async install(folder) {
    // Rust 1.80 and later do not compile the version of `time` in cryo's lock file.
    await installFromCargo(folder, 'cryo_cli', VERSION, { time: '0.3.36' });
    return VERSION;
  },
  async run({ url, contract, head, chainId }, folder) {
    // The first traces are those of block 1.
    const range = ['--blocks', `1:${head + 1}`, '--rpc', url];
    // geth has no trace_ methods.
    const datasets = chainId === ANVIL_CHAIN ? [...DATASETS, ...TRACE_DATASETS] : DATASETS;
    const found: string[] = [];
    for (const dataset of datasets) found.push(await collect(folder, [dataset, ...range]));
    for (const dataset of STATE_DATASETS)
      found.push(await collect(folder, [dataset, ...range, '--address', contract]));
    return found.join('\n');
  },
};

const ANVIL_CHAIN = 31_337;

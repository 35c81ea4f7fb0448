/** ethereum-etl: blocks, transactions, receipts and logs as files; traces from `trace_block` on anvil and `debug_traceBlockByNumber` on geth. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installFromPypi, runTool, type Tool } from './tool.ts';

const TRACES = 'traces.csv';
const FILES = ['blocks.csv', 'transactions.csv', 'hashes.txt', 'receipts.csv', 'logs.csv', TRACES];

export const ETHEREUM_ETL: Tool = {
  name: 'ethereum-etl',
  does: 'blocks, transactions, receipts, logs and traces of every block',
  nodes: ['anvil', 'geth', 'embedded'],
  // Its web3 5 loads pkg_resources, which setuptools dropped in 81, and a version of parsimonious that fails to load in Python 3.11.
  install: (folder) =>
    installFromPypi(folder, ['ethereum-etl', 'setuptools<81', 'regex'], ['parsimonious==0.10.0']),
  async run({ url, head, chainId, hasTraces }, folder) {
    const program = join(folder, 'venv/bin/ethereumetl');
    const range = ['--start-block', '0', '--end-block', String(head), '--provider-uri', url];
    for (const file of FILES) rmSync(join(folder, file), { force: true });
    await runTool(folder, program, [
      'export_blocks_and_transactions',
      ...range,
      ...['--blocks-output', 'blocks.csv', '--transactions-output', 'transactions.csv', '--max-workers', '1'],
    ]);
    await runTool(folder, program, [
      'extract_csv_column',
      ...['--input', 'transactions.csv', '--column', 'hash', '--output', 'hashes.txt'],
    ]);
    await runTool(folder, program, [
      'export_receipts_and_logs',
      ...['--transaction-hashes', 'hashes.txt', '--provider-uri', url, '--max-workers', '1'],
      ...['--receipts-output', 'receipts.csv', '--logs-output', 'logs.csv'],
    ]);
    if (!hasTraces)
      return readAll(
        folder,
        FILES.filter((file) => file !== TRACES),
      );
    // geth has no trace_block, which `export_traces` reads.
    const traces = chainId === GETH_DEV_CHAIN ? 'export_geth_traces' : 'export_traces';
    await runTool(folder, program, [
      traces,
      ...['--start-block', '1', '--end-block', String(head), '--provider-uri', url],
      ...['--output', TRACES, '--max-workers', '1'],
    ]);
    return readAll(folder, FILES);
  },
};

function readAll(folder: string, files: readonly string[]): string {
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

/** Chain id of `geth --dev`. */
const GETH_DEV_CHAIN = 1337;

/** ethereum-etl: blocks, transactions, receipts and logs as files; behind geth the call traces that it reads with `debug_traceBlockByNumber`. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installFromPypi, runTool, type Tool } from './tool.ts';

const FILES = ['blocks.csv', 'transactions.csv', 'hashes.txt', 'receipts.csv', 'logs.csv'];

export const ETHEREUM_ETL: Tool = {
  name: 'ethereum-etl',
  does: 'blocks, transactions, receipts and logs; call traces behind geth',
  nodes: ['anvil', 'geth'],
  // Its entry points load pkg_resources, which setuptools has no more since 81.
  install: (folder) => installFromPypi(folder, ['ethereum-etl', 'setuptools<81']),
  async run({ url, head, chainId }, folder) {
    const program = join(folder, 'venv/bin/ethereumetl');
    const range = ['--start-block', '0', '--end-block', String(head), '--provider-uri', url];
    const files = [...FILES];
    for (const file of [...FILES, 'traces.csv']) rmSync(join(folder, file), { force: true });
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
    if (chainId === GETH_DEV_CHAIN) {
      await runTool(folder, program, [
        'export_geth_traces',
        ...['--start-block', '1', '--end-block', String(head), '--provider-uri', url],
        ...['--output', 'traces.csv', '--max-workers', '1'],
      ]);
      files.push('traces.csv');
    }
    return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  },
};

/** Of `geth --dev`. */
const GETH_DEV_CHAIN = 1337;

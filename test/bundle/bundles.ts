/** Bundles of each of the seven supported methods, made by the code that the command runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBundle } from '../../src/bundle/format.ts';
import { prove } from '../../src/bundle/prove.ts';
import { withSource } from '../../src/cli/prove.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { BUILTIN_FACTS_FILE } from '../../src/service/data-paths.ts';

export type Facts = Readonly<
  Record<
    string,
    {
      readonly uncleBlock: number;
      readonly everyTypeBlock: number;
      readonly calls: Readonly<Record<'tokenBalance' | 'tokenTransfer' | 'revert', object>>;
    }
  >
>;
export const FACTS = JSON.parse(readFileSync(BUILTIN_FACTS_FILE, 'utf8')) as Facts;

/** A request, and the network for it. */
export type Row = { readonly network: string; readonly method: string; readonly params: readonly unknown[] };

const { devnet } = FACTS;
const uncleBlock = `0x${devnet?.uncleBlock.toString(16)}`;
const typesBlock = `0x${devnet?.everyTypeBlock.toString(16)}`;

/** Requests of the seven methods, the rollup methods on chains of two families. */
export const SEVEN: readonly Row[] = [
  { network: 'devnet', method: 'eth_call', params: [devnet?.calls.tokenBalance, 'latest'] },
  { network: 'devnet', method: 'eth_estimateGas', params: [devnet?.calls.tokenTransfer] },
  { network: 'devnet', method: 'eth_getBlockReceipts', params: [typesBlock] },
  { network: 'devnet', method: 'eth_getTransactionByBlockNumberAndIndex', params: [typesBlock, '0x1'] },
  { network: 'devnet', method: 'eth_getUncleByBlockNumberAndIndex', params: [uncleBlock, '0x0'] },
  { network: 'rollup', method: 'linea_estimateGas', params: [FACTS['rollup']?.calls.tokenTransfer] },
  { network: 'rollup', method: 'rollup_getInfo', params: [] },
  { network: 'op', method: 'op_estimateGas', params: [FACTS['op-rollup']?.calls.tokenTransfer] },
  { network: 'op', method: 'rollup_getInfo', params: [] },
];

const LINEA = { family: 'linea', l1: 'devnet', messageService: '0x508ca82df566dcd1b0de8296e70a96332cd644ec' };
const OP_STACK = { family: 'op-stack', l1: 'devnet' };

/** Configurations of the built-in chains as networks. */
export const BUILTIN: Readonly<Record<string, object>> = {
  devnet: { builtin: 'devnet' },
  rollup: { builtin: 'rollup', rollup: LINEA },
  op: { builtin: 'op-rollup', rollup: OP_STACK },
};

/** Configurations of the built-in chains as networks of one node each. @param authority of the service that serves as their node */
export function listNodes(authority: string): Readonly<Record<string, object>> {
  const nodes = (name: string) => ({ upstreams: [`http://${authority}/${name}/v3/demo`] });
  return {
    devnet: nodes('devnet'),
    rollup: { ...nodes('rollup'), rollup: LINEA },
    op: { ...nodes('op'), rollup: OP_STACK },
  };
}

/** Parses a configuration of networks. @param folder for its data */
export function createConfig(networks: Readonly<Record<string, object>>, folder: string): Config {
  // Calls get more than the default time, because the machine may be busy and a bundle cannot contain an error.
  const rows = Object.entries(networks).map(([name, row]) => [
    name,
    { hosts: [name], callTimeout: '60s', ...row },
  ]);
  const text = JSON.stringify({ dataDir: join(folder, 'data'), networks: Object.fromEntries(rows) });
  return parseConfig(text, { name: 'test', folder, environment: {} });
}

/** Makes bundles in the order of the requests; each network is opened once. @throws Error where something cannot be verified */
export async function makeBundles(config: Config, rows: readonly Row[]): Promise<string[]> {
  const texts: string[] = [];
  for (const network of new Set(rows.map((row) => row.network))) {
    await withSource(config, network, async (source) => {
      for (const [index, row] of rows.entries())
        if (row.network === network) texts[index] = (await prove(row, source)).text;
    });
  }
  return texts;
}

/** Makes the text of one bundle. */
export async function makeBundle(config: Config, row: Row): Promise<string> {
  const [text = ''] = await makeBundles(config, [row]);
  return text;
}

/** Returns the hash of the block that a bundle is about. */
export function hashOf(text: string): string {
  return decodeBundle(text).block.hash;
}

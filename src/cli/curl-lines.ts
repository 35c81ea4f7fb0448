import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { RollupStyle } from '../config/builtin-config.ts';
import type { ListenAddress } from '../server/lifecycle.ts';
import { formatUrl } from '../server/listen-url.ts';
import { readBuiltinFacts } from '../service/builtin-facts.ts';

type Example = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly network?: 'devnet' | 'rollup';
};

const ROLLUPS = {
  linea: { chain: 'rollup', method: 'linea_estimateGas' },
  'op-stack': { chain: 'op-rollup', method: 'op_estimateGas' },
} as const;

function buildExamples(style: RollupStyle): readonly Example[] {
  const { devnet, ...rollups } = readBuiltinFacts();
  const { chain, method } = ROLLUPS[style];
  const network = 'rollup';
  return [
    { method: 'eth_call', params: [devnet.calls.tokenBalance, 'latest'] },
    { method: 'eth_estimateGas', params: [devnet.calls.tokenTransfer] },
    { method: 'eth_getBlockReceipts', params: ['latest'] },
    { method: 'eth_getTransactionByBlockNumberAndIndex', params: ['latest', '0x0'] },
    { method: 'eth_getUncleByBlockNumberAndIndex', params: [encodeQuantity(devnet.uncleBlock), '0x0'] },
    { method, params: [rollups[chain].calls.tokenTransfer], network },
    { method: 'rollup_getInfo', params: [], network },
  ];
}

/** Returns a curl command that sends a request; a variable of the shell in the URL is expanded. */
export function buildCurlLine(url: string, { method, params }: Omit<Example, 'network'>): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return `curl -s ${url} -H 'Content-Type: application/json' -d '${body}'`;
}

/** Returns curl commands for seven example requests to the built-in networks. */
export function buildCurlLines(address: ListenAddress, style: RollupStyle = 'linea'): readonly string[] {
  return buildExamples(style).map(({ network = 'devnet', ...request }) =>
    buildCurlLine(formatUrl(address, 'http', `/${network}/v3/demo`), request),
  );
}

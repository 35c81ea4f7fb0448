import type { ListenAddress } from '../server/lifecycle.ts';
import { readBuiltinFacts } from './builtin-chains.ts';

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231';
/** A block of the development chain that counted an uncle. */
const BLOCK_WITH_UNCLE = '0x5';

export function formatUrl({ host, port }: ListenAddress, scheme: 'http' | 'ws', path: string): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}

type Example = { readonly method: string; readonly params: readonly unknown[]; readonly host?: string };

function buildExamples(): readonly Example[] {
  const { devnet, rollup } = readBuiltinFacts();
  const balanceOf = (holder: string): string => `${BALANCE_OF}${holder.slice(2).padStart(64, '0')}`;
  const [alice = '', bob = ''] = devnet.accounts.map(({ address }) => address);
  const [carol = ''] = rollup.accounts.map(({ address }) => address);
  const query = { from: alice, to: devnet.erc20, data: balanceOf(alice) };
  return [
    { method: 'eth_call', params: [query, 'latest'] },
    { method: 'eth_estimateGas', params: [{ from: alice, to: bob, value: '0x1' }] },
    { method: 'eth_getBlockReceipts', params: ['latest'] },
    { method: 'eth_getTransactionByBlockNumberAndIndex', params: ['latest', '0x0'] },
    { method: 'eth_getUncleByBlockNumberAndIndex', params: [BLOCK_WITH_UNCLE, '0x0'] },
    {
      method: 'linea_estimateGas',
      params: [{ from: carol, to: rollup.erc20, data: balanceOf(carol) }],
      host: 'rollup.localhost',
    },
    { method: 'rollup_getInfo', params: [], host: 'rollup.localhost' },
  ];
}

/** One line to paste for each of the seven methods, against the built-in networks. */
export function buildCurlLines(address: ListenAddress): readonly string[] {
  const url = formatUrl(address, 'http', '/v3/demo');
  return buildExamples().map(({ method, params, host }) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const hostHeader = host === undefined ? '' : `-H 'Host: ${host}' `;
    return `curl -s ${url} ${hostHeader}-H 'Content-Type: application/json' -d '${body}'`;
  });
}

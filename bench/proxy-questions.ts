/** What the proxy bench asks, and the node that it asks. */
import { encodeCall } from '../scripts/chains/encode-call.ts';
import { createErc20InitCode } from '../scripts/contracts/erc20.ts';
import { bytesToHex, hexToBytes } from '../src/primitives/hex.ts';
import { encodeQuantity } from '../src/primitives/quantity.ts';
import { type Anvil, startAnvil } from '../test/support/anvil.ts';
import { encodeTransfer } from '../test/support/scene.ts';

export type Call = { readonly from: string; readonly to: string; readonly data: string };
/** The text of every request, or of the next one where no two are the same. */
export type Requests = string | (() => string);
export type Row = {
  readonly name: string;
  readonly requests: Requests;
  /** Blocks of the chain are used up: rounds end by count. */
  readonly usesBlocks: boolean;
  readonly target?: Target;
};
export type Figure = 'passed on' | 'kept';
/** At most so many CPU microseconds a request. */
export type Target = { readonly figure: Figure; readonly microseconds: number };
export const PASSED_ON: Target = { figure: 'passed on', microseconds: 60 };
export const KEPT: Target = { figure: 'kept', microseconds: 30 };

/** A chain with two transactions in every block. */
export async function prepareNode(blocks: number): Promise<{ node: Anvil; call: Call }> {
  const node = await startAnvil({ args: ['--hardfork', 'prague'] });
  const [from = '', to = ''] = (await node.request('eth_accounts')) as string[];
  const data = bytesToHex(createErc20InitCode({ name: 'Token', symbol: 'T', supply: 10n ** 24n }));
  await node.request('evm_setAutomine', false);
  const hash = await node.request('eth_sendTransaction', { from, data });
  await node.request('evm_mine');
  const receipt = (await node.request('eth_getTransactionReceipt', hash)) as { contractAddress: string };
  const token = receipt.contractAddress;
  const transfer = { from, to: token, gas: encodeQuantity(100_000n) };
  for (let count = 1; count < blocks; count++) {
    for (const amount of [2 * count, 2 * count + 1]) {
      await node.request('eth_sendTransaction', { ...transfer, data: encodeTransfer(to, BigInt(amount)) });
    }
    await node.request('evm_mine');
  }
  const balance = bytesToHex(encodeCall('balanceOf(address)', hexToBytes(to)));
  return { node, call: { from, to: token, data: balance } };
}

function encodeRequest(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

/** The rows in the order in which they are to be measured: later ones know the blocks of earlier ones. */
export function createRows(call: Call): Row[] {
  const transaction = 'eth_getTransactionByBlockNumberAndIndex';
  const balance = encodeRequest('eth_call', [call, 'latest']);
  const kept = { usesBlocks: false, target: KEPT };
  return [
    { name: 'eth_call', requests: varyCalls(call), usesBlocks: false, target: PASSED_ON },
    { name: `${transaction}, new block`, requests: walkBlocks(transaction, ['0x0']), usesBlocks: true },
    { name: transaction, requests: walkBlocks(transaction, ['0x1']), usesBlocks: true, target: PASSED_ON },
    {
      name: 'eth_getBlockReceipts',
      requests: walkBlocks('eth_getBlockReceipts', []),
      usesBlocks: true,
      target: PASSED_ON,
    },
    { name: 'eth_call', requests: balance, ...kept },
    { name: transaction, requests: encodeRequest(transaction, ['0x2', '0x0']), ...kept },
    { name: 'eth_getBlockReceipts', requests: encodeRequest('eth_getBlockReceipts', ['0x2']), ...kept },
  ];
}

/** Calls that differ in what follows the arguments, which the contract does not look at. */
export function varyCalls(call: Call): () => string {
  let count = 0;
  return () => {
    count++;
    const data = call.data + count.toString(16).padStart(64, '0');
    return encodeRequest('eth_call', [{ ...call, data }, 'latest']);
  };
}

/** One request for each block, from block 2 on. */
function walkBlocks(method: string, rest: readonly unknown[]): () => string {
  let block = 1n;
  return () => {
    block++;
    return encodeRequest(method, [encodeQuantity(block), ...rest]);
  };
}

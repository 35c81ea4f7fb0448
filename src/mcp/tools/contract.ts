import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import type { JsonObject } from '../../rpc/codec/codec.ts';
import { objectOf, optional, required } from '../../rpc/codec/object-codec.ts';
import { address, boolean } from '../../rpc/schemas.ts';
import { blockArgument } from '../arguments.ts';
import { describeWei, toNumber } from '../format-values.ts';
import { readOptional } from '../read-optional.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { ToolRun } from '../tool-run.ts';

/** Slots of ERC-1967: keccak256('eip1967.proxy.implementation') - 1, of the beacon and of the admin. */
const PROXY_SLOTS = {
  implementation: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  beacon: '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  admin: '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103',
} as const;
/** Prefix of the code of an account that delegates to a contract (EIP-7702). */
const DELEGATION = '0xef0100';
/** Interface identifiers of ERC-165. */
const INTERFACES = { erc721: '0x80ac58cd', erc1155: '0xd9b67a26' } as const;

export const contractTool: Tool = defineTool({
  name: 'contract',
  title: 'Describe a contract',
  description:
    'Describes an address: its code, balance and nonce, the proxy standard ERC-1967, a delegation of EIP-7702, and what it says about itself as a token.',
  methods: [
    'eth_getBlockByNumber',
    'eth_getBlockByHash',
    'eth_getCode',
    'eth_getBalance',
    'eth_getTransactionCount',
    'eth_getStorageAt',
    'eth_call',
  ],
  args: objectOf('contract', {
    address: required(address),
    block: optional(blockArgument),
    withCode: optional(boolean, 'whether to return the code'),
  }),
  async handle({ address: account, block, withCode = false }, run) {
    const { param } = await run.stamp(block);
    const [code, balance, nonce] = (await Promise.all([
      run.request('eth_getCode', [account, param]),
      run.request('eth_getBalance', [account, param]),
      run.request('eth_getTransactionCount', [account, param]),
    ])) as [string, string, string];
    const common = { address: account, balance: describeWei(BigInt(balance)), nonce: toNumber(nonce) };
    if (code === '0x') return { ...common, isContract: false };
    const [proxy, token] = await Promise.all([
      readProxy(run, account, param),
      readTokenFacts(run, account, param),
    ]);
    return {
      ...common,
      isContract: !code.startsWith(DELEGATION),
      ...(code.startsWith(DELEGATION) && { delegatesTo: `0x${code.slice(DELEGATION.length)}` }),
      codeBytes: (code.length - 2) / 2,
      codeHash: bytesToHex(keccak256(hexToBytes(code))),
      ...(Object.keys(proxy).length > 0 && { proxy }),
      ...(Object.keys(token).length > 0 && { token }),
      ...(withCode && { code }),
    };
  },
});

async function readProxy(run: ToolRun, account: string, block: string): Promise<JsonObject> {
  const entries = await Promise.all(
    Object.entries(PROXY_SLOTS).map(async ([name, slot]) => {
      const word = String(await run.request('eth_getStorageAt', [account, slot, block]));
      return [name, BigInt(word) === 0n ? undefined : `0x${word.slice(-40)}`] as const;
    }),
  );
  return Object.fromEntries(entries.filter(([, found]) => found !== undefined));
}

async function readTokenFacts(run: ToolRun, to: string, block: string): Promise<JsonObject> {
  const read = (signature: string, args: readonly unknown[] = []): Promise<unknown> =>
    readOptional(run, { to, signature, args }, block);
  const entries = await Promise.all([
    ...['name()(string)', 'symbol()(string)', 'decimals()(uint8)', 'totalSupply()(uint256)'].map(
      async (signature) => [signature.slice(0, signature.indexOf('(')), await read(signature)] as const,
    ),
    ...Object.entries(INTERFACES).map(
      async ([name, id]) =>
        [name, (await read('supportsInterface(bytes4)(bool)', [id])) || undefined] as const,
    ),
  ]);
  return Object.fromEntries(entries.filter(([, found]) => found !== undefined));
}

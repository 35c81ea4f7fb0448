import type { JsonObject } from '../../rpc/codec/codec.ts';
import { listOf } from '../../rpc/codec/list-codec.ts';
import { objectOf, optional, required } from '../../rpc/codec/object-codec.ts';
import { address } from '../../rpc/schemas.ts';
import { blockArgument } from '../arguments.ts';
import { describeWei, formatTokens, toNumber } from '../format-values.ts';
import { readOptional } from '../read-optional.ts';
import { defineTool, type Tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import type { ToolRun } from '../tool-run.ts';

/** Maximum number of tokens: each takes three calls. */
const MAX_TOKENS = 20;
/** Maximum decimals of an ERC-20 token (uint8). */
const MAX_DECIMALS = 255;

export const balanceTool: Tool = defineTool({
  name: 'balance',
  title: 'Read balances',
  description: 'Returns the balance and the nonce of an account, and its balances of ERC-20 tokens.',
  methods: [
    'eth_getBlockByNumber',
    'eth_getBlockByHash',
    'eth_getBalance',
    'eth_getTransactionCount',
    'eth_call',
  ],
  args: objectOf('balance', {
    address: required(address),
    tokens: optional(listOf(address), `at most ${MAX_TOKENS} ERC-20 contracts`),
    block: optional(blockArgument),
  }),
  async handle({ address: account, tokens = [], block }, run) {
    if (tokens.length > MAX_TOKENS) throw new ToolError(`pass at most ${MAX_TOKENS} tokens`);
    const { param } = await run.stamp(block);
    const [balance, nonce, ...balances] = await Promise.all([
      run.request('eth_getBalance', [account, param]),
      run.request('eth_getTransactionCount', [account, param]),
      ...tokens.map((token) => readTokenBalance(run, token, account, param)),
    ]);
    return {
      address: account,
      balance: describeWei(BigInt(balance as string)),
      nonce: toNumber(nonce),
      ...(tokens.length > 0 && { tokens: balances }),
    };
  },
});

async function readTokenBalance(
  run: ToolRun,
  token: string,
  account: string,
  block: string,
): Promise<JsonObject> {
  const read = (signature: string, args: readonly unknown[] = []): Promise<unknown> =>
    readOptional(run, { to: token, signature, args }, block);
  const [balance, decimals, symbol] = await Promise.all([
    read('balanceOf(address)(uint256)', [account]),
    read('decimals()(uint8)'),
    read('symbol()(string)'),
  ]);
  if (typeof balance !== 'string') return { token, error: 'the contract has no balanceOf(address)' };
  const places = Number(decimals ?? 0);
  return {
    token,
    symbol: symbol ?? null,
    units: balance,
    ...(decimals !== undefined &&
      places <= MAX_DECIMALS && { amount: formatTokens(BigInt(balance), places) }),
  };
}

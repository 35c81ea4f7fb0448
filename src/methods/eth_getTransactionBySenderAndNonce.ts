import type { JsonResult, JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import { parseInSlices } from '../../packages/ethereum/primitives/parse-in-slices.ts';
import { PIECE_LENGTH } from '../../packages/ethereum/primitives/parse-json.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { HeaderView } from '../chain/chain.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { address, integer64 } from '../rpc/schemas.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { readQuantityText } from './complete-fees.ts';
import { scopeOfAccount } from './contract-scope.ts';
import { blockOfHash } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { readWholeText } from './read-whole-text.ts';
import { EXAMPLE_TRANSACTION } from './result-examples.ts';
import { transaction } from './result-schemas.ts';
import { workFor } from './work-credits.ts';

/** Members that this method reads from a block object with full transactions. */
type Block = { readonly transactions: readonly { readonly from: string; readonly nonce: string }[] };

export const ethGetTransactionBySenderAndNonce: Method<MethodContext> = defineMethod({
  name: 'eth_getTransactionBySenderAndNonce',
  summary: 'Returns the transaction that a sender has sent with a nonce.',
  description:
    "reth returns the same result. The result is `null` if no transaction used the nonce, for example because an authorization (EIP-7702) or a contract creation by code used it. A pending transaction is returned only to the key that has sent it through this service. The service reads the sender's nonce at successively older blocks, and takes the transaction from the block in which the nonce rose. For a recent transaction, these reads need no old state. Nodes need not support `eth_getTransactionBySenderAndNonce`. Each read of the nonce at a block costs credits (`eth_getTransactionBySenderAndNonce_lookup`).",
  params: [
    { name: 'sender', description: 'Account that has sent the transaction.', required: true, codec: address },
    { name: 'nonce', description: 'Nonce of the transaction.', required: true, codec: integer64 },
  ],
  result: { name: 'transaction', schema: transaction.nullable() },
  contractScope: scopeOfAccount,
  cost: 240,
  errors: ['serverError'],
  example: {
    params: [EXAMPLE_TRANSACTION['from'], EXAMPLE_TRANSACTION['nonce']],
    result: EXAMPLE_TRANSACTION,
  },
  async handle([sender, nonce], context) {
    const { network, scope } = context;
    const { blocks, transactions } = network.chain;
    const head = await blocks.getHeader(DEFAULT_BLOCK, scope);
    if (head === null) return 'null';
    const number = await findBlock(sender, nonce, head, context);
    if (number === 'above') return (await transactions.findWaiting(sender, nonce, scope)) ?? 'null';
    if (number === undefined) return 'null';
    const block = { kind: 'number', number } as const;
    const text = await blocks.getBlock(block, true, scope);
    if (text === null) return 'null';
    const index = await findIndex(text, sender, nonce, scope.owner ?? '');
    if (index < 0) return 'null';
    return (await transactions.getTransaction({ block, index: BigInt(index) }, scope)) ?? 'null';
  },
});

/**
 * Returns the first block after which the sender's nonce exceeds `nonce`.
 * @returns `above` if the nonce is still unused at the head; undefined if the nonce was already used after the genesis block
 */
async function findBlock(
  sender: string,
  nonce: bigint,
  head: HeaderView,
  { network: { chain }, scope }: MethodContext,
): Promise<bigint | 'above' | undefined> {
  const isUsedAfter = async (number: bigint): Promise<boolean> => {
    const block =
      number === head.number && head.hash !== undefined
        ? blockOfHash(head.hash)
        : ({ kind: 'number', number } as const);
    const count: PromiseOrValue<JsonText> = workFor(
      scope,
      'eth_getTransactionBySenderAndNonce_lookup',
      1,
      () => chain.state.getTransactionCount(sender, block, scope),
    );
    return readQuantityText(await count) > nonce;
  };
  if (!(await isUsedAfter(head.number))) return 'above';
  /** Invariant of the search: the nonce is used after `high` and unused after `low`. */
  let high = head.number;
  let low = 0n;
  for (let step = 1n; ; step *= 2n) {
    low = high > step ? high - step : 0n;
    if (!(await isUsedAfter(low))) break;
    if (low === 0n) return undefined;
    high = low;
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (await isUsedAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Returns the index of the transaction in the block, or -1 if the block does not contain it. Long blocks are parsed in scheduler slots of the owner. */
async function findIndex(block: JsonResult, sender: string, nonce: bigint, owner: string): Promise<number> {
  const text = await readWholeText(block);
  const parsed = text.length > PIECE_LENGTH ? SCHEDULER.run(owner, parseInSlices(text)) : JSON.parse(text);
  const { transactions } = (await parsed) as Block;
  return transactions.findIndex((each) => each.from.toLowerCase() === sender && BigInt(each.nonce) === nonce);
}

import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { defineMethod, type Method, type Param } from '../rpc/method.ts';
import { data, hash32 } from '../rpc/schemas.ts';
import { scopeOfRecipient } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_RAW_TRANSACTION, EXAMPLE_TRANSACTION } from './result-examples.ts';

/** Parameter of the methods that send a transaction. */
export const SENT_TRANSACTION_PARAM: Param<string, true> = {
  name: 'transaction',
  description:
    'The bytes (EIP-2718), of a blob transaction with its blobs, commitments and proofs (EIP-4844, EIP-7594).',
  required: true,
  codec: data,
};

export const ethSendRawTransaction: Method<MethodContext> = defineMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Sends a signed transaction.',
  description:
    "The hash comes back as soon as one node has taken it. What is wrong with the transaction itself is found here, in geth's words; what depends on accounts, prices and pools is the nodes' answer. The same bytes may be sent again: a transaction that a node has, or that is in a block, gives its hash. A network without nodes sends nothing.",
  params: [SENT_TRANSACTION_PARAM],
  result: { name: 'hash', schema: hash32 },
  contractScope: scopeOfRecipient,
  cost: 80,
  sends: true,
  errors: ['serverError', 'readOnlyNetwork', 'unavailable'],
  example: { params: [EXAMPLE_RAW_TRANSACTION], result: EXAMPLE_TRANSACTION['hash'] },
  handle: ([bytes], { network, scope }) => network.chain.transactions.send(hexToBytes(bytes), scope),
});

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
    'Bytes of the transaction (EIP-2718). A blob transaction includes its blobs, commitments and proofs (EIP-4844, EIP-7594).',
  required: true,
  codec: data,
};

export const ethSendRawTransaction: Method<MethodContext> = defineMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Sends a signed transaction.',
  description:
    "The result is the hash of the transaction, as soon as one node has accepted it. The service itself reports errors in the transaction, such as an invalid signature, chain id or fee, in geth's words. Nodes report errors that depend on accounts, prices and pools. If a client sends the same bytes again, it gets the hash if a node has the transaction, or if a block contains it. A network without nodes refuses this method.",
  params: [SENT_TRANSACTION_PARAM],
  result: { name: 'hash', schema: hash32 },
  contractScope: scopeOfRecipient,
  cost: 80,
  sends: true,
  errors: ['serverError', 'readOnlyNetwork', 'unavailable'],
  example: { params: [EXAMPLE_RAW_TRANSACTION], result: EXAMPLE_TRANSACTION['hash'] },
  handle: ([bytes], { network, scope }) => network.chain.transactions.send(hexToBytes(bytes), scope),
});

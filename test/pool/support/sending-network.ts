import assert from 'node:assert/strict';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import { makeTransaction } from '../../support/bad-transactions.ts';
import { createScope } from './exchange.ts';
import { createNetwork, type NetworkScript, type ScriptedNetwork } from './network.ts';
import { ScriptedChain } from './scripted-chain.ts';
import { answer, type Behaviour, createNode, type ScriptedNode } from './scripted-node.ts';

export const scripted: ScriptedChain = new ScriptedChain({ length: 20 });
export const BYTES: Uint8Array = makeTransaction({ chainId: 1n });
export const HASH: string = bytesToHex(keccak256(BYTES));
export const TAKEN: Behaviour = answer(`"${HASH}"`);
export const SEND = 'eth_sendRawTransaction';
export const FUNDS = 'insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1';

/** A node of the chain with these behaviours for sends and for lookups of transactions by hash. */
export function nodeOf(send: Behaviour, lookUp: Behaviour = answer('null'), name = 'node'): ScriptedNode {
  const behaviour: Behaviour = (call, options) => {
    if (call.method === SEND) return send(call, options);
    if (call.method === 'eth_getTransactionByHash') return lookUp(call, options);
    if (call.method === 'eth_getTransactionReceipt') return answer('null')(call, options);
    if (call.method === 'eth_getTransactionCount') return answer('"0x0"')(call, options);
    return scripted.behaviour()(call, options);
  };
  return createNode({ behaviour, name });
}

export const networkOf = (nodes: readonly ScriptedNode[], script: NetworkScript = {}): ScriptedNetwork =>
  createNetwork(scripted, script, nodes);

export const send = (network: ScriptedNetwork, owner = 'one'): Promise<string> => {
  const scope = createScope();
  scope.owner = owner;
  return network.chain.transactions.send(BYTES, scope);
};

export const sends = ({ requested }: ScriptedNode): number =>
  requested.calls.filter(({ method }) => method === SEND).length;

export async function failOf(promise: Promise<unknown>): Promise<{ kind: string; message: string }> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof ChainError, String(error));
    return { kind: error.kind, message: error.message };
  }
  throw new assert.AssertionError({ message: 'it does not fail' });
}

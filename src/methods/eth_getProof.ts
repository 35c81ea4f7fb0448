import { createBoundError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { scopeOfAccount } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_PROOF } from './result-examples.ts';
import { accountProof } from './result-schemas.ts';
import { ACCOUNT_PARAM, decodeSlot, MAX_SLOTS, STATE_BLOCK_PARAM, slotTexts } from './state-params.ts';

export const ethGetProof: Method<MethodContext> = defineMethod({
  name: 'eth_getProof',
  summary: "Returns Merkle proofs of an account and of its storage slots, against the block's state root.",
  description:
    'A request may have at most 1,024 slots. An embedded chain returns proofs at the head and at the `embedded.proofBlocks` blocks below it (128 by default).',
  params: [
    ACCOUNT_PARAM,
    {
      name: 'slots',
      description: 'Numbers of the slots, at most 32 bytes each. An empty list proves only the account.',
      required: true,
      codec: slotTexts,
    },
    STATE_BLOCK_PARAM,
  ],
  result: { name: 'proof', schema: accountProof },
  contractScope: scopeOfAccount,
  cost: 150,
  errors: ['serverError', 'busy'],
  example: {
    params: ['0xcabe9823112d187ea24d56be8e47ae75ed52a842', ['0x2'], '0x3b'],
    result: EXAMPLE_PROOF,
  },
  handle: ([account, slots, block = DEFAULT_BLOCK], { network, scope }) => {
    if (slots.length > MAX_SLOTS) {
      const detail = `storage keys requested (max ${MAX_SLOTS}, got ${slots.length})`;
      throw createBoundError('invalidParams', 'call.slots', detail);
    }
    const echoes = slots.map((slot) => decodeSlot(slot).echo);
    return network.chain.state.getProof(account, echoes, block, scope);
  },
});

import type { BlockSimulation } from '../chain/requests.ts';
import type { Codec } from '../rpc/codec/codec.ts';
import { mapped, nullable } from '../rpc/codec/derived-codecs.ts';
import { listOf } from '../rpc/codec/list-codec.ts';
import { objectOf, optional } from '../rpc/codec/object-codec.ts';
import { address, boolean, hash32, quantity64, quantity256 } from '../rpc/schemas.ts';
import { callObject } from './call-object.ts';
import { stateOverrides } from './overrides.ts';

const EMPTY_WITHDRAWAL = {
  index: '0x0',
  validatorIndex: '0x0',
  address: `0x${'00'.repeat(20)}`,
  amount: '0x0',
};

const withdrawal = mapped(
  objectOf('withdrawal', {
    index: optional(quantity64),
    validatorIndex: optional(quantity64),
    address: optional(address),
    amount: optional(quantity64),
  }),
  (provided) => ({ ...EMPTY_WITHDRAWAL, ...provided }),
);

const blockOverrides = objectOf('simulated block overrides', {
  number: optional(quantity256),
  difficulty: optional(quantity256, 'Before the merge; ignored in blocks after it.'),
  time: optional(quantity64),
  gasLimit: optional(quantity64),
  feeRecipient: optional(address),
  prevRandao: optional(hash32),
  baseFeePerGas: optional(quantity256),
  blobBaseFee: optional(quantity256),
  beaconRoot: optional(hash32, 'Parent beacon block root.'),
  withdrawals: optional(listOf(withdrawal, 'call.entries')),
});

const blockStateCalls = objectOf('block of calls', {
  blockOverrides: optional(
    blockOverrides,
    'Fields of the simulated block. Absent fields follow from the parent block.',
  ),
  stateOverrides: optional(stateOverrides, 'Accounts to replace before the calls.'),
  calls: optional(listOf(nullable(callObject, {}))),
});

/** Simulation, `EthSimulatePayload` of execution-apis. Unknown members are ignored, as in geth. */
export const simulation: Codec<BlockSimulation> = mapped(
  objectOf('simulation', {
    blockStateCalls: optional(listOf(nullable(blockStateCalls, {}))),
    traceTransfers: optional(boolean, 'Whether transfers of value appear as logs.'),
    validation: optional(boolean, 'Whether nonces, prices and base fees are checked as in blocks.'),
    returnFullTransactions: optional(boolean, 'Whether the result has whole transactions instead of hashes.'),
  }),
  (provided): BlockSimulation => ({ ...provided, blockStateCalls: provided.blockStateCalls ?? [] }),
);

import type { Transaction } from '../../packages/ethereum/codecs/transaction.ts';
import { bytesEqual } from '../../packages/ethereum/primitives/bytes.ts';
import {
  computeFloorGas,
  computeIntrinsicGas,
  countDataBytes,
} from '../../packages/evm/interpreter/intrinsic-gas.ts';
import type { RevisionRules } from '../../packages/evm/interpreter/revisions/revision-rules.ts';
import type { LeastGas } from '../chain/sending/check-sent-transaction.ts';
import type { SendingTools } from '../chains/upstream/sending/sending-parts.ts';
import { getCryptography } from '../engine/node-cryptography.ts';

/** Gas rules and cryptography of the EVM, which check transactions before they are sent. */
export const SENDING_TOOLS: SendingTools = {
  recoverPublicKey: (hash, signature, yParity) =>
    getCryptography().recoverPublicKey(hash, signature, yParity),
  measureGas: measureLeastGas,
};

function measureLeastGas(tx: Transaction, sender: Uint8Array, revision: RevisionRules): LeastGas {
  const { accessList, authorizationList } = tx;
  const input = {
    data: countDataBytes(tx.data),
    isCreation: tx.to === undefined,
    isToSender: tx.to !== undefined && bytesEqual(tx.to, sender),
    hasValue: tx.value > 0n,
    accessedAddresses: accessList.length,
    accessedStorageKeys: accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0),
    authorizations: authorizationList.length,
  };
  return { intrinsic: computeIntrinsicGas(input, revision), floor: computeFloorGas(input, revision) };
}

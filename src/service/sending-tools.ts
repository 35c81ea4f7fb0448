import type { LeastGas } from '../chain/sending/check-sent-transaction.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { SendingTools } from '../chains/upstream/sending/sending-parts.ts';
import { getCryptography } from '../engine/cryptography/create-cryptography.ts';
import { computeFloorGas, computeIntrinsicGas, countDataBytes } from '../evm/intrinsic-gas.ts';
import type { RevisionRules } from '../evm/revisions/revision-rules.ts';
import { bytesEqual } from '../primitives/bytes.ts';

/** EVM gas and cryptography for checking transactions. */
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

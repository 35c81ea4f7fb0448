import type { CallObject } from '../chain/requests.ts';
import type { AccessListEntry, AuthorizationEntry } from '../chain/wire-json.ts';
import type { Codec } from '../rpc/codec/codec.ts';
import { listOf } from '../rpc/codec/list-codec.ts';
import { annotation, objectOf, optional, required } from '../rpc/codec/object-codec.ts';
import { address, data, hash32, quantity8, quantity64, quantity256 } from '../rpc/schemas.ts';

const accessListEntry: Codec<AccessListEntry> = objectOf('access list entry', {
  address: required(address),
  storageKeys: required(listOf(hash32, 'call.entries')),
});

const authorization: Codec<AuthorizationEntry> = objectOf('authorization', {
  chainId: required(quantity256),
  address: required(address),
  nonce: required(quantity64),
  // EIP-7702: a transaction is invalid when yParity exceeds 8 bits.
  yParity: required(quantity8),
  r: required(quantity256),
  s: required(quantity256),
});

/** Call object with the fields of spec 2.5 and the further fields that geth reads. Unknown fields are ignored, as in geth. */
export const callObject: Codec<CallObject> = objectOf('call object', {
  from: optional(address, 'Sender. Default: the zero address.'),
  to: optional(address, 'Recipient. Absent: `data` is init code of a contract creation.'),
  gas: optional(quantity64, "Gas provided, at most 10 times the latest block's gas limit."),
  gasPrice: optional(quantity256, 'Wei per gas. Not together with the EIP-1559 fields.'),
  maxFeePerGas: optional(quantity256, 'Maximum total fee, Wei per gas.'),
  maxPriorityFeePerGas: optional(quantity256, 'Maximum fee above the base fee, Wei per gas.'),
  maxFeePerBlobGas: optional(quantity256, 'Maximum fee per blob gas, Wei.'),
  value: optional(quantity256, 'Wei sent along.'),
  nonce: optional(quantity64, 'Nonce of the sender; not checked.'),
  data: optional(data, 'Call data, or init code.'),
  input: optional(data, 'Call data, or init code. If both are present, `input` replaces `data`.'),
  // Nodes do not read `type`. Nodes derive the transaction type from the present fields instead.
  type: annotation(quantity64, 'Transaction type. Anything but a quantity is ignored.'),
  chainId: optional(quantity256, "Must be the network's own chain id."),
  accessList: optional(listOf(accessListEntry, 'call.entries'), 'EIP-2930 access list.'),
  blobVersionedHashes: optional(listOf(hash32, 'call.entries'), 'EIP-4844 blob hashes.'),
  authorizationList: optional(listOf(authorization, 'call.entries'), 'EIP-7702 authorizations.'),
});
